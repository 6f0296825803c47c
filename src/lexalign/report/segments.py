"""Translations as reports: of a text, and of a document's segment that is put together from sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexalign.contracts.hypothesis import REASONS
from lexalign.glossary import Matcher
from lexalign.markup import TaggedText
from lexalign.markup.protection import (
    Untranslatable,
    find_untranslatables,
    missing_numbers,
    missing_untranslatables,
)
from lexalign.markup.protection.patterns import NO_PATTERNS, Patterns
from lexalign.report.values import Alternative, Finding, Origin, SegmentReport, TermReport
from lexalign.translator.translation import TermResult, Translation
from lexalign.translator.writing import look_for


@dataclass(frozen=True, kw_only=True)
class SentenceReport:
    """What a translator says of its translation."""

    terms: tuple[TermReport, ...] = ()
    findings: tuple[Finding, ...] = ()

    def shifted(self, source: int, target: int) -> "SentenceReport":
        """The same in texts in which both sides begin so many characters later."""
        return SentenceReport(
            terms=tuple(term.shifted(source, target) for term in self.terms),
            findings=tuple(one.shifted(source) for one in self.findings),
        )


def report_sentence(translation: Translation) -> SentenceReport:
    return SentenceReport(
        terms=tuple(_term(term, translation) for term in translation.terms),
        findings=tuple(_findings(translation)),
    )


def report_given(source: str, target: str, matcher: Matcher | None) -> SentenceReport:
    """The report of a translation that is not the translator's: which of the glossary's terms it has."""
    matches = matcher.match(source) if matcher else ()
    terms = tuple(look_for(match.constraint, match, target) for match in matches)
    return report_sentence(Translation(source=source, text=target, terms=terms))


def report_text(
    number: int, where: str, translation: Translation, patterns: Patterns = NO_PATTERNS
) -> SegmentReport:
    """The report of a text without tags."""
    texts = TaggedText(translation.source), TaggedText(translation.text)
    return report_segment(number, where, *texts, [report_sentence(translation)], patterns=patterns)


def report_segment(
    number: int,
    where: str,
    source: TaggedText,
    target: TaggedText,
    sentences: Sequence[SentenceReport],
    *,
    origin: Origin = "translated",
    alternatives: Sequence[Alternative] = (),
    patterns: Patterns = NO_PATTERNS,
) -> SegmentReport:
    """`sentences` have offsets in the segment; numbers, placeholders and tags are checked in the whole."""
    kept = find_untranslatables(source.text, patterns)
    spans = [one.span for one in kept]
    return SegmentReport(
        number=number,
        where=where,
        source=source.text,
        target=target.text,
        origin=origin,
        terms=tuple(term for one in sentences for term in one.terms),
        findings=(
            *(finding for one in sentences for finding in one.findings),
            *(
                _missing_number(source.text, span)
                for span in missing_numbers(source.text, target.text, spans)
            ),
            *_missing_placeholders(kept, source.text, target.text),
            *check_tags(source, target),
        ),
        alternatives=tuple(alternatives),
        num_numbers=_num_numbers(source.text, spans),
        num_placeholders=len(kept),
        num_tags=len(source.tags),
    )


def check_tags(source: TaggedText, target: TaggedText) -> Iterator[Finding]:
    """Every tag must be there once, with the same parent, and enclose text if it did."""
    before, after = ([(tag.opening, tag.kind, tag.parent) for tag in one.tags] for one in (source, target))
    if before != after:
        yield Finding(kind="tag", message="its tags are not those of the source")
        return
    for one, other in zip(source.tags, target.tags, strict=True):
        if source.text[one.start : one.end].strip() and not target.text[other.start : other.end].strip():
            yield Finding(kind="tag", message=f"{one.opening} encloses nothing", failure=False)


def _num_numbers(source: str, skipped: Sequence[tuple[int, int]]) -> int:
    return len(missing_numbers(source, "", skipped))


def _missing_number(source: str, span: tuple[int, int]) -> Finding:
    text = source[slice(*span)]
    what = "number" if text.isdigit() else "sign"
    return Finding(kind="number", message=f"the {what} {text} is missing", source_span=span)


def _missing_placeholders(kept: Sequence[Untranslatable], source: str, target: str) -> Iterator[Finding]:
    missing = missing_untranslatables(kept, source, target)
    for text in dict.fromkeys(source[slice(*one.span)] for one in missing):
        found, wanted = target.count(text), sum(source[slice(*one.span)] == text for one in kept)
        message = f"{text} is missing" if not found else f"{text} is there {found} times, not {wanted}"
        yield Finding(kind="placeholder", message=message)


def _findings(translation: Translation) -> Iterator[Finding]:
    if not translation.complete:
        yield Finding(kind="length", message="the translation was cut off at the length limit")
    for span in translation.lost_spans:
        message = f"nothing seems to come from “{translation.source[slice(*span)]}”"
        yield Finding(kind="omission", message=message, source_span=span)
    if translation.note:
        yield Finding(kind="language", message=f"{translation.note}, and left as it is", failure=False)
    for one in translation.protected:
        if one.placement == "position":
            message = f"{one.text} is set by its position alone"
            yield Finding(kind="placeholder", message=message, failure=False, source_span=one.source)


def _reason(term: TermResult) -> str:
    reason = REASONS[term.reason] if term.reason else "it is not in the translation"
    return reason.replace("a longer word", term.part_of) if term.part_of else reason


def _term(term: TermResult, translation: Translation) -> TermReport:
    constraint, match = term.constraint, term.match
    words = match.text if match else ""
    if not match and constraint.source is not None:
        words = translation.source[slice(*constraint.source)]
    entries = match.entries if match else ()
    listed = tuple(dict.fromkeys(target for entry in entries for target in entry.targets))
    return TermReport(
        source=words,
        term=match.entry.source if match else words,
        targets=listed or constraint.targets,
        kind=constraint.kind,
        met=term.met,
        form="" if term.target is None else translation.text[slice(*term.target)],
        part_of=term.part_of,
        reason=None if term.met else _reason(term),
        source_span=constraint.source,
        target_span=term.target,
        probability=term.probability,
        ambiguous=len({entry.targets for entry in entries}) > 1,
        place=str(match.entry.place) if match and match.entry.place else None,
    )
