"""`lexalign translate-corpus`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.messages import resumable, say
from lexalign.cli.options.alignment import Layer, Method, attention_place, note_missing_head
from lexalign.cli.options.computation import Int8, SharedScales, precision_of
from lexalign.cli.options.model_choice import (
    ModelFolder,
    SourceLanguage,
    TargetLanguage,
    choose_model,
    sample_of_lines,
)
from lexalign.cli.options.report import ReportFile, Strict, check_report, finish_report
from lexalign.cli.options.search import (
    BatchTokens,
    Beam,
    Coverage,
    FreeTokens,
    KeepPatterns,
    LengthPenalty,
    MaxLength,
    Ordered,
    Policy,
    Protect,
    Sentences,
    Temperature,
    Threshold,
    UseShortlist,
)
from lexalign.cli.options.sections import COLUMNS, RAY, RESULTS, SPEED
from lexalign.cli.options.term_matching import (
    Compounds,
    Forms,
    GlossaryFiles,
    SourceForms,
    Terms,
    make_matcher,
)
from lexalign.cli.output.progress import CorpusProgress

if TYPE_CHECKING:
    from lexalign.corpus.engines.engine import CorpusEngine


def translate_corpus(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT", help="Files, or folders of files: plain text, .tsv, .jsonl or .parquet."
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT",
            help="Folder of the job, or one file, such as news.jsonl, news.parquet or news.en.",
        ),
    ],
    model: ModelFolder = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    engine: Annotated[
        Literal["local", "ray"], typer.Option(help="Processes on this machine, or actors of a Ray cluster.")
    ] = "local",
    output_format: Annotated[
        Literal["jsonl", "parquet", "text"] | None,
        typer.Option(
            "--format",
            help="With scores and terms (jsonl, parquet), or plain text in the original order.",
            show_default="that of OUTPUT's suffix, and jsonl in a folder",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    input_format: Annotated[
        Literal["text", "tsv", "jsonl", "parquet"] | None,
        typer.Option(
            help="Format of the input; by default that of the suffix of each file.", rich_help_panel=COLUMNS
        ),
    ] = None,
    text_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the text, in TSV its number; by default 'text', in TSV 1.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    constraints_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column of the constraints; by default 'constraints', in TSV none.",
            rich_help_panel=COLUMNS,
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that is copied to the output as 'id'.", rich_help_panel=COLUMNS
        ),
    ] = None,
    beam: Beam = 5,
    max_length: MaxLength = 512,
    length_penalty: LengthPenalty = 1.0,
    batch_tokens: BatchTokens = None,
    shard_size: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rows in a shard; by default 1,024 on a CPU and 8,192 on a GPU.",
            rich_help_panel=SPEED,
        ),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            metavar="DEVICE",
            help="local: cpu, cuda (all GPUs) or cuda:1; auto uses all GPUs if there are any.",
        ),
    ] = "auto",
    int8: Int8 = None,
    shared_scales: SharedScales = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Maximum number of workers; by default one for each GPU, or for each core, of the machine "
            "or the cluster.",
            rich_help_panel=SPEED,
        ),
    ] = None,
    min_workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="ray: number of workers to start with; more start as the cluster has room.",
            rich_help_panel=RAY,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="ray: cluster to join ('auto' or host:port); by default a new one is started.",
            rich_help_panel=RAY,
        ),
    ] = None,
    cpus_per_worker: Annotated[
        float, typer.Option(min=0, help="ray: cores for each worker.", rich_help_panel=RAY)
    ] = 1,
    gpus_per_worker: Annotated[
        float,
        typer.Option(
            min=0, help="ray: GPUs for each worker; with 0 it computes on a CPU.", rich_help_panel=RAY
        ),
    ] = 0,
    glossary: GlossaryFiles = None,
    term: Terms = None,
    source_forms: SourceForms = None,
    forms: Forms = True,
    compounds: Compounds = True,
    policy: Policy = "guided",
    aligner: Method = "auto",
    layer: Layer = None,
    threshold: Threshold = None,
    temperature: Temperature = 2.0,
    free_tokens: FreeTokens = "joint",
    ordered: Ordered = False,
    sentences: Sentences = True,
    protect: Protect = True,
    shortlist: UseShortlist = True,
    coverage: Coverage = True,
    keep_pattern: KeepPatterns = None,
    align: Annotated[
        bool, typer.Option(help="Also write the alignment of every token.", rich_help_panel=RESULTS)
    ] = False,
    price: Annotated[
        float | None, typer.Option(min=0, help="Price of an hour of all workers, for the cost in the report.")
    ] = None,
    report_file: ReportFile = None,
    strict: Strict = False,
) -> None:
    """Translate many texts into a folder or into one file, on one machine or on many.

    A job that was stopped, even by kill -9, resumes when you give the same command again: finished shards are
    kept, and the result is the same as without the interruption. Rows that cannot be translated are written
    to poisoned.jsonl, with the reason. The number of workers and the engine may change between runs.

    Example: lexalign translate corpus news.de news.en

    Example: lexalign translate corpus news.jsonl news-en --model run --engine ray
    """
    from lexalign.corpus.job import translate_corpus as translate
    from lexalign.corpus.options import CorpusOptions, ModelSpec
    from lexalign.corpus.quality_report import check_reportable, report_corpus
    from lexalign.corpus.rows import Columns
    from lexalign.corpus.sample import sample_texts
    from lexalign.corpus.single_file import check_format, job_folder, write_file
    from lexalign.markup.protection.patterns import Patterns
    from lexalign.translator import ConstraintOptions, TranslateOptions

    check_report(report_file)
    chosen_format, folder = check_format(output, output_format), job_folder(output)
    if report_file is not None or strict:
        check_reportable(chosen_format)
    options = CorpusOptions(
        translate=TranslateOptions(
            beam=beam,
            length_penalty=length_penalty,
            max_length=max_length,
            batch_tokens=batch_tokens,
            constraints=ConstraintOptions(
                policy=policy,
                method=aligner,
                attention=attention_place(layer),
                threshold=threshold,
                temperature=temperature,
                free_tokens=free_tokens,
                ordered=ordered,
            ),
            align=aligner if align else None,
            sentences=sentences,
            protect=protect,
            shortlist=shortlist,
            coverage=coverage,
            patterns=tuple(keep_pattern or ()),
        ),
        columns=Columns(text=text_column, constraints=constraints_column, id=id_column),
        input_format=input_format,
        output_format=chosen_format,
        shard_size=shard_size,
    )
    found = choose_model(
        model,
        source_language,
        target_language,
        lambda: sample_of_lines(sample_texts(inputs, input_format, options.columns)),
    )
    terms = make_matcher(
        glossary or (), term or (), (found.source, found.target), source_forms, forms, compounds
    )
    if terms is not None or align:
        note_missing_head(found.folder, aligner, (found.source, found.target))
    if engine == "local":
        chosen, kind = _local(device, workers)
    else:
        chosen, kind = _ray(address, workers, min_workers, cpus_per_worker, gpus_per_worker)
    place = ModelSpec(
        path=found.folder, device=kind, precision=precision_of(int8, shared_scales), languages=found.languages
    )
    with resumable(), CorpusProgress() as progress:
        report = translate(
            inputs, folder, place, chosen, options, terms=terms, price=price, on_progress=progress.show
        )
    for line in report.lines():
        say(line)
    quality = None
    if report_file is not None or strict:
        patterns = Patterns(options.translate.patterns)
        quality = report_corpus(folder, chosen_format, terms, patterns)
    if folder != output and not write_file(folder, output, chosen_format):
        say(f"some rows could not be translated; they are in {folder / 'poisoned.jsonl'}")
    if quality is not None:
        finish_report(quality, report_file, strict=strict)


def _local(device: str, workers: int | None) -> tuple["CorpusEngine", str]:
    from lexalign.corpus.engines.local import LocalEngine, list_devices

    devices = list_devices(device, workers)
    return LocalEngine(devices), "cpu" if devices[0] == "cpu" else "cuda"


def _ray(
    address: str | None, workers: int | None, min_workers: int | None, cpus: float, gpus: float
) -> tuple["CorpusEngine", str]:
    from lexalign.corpus.engines.ray import RayEngine, RayOptions

    options = RayOptions(
        address=address,
        max_workers=workers,
        min_workers=min_workers or workers or 1,
        cpus_per_worker=cpus,
        gpus_per_worker=gpus,
    )
    return RayEngine(options), "cuda" if gpus else "cpu"
