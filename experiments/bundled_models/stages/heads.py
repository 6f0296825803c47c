"""Train the students' PostAln heads by the teachers' links, or without teachers by their own attention."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path

from experiments.bundled_models.stages.labels import label_shards
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from lexalign.data.reader import ParallelText
from lexalign.storage import new_file
from lexalign.training.heads.labels import LabelFile, LabelFiles
from lexalign.training.heads.run import train_aligner


def run(workspace: BundleWorkspace, fingerprint: str) -> Result:
    folder = workspace.folder / "heads" / fingerprint
    shards = label_shards(workspace)
    source, target = workspace.pair.languages("forward")
    if workspace.setting.mixture is not None:
        _known_text(workspace.folder / str(workspace.result("labels")["folder"]) / "data", folder / "data")
    texts = [ParallelText(shard / f"text.{source}", shard / f"text.{target}") for shard in shards]
    train_aligner(
        workspace.student("forward"),
        workspace.student("backward"),
        texts,
        workspace.text("valid"),
        folder,
        workspace.setting.student_heads,
        labels=None if workspace.setting.mixture is not None else _labels(folder, shards),
        filters=workspace.setting.student.filters,
        device=workspace.device,
        say=workspace.say,
    )
    report: Result = json.loads((folder / "heads.json").read_text(encoding="utf-8"))
    return report


def options(workspace: BundleWorkspace) -> object:
    return asdict(workspace.setting.student_heads)


def _known_text(known: Path, place: Path) -> None:
    """Copy the tokens and links of the text, which the training finds by their names."""
    if not place.exists():
        shutil.copytree(known, place)


def _labels(folder: Path, shards: list[Path]) -> LabelFiles:
    links = _joined(folder / "links", [shard / "links" for shard in shards])
    return LabelFiles(
        train=LabelFile(path=links, level="subword"),
        valid=LabelFile(path=shards[0].parent / "valid" / "links", level="subword"),
    )


def _joined(path: Path, parts: list[Path]) -> Path:
    if not path.exists():
        with new_file(path) as temporary, temporary.open("wb") as file:
            for part in parts:
                file.write(part.read_bytes())
    return path


STAGE = Stage(name="heads", run=run, options=options, needs=("labels", "student"))
