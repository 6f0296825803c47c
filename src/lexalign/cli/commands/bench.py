"""`lexalign bench`: how fast this machine translates."""

import json
import platform
import resource
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lexalign import __version__
from lexalign.cli.messages import say
from lexalign.cli.options.model_choice import ModelFolder, SourceLanguage, TargetLanguage, choose_model

if TYPE_CHECKING:
    from lexalign.benchmark import BenchmarkOptions, Measurement


def bench(
    model: ModelFolder = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    text: Annotated[
        Path | None,
        typer.Option(
            "--input", metavar="FILE", help="Sentences, one a line; by default a few built-in ones."
        ),
    ] = None,
    beams: Annotated[str, typer.Option("--beams", metavar="LIST", help="Beam sizes.")] = "1,5,10",
    batches: Annotated[
        str, typer.Option("--batches", metavar="LIST", help="Numbers of texts translated together.")
    ] = "1,16",
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds, of which the median counts.")] = 5,
    float32: Annotated[bool, typer.Option("--float32", help="Compute in float32, not as stored.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Beam 5, one round, no long texts.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the figures to a file.")
    ] = None,
) -> None:
    """Measure how fast this machine translates texts: short and long, alone and together, with terms.

    Times are CPU times of one thread, so that other work on the machine hardly matters; with several cores, a
    machine translates as many times the sentences per second. Texts take the whole way, from text to text.

    Example: lexalign bench --from de --to en --quick
    """
    from lexalign.benchmark import BenchmarkOptions, measure
    from lexalign.data.reader import read_lines
    from lexalign.text.sample_sentences import sample_sentences
    from lexalign.translator import Translator
    from lexalign.translator.execution import keep_freed_memory

    options = BenchmarkOptions(
        beams=_numbers("--beams", beams), batches=_numbers("--batches", batches), rounds=rounds
    )
    if quick:
        options = BenchmarkOptions(
            lengths=("short", "ordinary"), beams=(5,), batches=options.batches, rounds=1
        )
    if model is None and source_language is None and target_language is None:
        source_language, target_language = "de", "en"
    chosen = choose_model(model, source_language, target_language, lambda: "")
    keep_freed_memory()
    translator = Translator.load(
        chosen.folder, device="cpu", precision="float32" if float32 else None, languages=chosen.languages
    )
    sentences = (
        [line for line in read_lines(text) if line.strip()] if text else sample_sentences(chosen.source)
    )
    found = measure(translator, list(sentences), options, say)
    _show(found)
    signature = _signature(str(chosen.folder.name), text, options)
    typer.echo(", ".join(f"{name} {value}" for name, value in signature.items()))
    if json_file is not None:
        content = {"signature": signature, "results": [asdict(one) for one in found]}
        json_file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _numbers(option: str, text: str) -> tuple[int, ...]:
    from lexalign.contracts.errors import LexalignError

    try:
        return tuple(int(one) for one in text.split(","))
    except ValueError:
        raise LexalignError(f'{option} is "{text}"; give a list of numbers, such as 1,5,10') from None


def _show(found: "list[Measurement]") -> None:
    plain = {(one.length, one.beam, one.batch): one.seconds for one in found if not one.term}
    typer.echo("text      tokens  beam  batch     ms/text  texts/s  tokens/s")
    for one in found:
        over = (
            f"   with a term: {one.seconds / plain[one.length, one.beam, one.batch]:.2f} times"
            if one.term
            else ""
        )
        typer.echo(
            f"{one.length:<9} {one.num_tokens:6.1f} {one.beam:5} {one.batch:6} {1000 * one.seconds:11.2f}"
            f" {one.texts_per_second:8.1f} {one.tokens_per_second:9.0f}{over}"
        )


def _signature(model: str, text: Path | None, options: "BenchmarkOptions") -> dict[str, Any]:
    import torch

    from lexalign.native.library import kernels

    return {
        "lexalign": __version__,
        "torch": torch.__version__,
        "Python": platform.python_version(),
        "model": model,
        "text": text.name if text else "our own sentences",
        "rounds": options.rounds,
        "kernels": "torch's" if kernels() is None else "our own",
        "peak memory MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
