"""`lexalign doctor`."""

import platform
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign import __version__
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.translator import TranslateOptions, Translator

_MIN_SECONDS = 1.0  # of a measurement


def doctor(
    speed: Annotated[
        bool, typer.Option("--speed/--no-speed", help="Measure how fast this machine translates.")
    ] = True,
) -> None:
    """Show what is installed, which models there are, which device is used, and how fast it is.

    Example: lexalign doctor
    """
    for title, value in _facts(speed):
        typer.echo(f"{title:<10}{value}")


def _facts(speed: bool) -> Iterator[tuple[str, str]]:
    import torch

    from lexalign.storage import cache_folder
    from lexalign.translator.workers import num_cores

    yield "version", f"lexalign {__version__}, Python {platform.python_version()}, torch {torch.__version__}"
    yield "machine", f"{platform.system()} {platform.machine()}, {num_cores()} cores"
    names = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    yield "device", ", ".join(names) if names else "CPU; torch sees no GPU"
    yield from _extras()
    yield from _models()
    yield "kernels", _kernels()
    yield "cache", str(cache_folder())
    if speed:
        yield from _speed()


def _kernels() -> str:
    from lexalign.native.library import kernels

    if kernels() is not None:
        return "Lexalign's own, for AVX-512 VNNI"
    return "torch's; Lexalign's own need Linux, a CPU with AVX-512 VNNI, and a C++ compiler"


def _extras() -> Iterator[tuple[str, str]]:
    from lexalign.installation import installed_extras

    for extra in installed_extras():
        missing = f"pip install 'lexalign[{extra.name}]' (missing: {', '.join(extra.missing)})"
        yield f"[{extra.name}]", f"{extra.purpose}: {missing if extra.missing else 'installed'}"


def _models() -> Iterator[tuple[str, str]]:
    from lexalign.hub import describe_models

    found = describe_models()
    if not found:
        yield "models", "none; get one: lexalign models get Helsinki-NLP/opus-mt-de-en"
    for number, one in enumerate(found):
        head = (
            ""
            if one.has_head
            else f"; no alignment head: lexalign train aligner --model {one.name} --text TEXT"
        )
        yield "" if number else "models", f"{one.name}: {one.direction}, {one.size / 1e6:,.1f} MB{head}"


def _speed() -> Iterator[tuple[str, str]]:
    """One process and everyday sentences, by the first model that two languages find."""
    from lexalign.bundled import BundledModels
    from lexalign.text.sample_sentences import sample_sentences
    from lexalign.translator import TranslateOptions, Translator

    found = sorted(BundledModels.installed().folders.items())
    if not found:
        return
    (source, target), folder = found[0]
    try:
        start = time.perf_counter()
        translator = Translator.load(folder)
        loaded = time.perf_counter() - start
        sentences = sample_sentences(source)
        words = sum(len(one.split()) for one in sentences)
        for beam in (1, 5):
            rate = words / _seconds(translator, sentences, TranslateOptions(beam=beam, workers=1))
            yield (
                ("" if beam > 1 else "speed"),
                f"{source} to {target}, beam {beam}: {rate:,.0f} words/s, one process",
            )
        yield "", f"loading that model: {loaded:.2f} s"
    except LexalignError as error:
        yield "speed", f"not measured: {error}"


def _seconds(translator: "Translator", sentences: list[str], options: "TranslateOptions") -> float:
    """The time of one run of all sentences; the first run, which warms up, is not counted."""
    translator.translate(sentences, options)
    start, runs = time.perf_counter(), 0
    while time.perf_counter() - start < _MIN_SECONDS:
        translator.translate(sentences, options)
        runs += 1
    return (time.perf_counter() - start) / runs
