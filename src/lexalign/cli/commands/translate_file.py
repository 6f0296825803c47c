"""`lexalign translate-file`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lexalign.cli.messages import warn
from lexalign.cli.options.alignment import Layer, Method, attention_place, note_missing_head
from lexalign.cli.options.computation import Device, Int8, SharedScales, Workers, precision_of
from lexalign.cli.options.documents import (
    Columns,
    IgnoreTags,
    LineLength,
    NonSplittingTags,
    OutlineDetection,
    SplittingTags,
    tag_options,
)
from lexalign.cli.options.memory import (
    MemoryFiles,
    MemorySimilarity,
    WriteMemory,
    check_memories,
    known_languages,
    read_units,
)
from lexalign.cli.options.model_choice import (
    ChosenModel,
    ModelFolder,
    SourceLanguage,
    TargetLanguage,
    choose_model,
    sample_of_lines,
)
from lexalign.cli.options.report import ReportFile, Strict, check_report, finish_report
from lexalign.cli.options.reverse_model import ReverseModel, choose_reverse, load_mutual_aligner
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
    Temperature,
    Threshold,
    UseShortlist,
)
from lexalign.cli.options.sections import DOCUMENT
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
    from lexalign.documents.job import DocumentJob
    from lexalign.glossary import Matcher
    from lexalign.markup import Document, DocumentOptions, DocumentTranslation
    from lexalign.markup.journal import Journal
    from lexalign.models.projection import Precision
    from lexalign.translator import AlignedSentences, TranslateOptions, Translation

FormatName = Literal[
    "text", "markdown", "html", "xml", "xliff1", "xliff2", "tmx", "po", "json", "yaml", "properties",
    "android", "strings", "xcstrings", "fluent", "srt", "vtt", "docx", "pptx", "csv", "tsv",
]  # fmt: skip


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
        typer.Option(
            "--format",
            help="Format of the document; by default that of its suffix.",
            rich_help_panel=DOCUMENT,
        ),
    ] = None,
    retranslate: Annotated[
        bool,
        typer.Option(
            "--retranslate",
            help="Also translate segments that already have a translation.",
            rich_help_panel=DOCUMENT,
        ),
    ] = False,
    policy: Policy = "guided",
    aligner: Method = "auto",
    layer: Layer = None,
    threshold: Threshold = None,
    temperature: Temperature = 2.0,
    free_tokens: FreeTokens = "joint",
    ordered: Ordered = False,
    reverse_model: ReverseModel = None,
    columns: Columns = None,
    splitting_tags: SplittingTags = None,
    non_splitting_tags: NonSplittingTags = None,
    ignore_tags: IgnoreTags = None,
    outline_detection: OutlineDetection = True,
    line_length: LineLength = None,
    protect: Protect = True,
    shortlist: UseShortlist = True,
    coverage: Coverage = True,
    keep_pattern: KeepPatterns = None,
    memory: MemoryFiles = None,
    memory_similarity: MemorySimilarity = 75,
    write_memory: WriteMemory = None,
    report: ReportFile = None,
    strict: Strict = False,
    max_length: MaxLength = 512,
    length_penalty: LengthPenalty = 1.0,
    batch_tokens: BatchTokens = None,
    beam: Beam = 5,
    device: Device = "auto",
    int8: Int8 = None,
    shared_scales: SharedScales = False,
    workers: Workers = None,
) -> None:
    """Translate a document: text, Markdown, HTML, XML, XLIFF, TMX, catalogues, subtitles, Office, tables.

    Inline tags enclose the translations of the words that they enclosed in the source; everything else that
    is not text stays unchanged. The output is written only once everything is translated. A run that was
    stopped resumes when you give the same command again.

    --to is also the language that the translated document names, such as en or en-GB; --from chooses the
    source language of a TMX.

    Example: lexalign translate file page.html page.en.html --glossary terms.csv --report report.html

    Example: lexalign translate file report.docx report.en.docx --model run --from de --to en
    """
    from lexalign.documents.job import DocumentJob
    from lexalign.documents.xliff_notes import annotate_xliff
    from lexalign.markup import DocumentOptions, too_long
    from lexalign.markup.journal import Journal
    from lexalign.markup.protection.patterns import Patterns
    from lexalign.memory import MatchOptions
    from lexalign.memory import write_memory as write_units
    from lexalign.report import Report
    from lexalign.storage import new_file
    from lexalign.text.languages import public_name
    from lexalign.translator import ConstraintOptions, TranslateOptions

    output = _checked_output(source, output)
    check_report(report)
    check_memories(memory or (), write_memory)
    precision = precision_of(int8, shared_scales)
    named = DocumentOptions(
        source_language=source_language and public_name(source_language),
        target_language=target_language and public_name(target_language),
        retranslate=retranslate,
        columns=tuple(columns or ()),
        tags=tag_options(splitting_tags, non_splitting_tags, ignore_tags, outline_detection),
        line_length=line_length,
    )
    content, found_format, document = _read(source, format_name, named)
    _warn_about_suffix(source, output, found_format)
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
        sentences=False,  # a document splits its text itself, by its structure
        protect=protect,
        shortlist=shortlist,
        coverage=coverage,
        patterns=tuple(keep_pattern or ()),
    )
    if matcher is not None or _has_tags(document):
        note_missing_head(chosen.folder, aligner, (chosen.source, chosen.target))
    sentences = replace(_load(document, chosen, options, reverse_model, device, precision), glossary=matcher)
    signature = f"{_signature(chosen.folder, sentences, device, precision, matcher)}, {chosen.languages}"
    job = DocumentJob(
        name=str(source), document=document, sentences=sentences, patterns=Patterns(options.patterns)
    )
    if memory:
        units = read_units(memory, known_languages(chosen.source, chosen.target))
        job.use_memory(units, MatchOptions(similarity=memory_similarity))
    with Journal.beside(output, signature) as journal, _resumable(job.work, journal):
        _translate(job, journal)
        finished = job.finish(_known_words(chosen.source) if report is not None else None)
        for warning in too_long(document.segments, finished.translations):
            warn(warning)
        translated = document.write(finished.translations)
        if found_format in ("xliff1", "xliff2"):
            translated = annotate_xliff(found_format, content, translated, finished.segments)
        with new_file(output) as temporary:
            temporary.write_bytes(translated)
        journal.remove()
    if write_memory is not None:
        write_units(write_memory, finished.new_pairs, known_languages(chosen.source, chosen.target))
    finish_report(Report(files=(finished.report,)), report, strict=strict)


def _checked_output(source: Path, output: Path) -> Path:
    resolved = output.resolve()  # a symbolic link is kept, and its target replaced
    if resolved == source.resolve():
        raise LexalignError(f"{output} is the input; give another output")
    if resolved.exists() and not resolved.is_file():
        raise LexalignError(f"{output} is not a file; give a file as the output")
    return resolved


def _warn_about_suffix(source: Path, output: Path, format_name: FormatName) -> None:
    """A document is never converted, whatever the name of the output."""
    from lexalign.markup import suffixes_of

    usual = {"", source.suffix.lower(), *suffixes_of(format_name)}
    if format_name != "text" and output.suffix.lower() not in usual:
        warn(f"{output.name} is written in the format of {source.name}, which is {format_name}")


def _read(
    path: Path, format_name: FormatName | None, options: "DocumentOptions"
) -> tuple[bytes, FormatName, "Document"]:
    from lexalign.markup import check_size, guess_format, looks_like, read_document

    if path.is_dir():
        raise LexalignError(f"{path} is a folder; give one document")
    try:
        check_size(path.stat().st_size)
        content = path.read_bytes()
        found = format_name or guess_format(path, content)
        if found == "text" and (other := looks_like(content.decode("utf-8", "replace"))):
            warn(f"{path} is read as plain text, but looks like {other}; --format {other} keeps its markup")
        return content, found, read_document(content, found, options)
    except LexalignError as error:
        place = "" if str(error).startswith(str(path)) else f"{path}: "
        raise LexalignError(f"{place}{error}") from None


def _load(
    document: "Document",
    chosen: ChosenModel,
    options: "TranslateOptions",
    reverse_model: Path | None,
    device: str,
    precision: "Precision | None",
) -> "AlignedSentences":
    """The model, and for a document with tags the aligners of both directions, or that of one."""
    from lexalign.translator import AlignedSentences, Translator
    from lexalign.translator.execution import keep_freed_memory

    keep_freed_memory()
    translator = Translator.load(
        chosen.folder, device=device, precision=precision, languages=chosen.languages
    )
    # Windows are small and of similar lengths, so that little is lost when a run is stopped.
    options = replace(options, window=max(1, translator.batching_defaults(options).window // 8))
    method, place = options.constraints.method, options.constraints.attention
    if method == "auto":
        translator.prepare_aligners(method, place)  # which may save what it finds beside the model
    if not _has_tags(document):
        return AlignedSentences(translator=translator, options=options)
    mutual = load_mutual_aligner(translator, choose_reverse(chosen, reverse_model), method, place, device)
    if mutual is None:
        options = replace(options, align=method)
    return AlignedSentences(translator=translator, options=options, mutual=mutual)


def _has_tags(document: "Document") -> bool:
    return any(segment.text.tags for segment in document.segments)


def _signature(
    model: Path,
    sentences: "AlignedSentences",
    device: str,
    precision: "Precision | None",
    matcher: "Matcher | None",
) -> str:
    """Everything that a translation depends on; a journal with another signature is not resumed."""
    from lexalign import __version__

    terms = matcher and (matcher.glossary, matcher.options, matcher.source_language, matcher.target_language)
    files = sorted((file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in model.rglob("*"))
    links = sentences.mutual and sentences.mutual.signature
    made_by = f"lexalign {__version__}, {model.resolve()} {files}, {sentences.options}, {links}"
    return f"{made_by}, {device}, {precision}, {terms}"


def _translate(job: "DocumentJob", journal: "Journal") -> None:
    from lexalign.cli.output.progress import TranslationProgress

    def notice(translation: "Translation") -> None:
        sentence = translation.source
        progress.translated()
        for warning in translation.warnings:
            warn(f"{warning}: {sentence[:60]!r}")
        for term in translation.terms:
            if not term.met:
                targets = " | ".join(term.constraint.targets)
                warn(f"{targets!r} is not met ({term.reason}) in the translation of {sentence[:60]!r}")

    job.resume(journal)
    with TranslationProgress(len(job.work.missing)) as progress:
        job.translate(journal, notice)


def _known_words(language: str | None) -> "Callable[[str], bool] | None":
    """What tells names from other words: a dictionary of the source language, where there is one."""
    from lexalign.glossary.matching.lemmas import find_lemmas

    try:
        lemmas = find_lemmas(language) if language else None
    except LexalignError:
        return None
    return None if lemmas is None else lemmas.knows


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
        if journal.is_empty:
            journal.remove()
