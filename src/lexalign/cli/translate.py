"""`lexalign translate`."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.rendering import as_json, moses, plain
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.translator import TranslateOptions, Translation, Translator


def translate(
    model: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the model.")],
    text: Annotated[str | None, typer.Argument(help="What to translate, each line by itself.")] = None,
    input_file: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="Translate this file, plain or .gz, .bz2, .xz."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write to this file when all is translated, or not at all."),
    ] = None,
    beam: Annotated[int, typer.Option(help="Hypotheses followed at a time.")] = 5,
    n_best: Annotated[
        int,
        typer.Option(
            help="Translations of each line; more than 1 as 'line ||| text ||| score', from line 0."
        ),
    ] = 1,
    max_length: Annotated[int, typer.Option(help="Tokens of a translation at most.")] = 512,
    length_penalty: Annotated[float, typer.Option(help="0 favours short translations, 1 is even.")] = 1.0,
    batch_tokens: Annotated[
        int | None, typer.Option(help="Source tokens searched together; by default what suits the device.")
    ] = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1; auto is a GPU where there is one.")
    ] = "auto",
    int8: Annotated[
        bool, typer.Option("--int8", help="On a CPU, compute in 8 bits: faster, about as good.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes on a CPU; by default one for each core.")
    ] = None,
    json_lines: Annotated[
        bool, typer.Option("--json", help="A JSON object for each line, with scores and tokens.")
    ] = False,
) -> None:
    """Translate a text, a file, or standard input where neither is given.

    A line is a sentence, and gives one line; an empty one stays empty. Standard input is answered as it
    comes. A file is checked as a whole before its first line is translated.

    Example: lexalign translate --model run/model "Das Haus ist groß."

    Example: lexalign translate --model run/model --input news.de --output news.en
    """
    if text is not None and input_file is not None:
        raise LexalignError("give a TEXT or --input, not both")
    from lexalign.translator import TranslateOptions
    from lexalign.translator.memory import keep_freed_memory

    options = TranslateOptions(
        beam=beam,
        n_best=n_best,
        length_penalty=length_penalty,
        max_length=max_length,
        batch_tokens=batch_tokens,
        workers=workers,
    )
    keep_freed_memory()
    translator = _load(model, device, int8)
    size = translator.pace(options).window
    windows, total = _windows(translator, text, input_file, size)
    _write(translator, windows, total, output, options, json_lines)


def _load(model: Path, device: str, int8: bool) -> "Translator":
    from lexalign.translator import Translator

    return Translator.load(model, device=device, precision="int8" if int8 else "float32")


def _windows(
    translator: "Translator", text: str | None, path: Path | None, size: int
) -> tuple[Iterable[list[str]], int | None]:
    """The lines to translate, and their number where it can be known."""
    from lexalign.cli.standard_input import read_windows
    from lexalign.data.reader import read_lines
    from lexalign.decoding.stream import cut_windows

    if text is not None:
        lines = text.split("\n")
        return [lines], translator.check(lines)
    if path is None:
        return read_windows(sys.stdin.fileno(), size), None
    # What is not a file, such as a named pipe, can be read only once.
    total = translator.check(read_lines(path)) if path.is_file() else None
    return cut_windows(read_lines(path), size), total


def _write(
    translator: "Translator",
    windows: Iterable[list[str]],
    total: int | None,
    output: Path | None,
    options: "TranslateOptions",
    json_lines: bool,
) -> None:
    from lexalign.cli.output import open_output
    from lexalign.cli.progress import TranslationProgress

    sources: deque[str] = deque()
    translations = translator.translate_windows(_remember(windows, sources), options)
    with open_output(output, flush=total is None) as write, TranslationProgress(total) as progress:
        for index, translation in enumerate(translations):
            write(_render(index, sources.popleft(), translation, options.n_best, json_lines))
            progress.translated(complete=translation.complete)


def _remember(windows: Iterable[Sequence[str]], sources: deque[str]) -> Iterator[Sequence[str]]:
    for window in windows:
        sources.extend(window)
        yield window


def _render(index: int, source: str, translation: "Translation", n_best: int, json_lines: bool) -> str:
    if json_lines:
        return as_json(source, translation)
    return plain(translation) if n_best == 1 else moses(index, translation)
