"""`lexalign translate-corpus`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.corpus_progress import CorpusProgress
from lexalign.cli.model_choice import (
    Int8,
    ModelFolder,
    SharedScales,
    SourceLanguage,
    TargetLanguage,
    choose_model,
    precision_of,
)
from lexalign.cli.search_options import (
    BatchTokens,
    Beam,
    FreeTokens,
    KeepPatterns,
    LengthPenalty,
    MaxLength,
    Method,
    Ordered,
    Policy,
    Protect,
    Sentences,
    Temperature,
    Threshold,
)
from lexalign.cli.term_matching import GlossaryFiles, SourceForms, TargetForms, Terms, make_matcher
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.corpus.engines.engine import CorpusEngine


def translate_corpus(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT...", help="Files, or folders of files: plain text, .tsv, .jsonl, .parquet."
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The folder of the job.")],
    model: ModelFolder = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    engine: Annotated[
        Literal["local", "ray"], typer.Option(help="Processes of this machine, or actors of a Ray cluster.")
    ] = "local",
    output_format: Annotated[
        Literal["jsonl", "parquet", "text"],
        typer.Option("--format", help="Shards with scores and terms, or plain text in the original order."),
    ] = "jsonl",
    input_format: Annotated[
        Literal["text", "tsv", "jsonl", "parquet"] | None,
        typer.Option(help="Where the names of the files do not say it."),
    ] = None,
    text_column: Annotated[
        str | None, typer.Option(help="The field of the text, or its number in TSV; 'text', or 1.")
    ] = None,
    constraints_column: Annotated[
        str | None, typer.Option(help="The field of the constraints; 'constraints', in TSV none.")
    ] = None,
    id_column: Annotated[str | None, typer.Option(help="A field that goes into the output as 'id'.")] = None,
    beam: Beam = 5,
    max_length: MaxLength = 512,
    length_penalty: LengthPenalty = 1.0,
    batch_tokens: BatchTokens = None,
    shard_size: Annotated[
        int | None,
        typer.Option(min=1, help="Rows of a shard; by default 1,024 on a CPU and 8,192 on a GPU."),
    ] = None,
    device: Annotated[
        str, typer.Option(help="local: cpu, cuda (all GPUs), cuda:1; auto is GPUs where there are any.")
    ] = "auto",
    int8: Int8 = None,
    shared_scales: SharedScales = False,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="At most so many; by default one for each GPU, or for each core."),
    ] = None,
    min_workers: Annotated[
        int | None, typer.Option(min=1, help="ray: start with so many, and grow as there is room.")
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="ray: the cluster to join ('auto', or host:port); else one is started.")
    ] = None,
    cpus_per_worker: Annotated[float, typer.Option(min=0, help="ray: cores that a worker takes up.")] = 1,
    gpus_per_worker: Annotated[float, typer.Option(min=0, help="ray: GPUs; 0 computes on a CPU.")] = 0,
    policy: Policy = "guided",
    aligner: Method = "post-aln",
    threshold: Threshold = None,
    temperature: Temperature = 2.0,
    free_tokens: FreeTokens = "joint",
    ordered: Ordered = False,
    sentences: Sentences = True,
    protect: Protect = True,
    keep_pattern: KeepPatterns = None,
    align: Annotated[bool, typer.Option(help="Also tell where every token comes from.")] = False,
    glossary: GlossaryFiles = None,
    term: Terms = None,
    source_forms: SourceForms = None,
    target_forms: TargetForms = "follow",
    price: Annotated[
        float | None, typer.Option(min=0, help="Of an hour of all workers, for the cost in the report.")
    ] = None,
) -> None:
    """Translate files into a folder, on one machine or on many.

    A job that was stopped, even by kill -9, goes on when the same command is given again: finished shards are
    kept, and the result is what it would have been. Rows that cannot be translated are put aside in
    poisoned.jsonl, with the reason. The number of workers and the engine may change between runs.

    Example: lexalign translate-corpus news.jsonl news-en --model run/model --engine local --workers 2
    """
    from lexalign.corpus.job import translate_corpus as translate
    from lexalign.corpus.options import CorpusOptions, ModelSpec
    from lexalign.corpus.rows import Columns
    from lexalign.translator import ConstraintOptions, TranslateOptions

    options = CorpusOptions(
        translate=TranslateOptions(
            beam=beam,
            length_penalty=length_penalty,
            max_length=max_length,
            batch_tokens=batch_tokens,
            constraints=ConstraintOptions(
                policy=policy,
                method=aligner,
                threshold=threshold,
                temperature=temperature,
                free_tokens=free_tokens,
                ordered=ordered,
            ),
            align=aligner if align else None,
            sentences=sentences,
            protect=protect,
            patterns=tuple(keep_pattern or ()),
        ),
        columns=Columns(text=text_column, constraints=constraints_column, id=id_column),
        input_format=input_format,
        output_format=output_format,
        shard_size=shard_size,
    )
    found = choose_model(model, source_language, target_language, _ask_for_language)
    terms = make_matcher(glossary or (), term or (), (found.source, found.target), source_forms, target_forms)
    if engine == "local":
        chosen, kind = _local(device, workers)
    else:
        chosen, kind = _ray(address, workers, min_workers, cpus_per_worker, gpus_per_worker)
    place = ModelSpec(
        path=found.folder, device=kind, precision=precision_of(int8, shared_scales), languages=found.languages
    )
    try:
        with CorpusProgress() as progress:
            report = translate(
                inputs,
                output,
                place,
                chosen,
                options,
                terms=terms,
                price=price,
                on_progress=progress.show,
            )
    except KeyboardInterrupt:
        typer.echo("stopped; run the same command to go on", err=True)
        raise typer.Exit(130) from None
    for line in report.lines():
        typer.echo(line, err=True)


def _ask_for_language() -> str:
    raise LexalignError("say the language of the text by --from LANGUAGE, or name a --model")


def _local(device: str, workers: int | None) -> tuple["CorpusEngine", str]:
    from lexalign.corpus.engines.local import LocalEngine, list_devices

    devices = list_devices(device, workers)
    return LocalEngine(devices), "cpu" if devices[0] == "cpu" else "cuda"


def _ray(
    address: str | None, workers: int | None, min_workers: int | None, cpus: float, gpus: float
) -> tuple["CorpusEngine", str]:
    from lexalign.corpus.engines.ray import RayEngine, RayOptions

    if workers is None:
        raise LexalignError("ray: say with --workers how many actors may translate at a time")
    options = RayOptions(
        address=address,
        max_workers=workers,
        min_workers=workers if min_workers is None else min_workers,
        cpus_per_worker=cpus,
        gpus_per_worker=gpus,
    )
    return RayEngine(options), "cuda" if gpus else "cpu"
