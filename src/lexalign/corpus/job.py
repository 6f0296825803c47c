"""A corpus job: inspect the files, resume, translate the missing shards, finish."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lexalign import __version__
from lexalign.corpus.engines.engine import CorpusEngine
from lexalign.corpus.inputs import InputFile, inspect, list_files
from lexalign.corpus.ledger import Job, Ledger
from lexalign.corpus.options import CorpusOptions, ModelSpec
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
    run: Counts  # of this run, which may have resumed the job
    seconds: float  # of this run


ProgressCallback = Callable[[Progress], None]


def translate_corpus(
    inputs: Sequence[Path],
    output: Path,
    model: ModelSpec,
    engine: CorpusEngine,
    options: CorpusOptions | None = None,
    *,
    terms: Matcher | None = None,
    price: float | None = None,
    on_progress: ProgressCallback = lambda _: None,
) -> Report:
    """Translate files into a folder, or resume the same job where it was stopped.

    `terms` is a glossary, sent to every worker once; `price` is that of an hour of all workers together;
    `on_progress` is called after each shard.
    """
    options = options or CorpusOptions()
    files = _inspect(inputs, model, options)
    plan = ShardPlan(files, options.rows_per_shard(model), options.columns.names)
    job = _describe_job(files, plan, model, options, terms)
    ledger = Ledger(output, options.output_format)
    with ledger.lock():
        start, complete = time.perf_counter(), ledger.open_job(job)
        before = ledger.total
        worker = WorkerPlan(model=model, options=options, files=tuple(files), terms=terms)
        for result in () if complete else engine.run(plan, frozenset(ledger.finished), worker):
            ledger.put(result)
            on_progress(_progress(plan, ledger, before, time.perf_counter() - start))
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


def _inspect(inputs: Sequence[Path], model: ModelSpec, options: CorpusOptions) -> list[InputFile]:
    """Inspect the files; errors that can be known are raised before hours are spent."""
    load_config(model.path)
    load_tokenizer(model.path).between(model.languages)
    if options.output_format == "parquet":
        check_installed()
    files = [inspect(path, options.input_format) for path in list_files(inputs)]
    for format in {file.format for file in files}:
        RowReader(format, options.columns)
    return files


def _describe_job(
    files: Sequence[InputFile],
    plan: ShardPlan,
    model: ModelSpec,
    options: CorpusOptions,
    terms: Matcher | None,
) -> Job:
    """Everything that the bytes of the output depend on."""
    return {
        "lexalign": __version__,
        "inputs": [
            {"file": str(file.path), "format": file.format, "rows": file.num_rows, "sha256": file.digest}
            for file in files
        ],
        "model": {
            str(path.relative_to(model.path)): file_digest(path)
            for path in sorted(model.path.rglob("*"))
            if path.is_file()
        },
        "languages": None if model.languages is None else list(model.languages),
        "glossary": None if terms is None else _digest(terms),
        "device": "cpu" if model.on_cpu else "gpu",
        "precision": model.precision,
        "shard size": plan.size,
        **json.loads(json.dumps(options.signature())),  # with the types that JSON reads back
    }


def _digest(terms: Matcher) -> str:
    content = repr((terms.glossary, terms.options, terms.source_language, terms.target_language))
    return hashlib.sha256(content.encode()).hexdigest()


def _progress(plan: ShardPlan, ledger: Ledger, before: Counts, seconds: float) -> Progress:
    return Progress(num_rows=plan.num_rows, total=ledger.total, run=ledger.total - before, seconds=seconds)
