"""`lexalign translate`."""

import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.languages import SourceLanguage, TargetLanguage, choose
from lexalign.cli.rendering import as_json, moses, plain
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.text.subwords import Languages
    from lexalign.translator import TranslateOptions, Translation, Translator
    from lexalign.translator.reading import Text

PolicyName = Literal["none", "replace", "vdba", "align-vdba", "guided"]
MethodName = Literal["naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"]


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
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
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
    constraints: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Sentences with what their translations must contain; see below."),
    ] = None,
    policy: Annotated[PolicyName, typer.Option(help="How constraints are met.")] = "guided",
    aligner: Annotated[
        MethodName, typer.Option(help="Who tells a policy where a word comes from.")
    ] = "post-aln",
    threshold: Annotated[
        float, typer.Option(help="align-vdba: tries a term only where it is at least so probable.")
    ] = 0.1,
    temperature: Annotated[
        float, typer.Option(help="Over 1 the alignment counts for less, under 1 for more.")
    ] = 2.0,
    free_tokens: Annotated[
        Literal["joint", "literal"],
        typer.Option(help="align-vdba: whether terms are begun by their alignment alone, or by chance too."),
    ] = "joint",
    ordered: Annotated[bool, typer.Option(help="Constraints are met in their given order.")] = False,
    split: Annotated[
        bool, typer.Option("--split", help="Split lines over the model's limit where sentences end.")
    ] = False,
    align: Annotated[bool, typer.Option(help="With --json, also tell where every token comes from.")] = False,
) -> None:
    """Translate a text, a file, or standard input where neither is given.

    A line is a sentence, and gives one line; an empty one stays empty. Standard input is answered as it
    comes. A file is checked as a whole before its first line is translated.

    Example: lexalign translate --model run/model "Das Haus ist groß."

    A file of --constraints holds the sentences too, each with its constraints: JSON lines
    {"text": "Das Gesetz gilt.", "constraints": [{"source": [4, 10], "target": "law"}]}, Sockeye's JSON
    lines, or fairseq's form, where tabs set constraints apart.

    Example: lexalign translate --model run/model --input news.de --output news.en
    """
    if sum(given is not None for given in (text, input_file, constraints)) > 1:
        raise LexalignError("give a TEXT, --input or --constraints, not several")
    if align and not json_lines:
        raise LexalignError("--align is for --json")
    from lexalign.translator import ConstraintOptions, TranslateOptions
    from lexalign.translator.memory import keep_freed_memory

    options = TranslateOptions(
        beam=beam,
        n_best=n_best,
        length_penalty=length_penalty,
        max_length=max_length,
        batch_tokens=batch_tokens,
        workers=workers,
        constraints=ConstraintOptions(
            policy=policy,
            method=aligner,
            threshold=threshold,
            temperature=temperature,
            free_tokens=free_tokens,
            ordered=ordered,
        ),
        align=aligner if align else None,
        split=split,
    )
    keep_freed_memory()
    translator = _load(model, device, int8, choose(source_language, target_language))
    size = translator.pace(options).window
    windows, total = (
        _windows(translator, text, input_file, size, split)
        if constraints is None
        else _constrained_windows(translator, constraints, size, split)
    )
    _write(translator, windows, total, output, options, json_lines)


def _load(model: Path, device: str, int8: bool, languages: "Languages | None") -> "Translator":
    from lexalign.translator import Translator

    return Translator.load(model, device=device, precision="int8" if int8 else "float32", languages=languages)


def _constrained_windows(
    translator: "Translator", path: Path, size: int, split: bool
) -> tuple[Iterable[Sequence["Text"]], int]:
    from lexalign.data.reader import read_lines
    from lexalign.decoding.stream import cut_windows
    from lexalign.glossary.constraint_files import parse_constraints

    sentences = parse_constraints(read_lines(path), name=str(path))
    translator.check((text for text, _ in sentences), split=split)
    return cut_windows(sentences, size), len(sentences)


def _windows(
    translator: "Translator", text: str | None, path: Path | None, size: int, split: bool
) -> tuple[Iterable[Sequence["Text"]], int | None]:
    """The lines to translate, and their number where it can be known."""
    from lexalign.cli.standard_input import read_windows
    from lexalign.data.reader import read_lines
    from lexalign.decoding.stream import cut_windows

    if text is not None:
        lines = text.split("\n")
        return [lines], translator.check(lines, split=split)
    if path is None:
        return read_windows(sys.stdin.fileno(), size), None
    # What is not a file, such as a named pipe, can be read only once.
    total = translator.check(read_lines(path), split=split) if path.is_file() else None
    return cut_windows(read_lines(path), size), total


def _write(
    translator: "Translator",
    windows: Iterable[Sequence["Text"]],
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
            for term in translation.terms:
                if not term.met:
                    progress.unmet(term)


def _remember(windows: Iterable[Sequence["Text"]], sources: deque[str]) -> Iterator[Sequence["Text"]]:
    for window in windows:
        sources.extend(text if isinstance(text, str) else text[0] for text in window)
        yield window


def _render(index: int, source: str, translation: "Translation", n_best: int, json_lines: bool) -> str:
    if json_lines:
        return as_json(source, translation)
    return plain(translation) if n_best == 1 else moses(index, translation)
