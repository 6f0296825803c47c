"""`lexalign translate`."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.display.views import View, choose_view, is_watched
from lexalign.cli.failures import warn
from lexalign.cli.model_choice import (
    Int8,
    ModelFolder,
    SharedScales,
    SourceLanguage,
    TargetLanguage,
    beginning,
    beginning_of_file,
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
from lexalign.cli.startup import collector_asleep
from lexalign.cli.term_matching import GlossaryFiles, SourceForms, TargetForms, Terms, make_matcher
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.glossary import Matcher
    from lexalign.models.projection import Precision
    from lexalign.text.subwords import Languages
    from lexalign.translator import TranslateOptions, Translator
    from lexalign.translator.source_text import Text


def translate(
    text: Annotated[str | None, typer.Argument(help="What to translate, each line by itself.")] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    model: ModelFolder = None,
    input_file: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="Translate this file, plain or .gz, .bz2, .xz."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write to this file when all is translated, or not at all."),
    ] = None,
    beam: Beam = 5,
    n_best: Annotated[
        int,
        typer.Option(
            help="Translations of each line; more than 1 as 'line ||| text ||| score', from line 0."
        ),
    ] = 1,
    max_length: MaxLength = 512,
    length_penalty: LengthPenalty = 1.0,
    batch_tokens: BatchTokens = None,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1; auto is a GPU where there is one.")
    ] = "auto",
    int8: Int8 = None,
    shared_scales: SharedScales = False,
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
    policy: Policy = "guided",
    aligner: Method = "post-aln",
    threshold: Threshold = None,
    temperature: Temperature = 2.0,
    free_tokens: FreeTokens = "joint",
    ordered: Ordered = False,
    sentences: Sentences = True,
    protect: Protect = True,
    keep_pattern: KeepPatterns = None,
    align: Annotated[bool, typer.Option(help="With --json, also tell where every token comes from.")] = False,
    glossary: GlossaryFiles = None,
    term: Terms = None,
    source_forms: SourceForms = None,
    target_forms: TargetForms = "follow",
    show_alignment: Annotated[
        bool, typer.Option("--show-alignment", help="Show below each line which word came from which.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page that shows alignments and terms.")
    ] = None,
) -> None:
    """Translate a text, a file, or standard input where neither is given.

    A line gives one line, however many sentences it has; an empty one stays empty. Placeholders, addresses,
    code, numbers and symbols are kept, or a warning says which are not. Standard input is answered as it
    comes. A file is checked as a whole before its first line is translated.

    Example: lexalign translate --from de --to en "Das Haus ist groß."

    A file of --constraints holds the sentences too, each with its constraints: JSON lines
    {"text": "Das Gesetz gilt.", "constraints": [{"source": [4, 10], "target": "law"}]}, Sockeye's JSON
    lines, or fairseq's form, where tabs set constraints apart.

    Example: lexalign translate --model run/model --input news.de --output news.en

    Example: lexalign translate --model run/model --from de --term "Haus=house" --show-alignment "Das Haus."
    """
    if sum(given is not None for given in (text, input_file, constraints)) > 1:
        raise LexalignError("give a TEXT, --input or --constraints, not several")
    if align and not json_lines:
        raise LexalignError("--align is for --json")
    if show_alignment and (json_lines or n_best > 1):
        raise LexalignError("--show-alignment is for people; leave out --json and --n-best")
    precision = precision_of(int8, shared_scales)
    begun: list[bytes] = []  # of standard input, where it was looked at
    chosen = choose_model(
        model, source_language, target_language, lambda: _beginning(text, input_file, constraints, begun)
    )
    matcher = make_matcher(
        glossary or (), term or (), (chosen.source, chosen.target), source_forms, target_forms
    )
    watched = is_watched(output)
    # Of terms it is told only where the aligner is needed anyway, lest it be missed for one figure.
    placed = matcher is not None and (watched or json_lines) and policy not in ("none", "vdba")
    told = align or show_alignment or html is not None or placed
    with collector_asleep():
        from lexalign.translator import ConstraintOptions, TranslateOptions
        from lexalign.translator.execution import keep_freed_memory

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
            align=aligner if told else None,
            sentences=sentences,
            protect=protect,
            patterns=tuple(keep_pattern or ()),
        )
        keep_freed_memory()
        translator = _load(chosen.folder, device, precision, chosen.languages)
    size = translator.batching_defaults(options).window
    windows, total = (
        _windows(translator, text, input_file, size, b"".join(begun))
        if constraints is None
        else _constrained_windows(translator, constraints, size)
    )
    view = choose_view(json_lines=json_lines, n_best=n_best, alignment=show_alignment, watched=watched)
    job = _Job(translator=translator, options=options, matcher=matcher, terms=term or (), view=view)
    _write(job, windows, total, output, html, watched=watched and not json_lines and n_best == 1)


@dataclass(frozen=True, kw_only=True)
class _Job:
    """How lines become output."""

    translator: "Translator"
    options: "TranslateOptions"
    matcher: "Matcher | None"
    terms: Sequence[str]  # of the command line
    view: View


def _load(
    model: Path, device: str, precision: "Precision | None", languages: "Languages | None"
) -> "Translator":
    from lexalign.translator import Translator

    return Translator.load(model, device=device, precision=precision, languages=languages)


def _beginning(text: str | None, path: Path | None, constraints: Path | None, begun: list[bytes]) -> str:
    """Some of what is to be translated, by which to guess its language."""
    from lexalign.cli.standard_input import read_beginning
    from lexalign.data.reader import read_lines
    from lexalign.glossary.constraint_files import parse_constraints

    if text is not None:
        return text
    if path is not None:
        return beginning_of_file(path)
    if constraints is not None:
        return beginning(
            line for line, _ in parse_constraints(read_lines(constraints), name=str(constraints))
        )
    begun.append(read_beginning(sys.stdin.fileno()))
    return begun[0].decode("utf-8", errors="ignore")


def _constrained_windows(
    translator: "Translator", path: Path, size: int
) -> tuple[Iterable[Sequence["Text"]], int]:
    from lexalign.data.reader import read_lines
    from lexalign.decoding.stream import cut_windows
    from lexalign.glossary.constraint_files import parse_constraints

    sentences = parse_constraints(read_lines(path), name=str(path))
    translator.check((text for text, _ in sentences))
    return cut_windows(sentences, size), len(sentences)


def _windows(
    translator: "Translator", text: str | None, path: Path | None, size: int, begun: bytes
) -> tuple[Iterable[Sequence["Text"]], int | None]:
    """The lines to translate, and their number where it can be known."""
    from lexalign.cli.standard_input import read_windows
    from lexalign.data.reader import read_lines
    from lexalign.decoding.stream import cut_windows

    if text is not None:
        lines = text.split("\n")
        return [lines], translator.check(lines)
    if path is None:
        return read_windows(sys.stdin.fileno(), size, begun), None
    # What is not a file, such as a named pipe, can be read only once.
    total = translator.check(read_lines(path)) if path.is_file() else None
    return cut_windows(read_lines(path), size), total


def _write(
    job: _Job,
    windows: Iterable[Sequence["Text"]],
    total: int | None,
    output: Path | None,
    html: Path | None,
    watched: bool,
) -> None:
    """What is `watched` tells of unmet terms itself, and leaves no place for a bar."""
    from lexalign.cli.display.page import new_page
    from lexalign.cli.output import open_output
    from lexalign.cli.progress import TranslationProgress
    from lexalign.glossary import parse_terms

    unused = {entries[0].place: entries[0] for entries in map(parse_terms, job.terms)}
    found = job.translator.translate_windows(windows, job.options, glossary=job.matcher)
    with (
        new_page(html) as page,
        open_output(output, flush=total is None) as write,
        TranslationProgress(None if watched else total) as progress,
    ):
        for index, translation in enumerate(found):
            write(job.view(index, translation.source, translation))
            if page is not None:
                page.add(translation.source, translation)
            progress.translated(translation)
            for term in translation.terms:
                if not term.met and not watched:
                    progress.unmet(term)
                for entry in term.match.entries if term.match else ():
                    unused.pop(entry.place, None)
    for entry in unused.values():
        warn(f'{entry.place}: "{entry.source}" was not found')
