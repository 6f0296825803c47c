"""`lexalign translate`."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.groups import names_below
from lexalign.cli.loaded_models import load_translator
from lexalign.cli.messages import warn
from lexalign.cli.options.alignment import Layer, Method, attention_place, note_missing_head
from lexalign.cli.options.computation import Device, Int8, SharedScales, Workers, precision_of
from lexalign.cli.options.model_choice import ModelFolder, SourceLanguage, TargetLanguage, choose_model
from lexalign.cli.options.report import ReportedLines, ReportFile, Strict, check_report, finish_report
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
from lexalign.cli.options.sections import RESULTS, SEARCH, TERMS
from lexalign.cli.options.term_matching import (
    Compounds,
    Forms,
    GlossaryFiles,
    SourceForms,
    Terms,
    make_matcher,
)
from lexalign.cli.options.translation_input import TranslationInput
from lexalign.cli.output.translation.views import View, choose_view, is_watched
from lexalign.contracts.errors import LexalignError
from lexalign.text.longer_words import longer_word

if TYPE_CHECKING:
    from lexalign.translator import TermResult, Translation


def translate(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="The text; each of its lines is translated.",
            autocompletion=names_below("file", "corpus"),
        ),
    ] = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    model: ModelFolder = None,
    input_file: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="Input file, plain or compressed (.gz, .bz2, .xz)."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file; written only once everything is translated.",
        ),
    ] = None,
    beam: Beam = 5,
    n_best: Annotated[
        int,
        typer.Option(
            help="Number of translations of each line; more than one are written as "
            "'line ||| text ||| score', with lines counted from 0.",
            rich_help_panel=SEARCH,
        ),
    ] = 1,
    max_length: MaxLength = 512,
    length_penalty: LengthPenalty = 1.0,
    batch_tokens: BatchTokens = None,
    device: Device = "auto",
    int8: Int8 = None,
    shared_scales: SharedScales = False,
    workers: Workers = None,
    json_lines: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Write a JSON object for each line, with scores and tokens.",
            rich_help_panel=RESULTS,
        ),
    ] = False,
    glossary: GlossaryFiles = None,
    term: Terms = None,
    source_forms: SourceForms = None,
    forms: Forms = True,
    compounds: Compounds = True,
    constraints: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File of sentences with their constraints; see above.", rich_help_panel=TERMS
        ),
    ] = None,
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
        bool,
        typer.Option(help="With --json, also write the alignment of every token.", rich_help_panel=RESULTS),
    ] = False,
    show_alignment: Annotated[
        bool,
        typer.Option(
            "--show-alignment", help="Show the word alignment below each line.", rich_help_panel=RESULTS
        ),
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Also write a page that shows alignments and terms.", rich_help_panel=RESULTS
        ),
    ] = None,
    report: ReportFile = None,
    strict: Strict = False,
) -> None:
    """Translate a text, a file, or standard input if neither is given.

    Each line of input gives one line of output, however many sentences it has; an empty line stays empty.
    Placeholders, addresses, code and symbols are kept, and a warning names missing numbers. Lines of standard
    input are translated as they arrive. A file is checked as a whole before its first line is translated.

    A --constraints file contains the sentences, each with its constraints, as JSON lines
    {"text": "Das Gesetz gilt.", "constraints": [{"source": [4, 10], "target": "law"}]}, as Sockeye's JSON
    lines, or in fairseq's format, which separates constraints by tabs.

    Example: lexalign translate --from de --to en "Das Haus ist groß."

    Example: lexalign translate --term "Haus=building" --show-alignment "Das Haus ist groß."

    Example: lexalign translate --model run --input news.de --output news.en
    """
    given = TranslationInput(text, input_file, constraints)
    if align and not json_lines:
        raise LexalignError("--align needs --json")
    if show_alignment and (json_lines or n_best > 1):
        raise LexalignError("--show-alignment cannot be combined with --json or --n-best")
    check_report(report)
    precision = precision_of(int8, shared_scales)
    chosen = choose_model(model, source_language, target_language, given.sample)
    matcher = make_matcher(
        glossary or (), term or (), (chosen.source, chosen.target), source_forms, forms, compounds
    )
    watched = is_watched(output)
    # Terms are shown with their alignment only if the policy needs an aligner.
    shows_terms = matcher is not None and (watched or json_lines) and policy not in ("none", "vdba")
    with _without_garbage_collection():
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
                attention=attention_place(layer),
                threshold=threshold,
                temperature=temperature,
                free_tokens=free_tokens,
                ordered=ordered,
            ),
            align=aligner if align or show_alignment or html is not None or shows_terms else None,
            sentences=sentences,
            protect=protect,
            shortlist=shortlist,
            coverage=coverage,
            patterns=tuple(keep_pattern or ()),
        )
        meets_terms = matcher is not None or constraints is not None
        if options.align is not None or (meets_terms and policy not in ("none", "vdba")):
            note_missing_head(chosen.folder, aligner, (chosen.source, chosen.target))
        keep_freed_memory()
        translator = load_translator(chosen.folder, device, precision, chosen.languages)
    total = given.check(translator)
    view = choose_view(json_lines=json_lines, n_best=n_best, alignment=show_alignment, watched=watched)
    unused = _UnusedTerms(term or ())
    translations = unused.remove_used(given.translate(translator, options, matcher))
    reported = None
    # The table of terms that a watched output has says more than a line.
    if report is not None or strict or ((matcher is not None or constraints is not None) and not watched):
        reported = ReportedLines(given.name, options.patterns, keep=report is not None)
        translations = reported.add_all(translations)
    _write(translations, view, total, output, html, watched=watched and not json_lines and n_best == 1)
    unused.warn()
    if reported is not None:
        finish_report(reported.build(), report, strict=strict)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Modules and weights are loaded without collections, and are left out of all later ones.

    None of them is garbage, and searching them again and again takes a tenth of the time of importing torch.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class _UnusedTerms:
    """The terms of the command line that no translation has used."""

    def __init__(self, terms: Sequence[str]) -> None:
        from lexalign.glossary import parse_terms

        self._entries = {entries[0].place: entries[0] for entries in map(parse_terms, terms)}
        self._longer_words: dict[object, str] = {}  # by place, in which its source was seen

    def remove_used(self, translations: Iterable["Translation"]) -> Iterator["Translation"]:
        for translation in translations:
            for term in translation.terms:
                for entry in term.match.entries if term.match else ():
                    self._entries.pop(entry.place, None)
            for place, entry in self._entries.items():
                if place not in self._longer_words and (
                    word := longer_word(entry.source, translation.source)
                ):
                    self._longer_words[place] = word
            yield translation

    def warn(self) -> None:
        for entry in self._entries.values():
            inside = self._longer_words.get(entry.place)
            where = f'; it stands only inside "{inside}"' if inside else ""
            warn(f'{entry.place}: "{entry.source}" was not found{where}')


def _write(
    translations: Iterable["Translation"],
    view: View,
    total: int | None,
    output: Path | None,
    html: Path | None,
    watched: bool,
) -> None:
    """Where the output is `watched`, its table of terms takes the place of warnings and progress bar."""
    from lexalign.cli.output.line_writer import open_output
    from lexalign.cli.output.progress import TranslationProgress
    from lexalign.display.page import new_page

    with (
        new_page(html) as page,
        open_output(output, flush=total is None) as write,
        TranslationProgress(None if watched else total) as progress,
    ):
        for index, translation in enumerate(translations):
            write(view(index, translation.source, translation))
            if page is not None:
                page.add(translation.source, translation)
            progress.translated(translation)
            for term in () if watched else _unmet(translation):
                progress.unmet(term)


def _unmet(translation: "Translation") -> list["TermResult"]:
    return [term for term in translation.terms if not term.met]
