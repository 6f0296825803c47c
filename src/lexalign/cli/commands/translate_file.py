"""`lexalign translate-file`."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.messages import warn
from lexalign.cli.options.alignment import Layer, Method, attention_place, note_missing_head
from lexalign.cli.options.computation import Device, Int8, SharedScales, Workers, precision_of
from lexalign.cli.options.model_choice import (
    ModelFolder,
    SourceLanguage,
    TargetLanguage,
    choose_model,
    sample_of_lines,
)
from lexalign.cli.options.search import Beam, KeepPatterns, Policy, Protect, UseShortlist
from lexalign.cli.options.term_matching import (
    Compounds,
    Forms,
    GlossaryFiles,
    SourceForms,
    Terms,
    make_matcher,
)
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.glossary import Matcher
    from lexalign.markup import Document, DocumentOptions, DocumentTranslation
    from lexalign.markup.journal import Journal
    from lexalign.models.projection import Precision
    from lexalign.translator import TranslateOptions, Translation, Translator

FormatName = Literal["text", "html", "xliff1", "xliff2", "po", "tmx"]


def translate_file(
    source: Annotated[Path, typer.Argument(metavar="INPUT", help="Document to translate.")],
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="Translated document to write.")],
    model: ModelFolder = None,
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    glossary: GlossaryFiles = None,
    term: Terms = None,
    source_forms: SourceForms = None,
    forms: Forms = True,
    compounds: Compounds = True,
    format_name: Annotated[
        FormatName | None,
        typer.Option("--format", help="Format of the document; by default that of its suffix."),
    ] = None,
    retranslate: Annotated[
        bool, typer.Option("--retranslate", help="Also translate segments that already have a translation.")
    ] = False,
    protect: Protect = True,
    shortlist: UseShortlist = True,
    keep_pattern: KeepPatterns = None,
    policy: Policy = "guided",
    aligner: Method = "auto",
    layer: Layer = None,
    beam: Beam = 5,
    device: Device = "auto",
    int8: Int8 = None,
    shared_scales: SharedScales = False,
    workers: Workers = None,
) -> None:
    """Translate a document: plain text, HTML, XLIFF 1.2 and 2.x, PO or TMX.

    Inline tags enclose the translations of the words that they enclosed in the source; everything else that
    is not text stays unchanged. The output is written when all is translated, or not at all. A run that was
    stopped resumes when the same command is given again.

    --to is also the language that the translated document names, such as en or en-GB; --from chooses the
    source language of a TMX.

    Example: lexalign translate-file page.html page.en.html --model run/model --to en --glossary terms.csv
    """
    from lexalign.markup import DocumentOptions
    from lexalign.text.languages import public_name
    from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
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
        lambda: sample_of_lines(segment.text.text for segment in document.segments),
    )
    matcher = make_matcher(
        glossary or (), term or (), (chosen.source, chosen.target), source_forms, forms, compounds
    )
    options = TranslateOptions(
        beam=beam,
        workers=workers,
        constraints=ConstraintOptions(policy=policy, method=aligner, attention=attention_place(layer)),
        align=aligner if has_tags else None,
        sentences=False,  # a document splits its text itself, by its structure
        protect=protect,
        shortlist=shortlist,
        patterns=tuple(keep_pattern or ()),
    )
    if matcher is not None or has_tags:
        note_missing_head(chosen.folder, aligner, (chosen.source, chosen.target))
    keep_freed_memory()
    translator = Translator.load(
        chosen.folder, device=device, precision=precision, languages=chosen.languages
    )
    if options.align is not None:
        translator.prepare_aligners(aligner, options.constraints.attention)  # which may save what it finds
    signature = f"{_signature(chosen.folder, options, device, precision, matcher)}, {chosen.languages}"
    _translate(document, translator, options, matcher, output, signature)


def _checked_output(source: Path, output: Path) -> Path:
    resolved = output.resolve()  # a symbolic link is kept, and its target replaced
    if resolved == source.resolve():
        raise LexalignError(f"{output} is the input; give another output")
    if resolved.exists() and not resolved.is_file():
        raise LexalignError(f"{output} is not a file; give a file as the output")
    return resolved


def _read(path: Path, format_name: FormatName | None, options: "DocumentOptions") -> "Document":
    from lexalign.markup import guess_format, read_document

    content = path.read_bytes()
    try:
        return read_document(content, format_name or guess_format(path, content), options)
    except LexalignError as error:
        place = "" if str(error).startswith(str(path)) else f"{path}: "
        raise LexalignError(f"{place}{error}") from None


def _signature(
    model: Path,
    options: "TranslateOptions",
    device: str,
    precision: "Precision | None",
    matcher: "Matcher | None",
) -> str:
    """Everything that a translation depends on; a journal with another signature is not resumed."""
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
    signature: str,
) -> None:
    from lexalign.cli.output.progress import TranslationProgress
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
    with Journal.beside(output, signature) as journal, _resumable(work, journal):
        for aligned in journal.finished:
            work.add(aligned)
        with TranslationProgress(len(work.missing)) as progress:
            # Windows are small and of similar lengths, so that little is lost when a run is stopped.
            for aligned in sentences.translate(sorted(work.missing, key=len, reverse=True)):
                work.add(aligned)
                journal.add(aligned)
        with new_file(output) as temporary:
            temporary.write_bytes(work.write())
        journal.remove()


@contextmanager
def _resumable(work: "DocumentTranslation", journal: "Journal") -> Iterator[None]:
    """Ctrl-C reports what is kept; a failure before the first sentence leaves no journal behind."""
    try:
        yield
    except KeyboardInterrupt:
        if done := len(work.sentences) - len(work.missing):
            warn(
                f"{done} of {len(work.sentences)} sentences are kept; run the same command again to continue"
            )
        raise
    finally:
        if len(work.missing) == len(work.sentences):
            journal.remove()
