"""A corpus job: survey, take up, translate what is left, close."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lexalign import __version__
from lexalign.corpus.engines.engine import CorpusEngine
from lexalign.corpus.inputs import Input, list_files, survey
from lexalign.corpus.ledger import Job, Ledger
from lexalign.corpus.options import CorpusOptions, ModelPlace
from lexalign.corpus.parquet import check_installed
from lexalign.corpus.report import Report
from lexalign.corpus.results import Counts
from lexalign.corpus.rows import RowReader
from lexalign.corpus.shards import ShardPlan
from lexalign.corpus.worker import WorkerPlan
from lexalign.data.preparation import file_digest
from lexalign.glossary import Matcher
from lexalign.models.folder import load_config
from lexalign.text.tokenizer_files import load_tokenizer


@dataclass(frozen=True, kw_only=True)
class Progress:
    num_rows: int  # of the whole corpus
    total: Counts
    run: Counts
    seconds: float  # of the run


Watch = Callable[[Progress], None]


def translate_corpus(
    inputs: Sequence[Path],
    output: Path,
    place: ModelPlace,
    engine: CorpusEngine,
    options: CorpusOptions | None = None,
    *,
    terms: Matcher | None = None,
    price: float | None = None,
    watch: Watch = lambda _: None,
) -> Report:
    """Translate files into a folder, or go on where the same job was stopped.

    `terms` is a glossary, sent to every worker once; `price` is that of an hour of all workers together;
    `watch` is told after each shard.
    """
    options = options or CorpusOptions()
    files = _survey(inputs, place, options)
    plan = ShardPlan(files, options.rows_of_a_shard(place), options.columns.names)
    job = _job(files, plan, place, options, terms)
    ledger = Ledger(output, options.output_format)
    with ledger.hold():
        start, complete = time.perf_counter(), ledger.begin(job)
        before = ledger.total
        worker = WorkerPlan(place=place, options=options, files=tuple(files), terms=terms)
        for result in () if complete else engine.run(plan, frozenset(ledger.finished), worker):
            ledger.put(result)
            watch(_progress(plan, ledger, before, time.perf_counter() - start))
        report = Report(
            total=ledger.total,
            worker_seconds=sum(entry.seconds for entry in ledger.finished.values()),
            run=ledger.total - before,
            seconds=time.perf_counter() - start,
            workers=engine.num_workers,
            price=price,
        )
        if not complete:
            report.write(output / "report.json")
            ledger.finish(job, list(plan.all_shards()))
    return report


def _survey(inputs: Sequence[Path], place: ModelPlace, options: CorpusOptions) -> list[Input]:
    """What can be known to be wrong is found out before hours are spent."""
    load_config(place.path)
    load_tokenizer(place.path).between(place.languages)
    if options.output_format == "parquet":
        check_installed()
    files = [survey(path, options.input_format) for path in list_files(inputs)]
    for format in {file.format for file in files}:
        RowReader(format, options.columns)
    return files


def _job(
    files: Sequence[Input],
    plan: ShardPlan,
    place: ModelPlace,
    options: CorpusOptions,
    terms: Matcher | None,
) -> Job:
    """All that the bytes of the output depend on."""
    return {
        "lexalign": __version__,
        "inputs": [
            {"file": str(file.path), "format": file.format, "rows": file.num_rows, "sha256": file.digest}
            for file in files
        ],
        "model": {
            str(path.relative_to(place.path)): file_digest(path)
            for path in sorted(place.path.rglob("*"))
            if path.is_file()
        },
        "languages": None if place.languages is None else list(place.languages),
        "glossary": None if terms is None else _digest(terms),
        "device": "cpu" if place.on_cpu else "gpu",
        "precision": place.precision,
        "shard size": plan.size,
        **json.loads(json.dumps(options.signature())),  # as it is read back
    }


def _digest(terms: Matcher) -> str:
    content = repr((terms.glossary, terms.options, terms.source_language, terms.target_language))
    return hashlib.sha256(content.encode()).hexdigest()


def _progress(plan: ShardPlan, ledger: Ledger, before: Counts, seconds: float) -> Progress:
    return Progress(num_rows=plan.num_rows, total=ledger.total, run=ledger.total - before, seconds=seconds)
