"""A document's job: what the memory has, what the translator makes of the rest, and the report on both."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace

from lexalign.contracts.alignment import TextAlignment
from lexalign.documents.memory_use import MemoryUse
from lexalign.glossary import Matcher
from lexalign.markup import Document, DocumentTranslation, TaggedText
from lexalign.markup.journal import Journal
from lexalign.markup.protection.patterns import NO_PATTERNS, Patterns
from lexalign.markup.segments import PlacedSentence, SegmentTranslation, needs_translation
from lexalign.memory import MatchOptions, MemoryUnit
from lexalign.report import (
    FileReport,
    FileReportBuilder,
    Finding,
    SegmentReport,
    SentenceReport,
    report_given,
    report_segment,
    report_sentence,
)
from lexalign.report.consistency import inconsistent_names, name_candidates
from lexalign.report.formats.json_object import sentence_from_json
from lexalign.report.values import Inconsistency
from lexalign.translator import AlignedSentences, Translation
from lexalign.translator.constraints import matcher_of


@dataclass(frozen=True, kw_only=True)
class FinishedDocument:
    translations: tuple[TaggedText, ...]
    report: FileReport
    segments: tuple[SegmentReport, ...]  # of all segments, in their order
    new_pairs: tuple[tuple[TaggedText, TaggedText], ...]  # that no memory had


@dataclass(kw_only=True)
class DocumentJob:
    """Sentences are kept in a journal as they are translated."""

    name: str
    document: Document
    sentences: AlignedSentences
    patterns: Patterns = NO_PATTERNS
    work: DocumentTranslation = field(init=False)
    memory: MemoryUse = field(init=False, default_factory=MemoryUse)
    _reports: dict[str, SentenceReport] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.work = DocumentTranslation(self.document, self.sentences.fits)

    @property
    def _matcher(self) -> Matcher | None:
        return matcher_of(self.sentences.glossary, self.sentences.translator.languages)

    def use_memory(self, units: Iterable[MemoryUnit], options: MatchOptions) -> None:
        segments = self.document.segments
        self.memory = MemoryUse.find(segments, self.work.sentences, units, options)
        self.memory.take(segments, self.work, self.sentences.align)

    def resume(self, journal: Journal) -> None:
        """Take over the sentences of an earlier run."""
        for aligned, details in journal.finished:
            self.work.add(aligned)
            self._reports[aligned.source] = sentence_from_json(details)

    def translate(self, journal: Journal, notice: Callable[[Translation], None]) -> None:
        """Translate the sentences that are missing; `notice` sees every translation."""

        def note(translation: Translation) -> None:
            self._reports[translation.source] = report_sentence(translation)
            notice(translation)

        sentences = replace(self.sentences, notice=note, linked=self.work.tagged_sentences)
        for aligned in sentences.translate(sorted(self.work.missing, key=len, reverse=True)):
            self.work.add(aligned)
            journal.add(aligned, asdict(self._reports[aligned.source]))

    def add(self, translation: Translation, aligned: TextAlignment) -> None:
        """Take a sentence that was translated elsewhere."""
        self._reports[translation.source] = report_sentence(translation)
        self.work.add(aligned)

    def finish(self, is_name_known: Callable[[str], bool] | None = None) -> FinishedDocument:
        """Put everything together; names are checked where a dictionary can say which words are none."""
        translated = self.work.translated()
        builder = FileReportBuilder(self.name)
        reports = [self._report(index, one) for index, one in enumerate(translated)]
        for report in reports:
            builder.add(report)
        names = self._inconsistent_names(translated, is_name_known) if is_name_known else []
        pairs = zip(self.document.segments, translated, reports, strict=True)
        return FinishedDocument(
            translations=tuple(one.text for one in translated),
            report=builder.build(names),
            segments=tuple(reports),
            new_pairs=tuple(
                (segment.text, one.text)
                for segment, one, report in pairs
                if report.origin == "translated" and needs_translation(segment.text.text)
            ),
        )

    def _report(self, index: int, translated: SegmentTranslation) -> SegmentReport:
        segment = self.document.segments[index]
        placed = [one for one in translated.sentences if needs_translation(one.aligned.source)]
        num_remembered = sum(one.aligned.source in self.memory.sentences for one in placed)
        from_memory = index in self.memory.taken or (placed != [] and num_remembered == len(placed))
        parts = [self._shifted(one) for one in placed]
        if index in self.memory.taken:
            parts.append(report_given(segment.text.text, translated.text.text, self._matcher))
        if 0 < num_remembered < len(placed):
            message = f"{num_remembered} of {len(placed)} sentences from memory"
            parts.append(SentenceReport(findings=(Finding(kind="memory", message=message, failure=False),)))
        return report_segment(
            index + 1,
            segment.where,
            segment.text,
            translated.text,
            parts,
            origin="memory" if from_memory else "translated",
            alternatives=self.memory.alternatives(index, segment.text, translated.text),
            patterns=self.patterns,
        )

    def _shifted(self, placed: PlacedSentence) -> SentenceReport:
        aligned = placed.aligned
        report = self._reports.get(aligned.source, SentenceReport())
        if aligned.source in self.memory.sentences:
            report = report_given(aligned.source, aligned.target, self._matcher)
        return report.shifted(placed.source_start, placed.target_start)

    def _inconsistent_names(
        self, translated: Sequence[SegmentTranslation], is_known: Callable[[str], bool]
    ) -> list[Inconsistency]:
        numbered = [
            (number, placed.aligned)
            for number, one in enumerate(translated, start=1)
            for placed in one.sentences
            if name_candidates(placed.aligned.source, is_known)
        ]
        return inconsistent_names(self._linked(numbered), is_known)

    def _linked(self, numbered: Sequence[tuple[int, TextAlignment]]) -> Iterator[tuple[int, TextAlignment]]:
        """Sentences with links, which those of a document without tags lack."""
        lacking = {one.source: one for _, one in numbered if not one.links}
        found = {
            one.source: one
            for one in self.sentences.align([(one.source, one.target) for one in lacking.values()])
        }
        return ((number, found.get(one.source, one)) for number, one in numbered)
