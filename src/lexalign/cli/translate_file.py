"""`lexalign translate-file`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.failures import warn
from lexalign.cli.model_choice import (
    Int8,
    ModelFolder,
    SharedScales,
    SourceLanguage,
    TargetLanguage,
    beginning,
    choose_model,
    precision_of,
)
from lexalign.cli.search_options import Beam, KeepPatterns, Method, Protect
from lexalign.cli.term_matching import GlossaryFiles, SourceForms, TargetForms, Terms, make_matcher
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.glossary import Matcher
    from lexalign.markup import Document, DocumentOptions, DocumentTranslation
    from lexalign.markup.journal import Journal
    from lexalign.models.projection import Precision
    from lexalign.text.subwords import Languages
    from lexalign.translator import TranslateOptions, Translation, Translator

FormatName = Literal["text", "html", "xliff1", "xliff2", "po", "tmx"]


def translate_file(
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="The document.")],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Where its translation goes.")],
    model: ModelFolder = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    glossary: GlossaryFiles = None,
    term: Terms = None,
    source_forms: SourceForms = None,
    target_forms: TargetForms = "follow",
    format_name: Annotated[
        FormatName | None, typer.Option("--format", help="By default what the input's name says.")
    ] = None,
    retranslate: Annotated[
        bool, typer.Option("--retranslate", help="Also translate what has a translation already.")
    ] = False,
    protect: Protect = True,
    keep_pattern: KeepPatterns = None,
    aligner: Method = "post-aln",
    beam: Beam = 5,
    device: Annotated[
        str, typer.Option(help="cpu, cuda, cuda:1; auto is a GPU where there is one.")
    ] = "auto",
    int8: Int8 = None,
    shared_scales: SharedScales = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes on a CPU; by default one for each core.")
    ] = None,
) -> None:
    """Translate a document: plain text, HTML, XLIFF 1.2 and 2.x, PO or TMX.

    Tags inside of a text are set around the words that translate those they enclosed. All that is not text
    stays as it is. The output is written when all is translated, or not at all; a run that was stopped goes
    on where it was when the same command is given again.

    --to is also the language that the document is to name, as en or en-GB; --from is the language of a TMX
    that is translated from.

    Example: lexalign translate-file page.html page.en.html --model run/model --to en --glossary terms.csv
    """
    from lexalign.markup import DocumentOptions
    from lexalign.text.languages import public_name
    from lexalign.translator import TranslateOptions
    from lexalign.translator.execution import keep_freed_memory

    output = _checked_output(source, output)
    precision = precision_of(int8, shared_scales)
    named = DocumentOptions(
        source_language=source_language and public_name(source_language),
        target_language=target_language and public_name(target_language),
        retranslate=retranslate,
    )
    document = _read(source, format_name, named)
    has_tags = any(segment.text.tags for segment in document.segments)
    chosen = choose_model(
        model,
        source_language,
        target_language,
        lambda: beginning(segment.text.text for segment in document.segments),
    )
    matcher = make_matcher(
        glossary or (), term or (), (chosen.source, chosen.target), source_forms, target_forms
    )
    options = TranslateOptions(
        beam=beam,
        workers=workers,
        align=aligner if has_tags else None,
        sentences=False,  # documents are split by what they know of their structure
        protect=protect,
        patterns=tuple(keep_pattern or ()),
    )
    keep_freed_memory()
    maker = f"{_maker(chosen.folder, options, device, precision, matcher)}, {chosen.languages}"
    translator = _load(chosen.folder, device, precision, chosen.languages)
    _translate(document, translator, options, matcher, output, maker)


def _checked_output(source: Path, output: Path) -> Path:
    resolved = output.resolve()  # a link stays one
    if resolved == source.resolve():
        raise LexalignError(f"{output} is the input; name another output")
    if resolved.exists() and not resolved.is_file():
        raise LexalignError(f"{output} is not a file; name one")
    return resolved


def _read(path: Path, format_name: FormatName | None, options: "DocumentOptions") -> "Document":
    from lexalign.markup import guess_format, read_document

    content = path.read_bytes()
    try:
        return read_document(content, format_name or guess_format(path, content), options)
    except LexalignError as error:
        place = "" if str(error).startswith(str(path)) else f"{path}: "
        raise LexalignError(f"{place}{error}") from None


def _load(
    model: Path, device: str, precision: "Precision | None", languages: "Languages | None"
) -> "Translator":
    from lexalign.translator import Translator

    return Translator.load(model, device=device, precision=precision, languages=languages)


def _maker(
    model: Path,
    options: "TranslateOptions",
    device: str,
    precision: "Precision | None",
    matcher: "Matcher | None",
) -> str:
    """All that a translation depends on."""
    from lexalign import __version__

    terms = matcher and (matcher.glossary, matcher.options, matcher.source_language, matcher.target_language)
    files = sorted((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in model.rglob("*"))
    return f"lexalign {__version__}, {model.resolve()} {files}, {options}, {device}, {precision}, {terms}"


def _translate(
    document: "Document",
    translator: "Translator",
    options: "TranslateOptions",
    matcher: "Matcher | None",
    output: Path,
    maker: str,
) -> None:
    from lexalign.cli.progress import TranslationProgress
    from lexalign.markup import DocumentTranslation
    from lexalign.markup.journal import Journal
    from lexalign.storage import new_file
    from lexalign.translator import AlignedSentences

    def notice(translation: "Translation") -> None:
        sentence = translation.source
        progress.translated()
        for warning in translation.warnings:
            warn(f"{warning}: {sentence[:60]!r}")
        for term in translation.terms:
            if not term.met:
                targets = " | ".join(term.constraint.targets)
                warn(f"{targets!r} is not met ({term.reason}) in the translation of {sentence[:60]!r}")

    options = replace(options, window=max(1, translator.batching_defaults(options).window // 8))
    sentences = AlignedSentences(translator=translator, options=options, glossary=matcher, notice=notice)
    work = DocumentTranslation(document, sentences.fits)
    with Journal.beside(output, maker) as journal, _resumable(work, journal):
        for aligned in journal.finished:
            work.add(aligned)
        with TranslationProgress(len(work.missing)) as progress:
            # In windows that are small but of like lengths, so that little is lost when a run is stopped.
            for aligned in sentences.translate(sorted(work.missing, key=len, reverse=True)):
                work.add(aligned)
                journal.add(aligned)
        with new_file(output) as temporary:
            temporary.write_bytes(work.write())
        journal.remove()


@contextmanager
def _resumable(work: "DocumentTranslation", journal: "Journal") -> Iterator[None]:
    """A person who stops a run is told that nothing is lost; a failure without progress leaves nothing."""
    try:
        yield
    except KeyboardInterrupt:
        if done := len(work.sentences) - len(work.missing):
            warn(f"{done} of {len(work.sentences)} sentences are kept; the same command goes on from there")
        raise
    finally:
        if len(work.missing) == len(work.sentences):
            journal.remove()
