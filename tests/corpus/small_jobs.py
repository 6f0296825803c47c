"""Small jobs, and the files that they write."""

import json
import time
from pathlib import Path
from typing import Any

from lexalign.corpus.engines.engine import CorpusEngine, InProcess
from lexalign.corpus.job import Progress, ProgressCallback, translate_corpus
from lexalign.corpus.options import CorpusOptions, ModelSpec
from lexalign.corpus.report import Report
from lexalign.corpus.rows import Columns
from lexalign.translator import TranslateOptions

SEARCH: dict[str, Any] = {"beam": 2, "max_length": 12, "batch_tokens": 128}


def options(*, shard_size: int = 10, align: bool = False, **changes: Any) -> CorpusOptions:
    columns = Columns(
        **{name: changes.pop(name) for name in ("text", "constraints", "id") if name in changes}
    )
    search = TranslateOptions(**SEARCH, align="post-aln" if align else None)
    return CorpusOptions(translate=search, columns=columns, shard_size=shard_size, **changes)


def run(
    inputs: Path | list[Path],
    output: Path,
    model: ModelSpec,
    engine: CorpusEngine | None = None,
    *,
    on_progress: ProgressCallback = lambda _: None,
    **changes: Any,
) -> Report:
    files = [inputs] if isinstance(inputs, Path) else inputs
    return translate_corpus(
        files, output, model, engine or InProcess(), options(**changes), on_progress=on_progress
    )


def linger(_: Progress) -> None:
    """Pause between two shards, so that a kill in the middle of a job does not come after its end."""
    time.sleep(0.2)


def files_of(folder: Path) -> dict[str, bytes]:
    """All written files but the report, which has times."""
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "report.json" in kept
    return {name: content for name, content in kept.items() if name not in ("report.json", ".lock")}


def records(folder: Path) -> list[dict[str, Any]]:
    """All translations, in order."""
    return [
        json.loads(line)
        for path in sorted(folder.glob("part-*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def poisoned(folder: Path) -> dict[int, str]:
    """Reasons by row."""
    lines = (folder / "poisoned.jsonl").read_text().splitlines()
    return {entry["row"]: entry["reason"] for entry in map(json.loads, lines)}
