"""Translation of segments: they are split into sentences, translated, joined, and get their tags."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lexalign.contracts.alignment import Span, SpanLink, TextAlignment
from lexalign.markup.documents.document import Segment
from lexalign.markup.evidence import UNLINKED_WEIGHT
from lexalign.markup.protection import find_untranslatables
from lexalign.markup.tagged_text import TaggedText
from lexalign.markup.transfer import transfer_by_position, transfer_tags
from lexalign.markup.units import units_of
from lexalign.text.sentences import keep_together, replace_sentences, sentence_spans, split_to_fit
from lexalign.text.span_set import SpanSet

_LINE = re.compile(r"\S(?:.*\S)?")
# Tags times characters. Transfer by position is fast for all texts; one with so many tags is hardly prose.
_MAX_WORK = 5_000_000


class SentenceTranslator(Protocol):
    """What this package needs of a translator."""

    def fits(self, sentence: str) -> bool:
        """Whether a sentence is short enough to be translated as a whole."""

    def translate(self, sentences: Iterable[str]) -> Iterator[TextAlignment]:
        """Translations in order, with links between characters."""


Sentences = Mapping[str, TextAlignment]  # by their text


@dataclass(frozen=True, kw_only=True)
class PlacedSentence:
    """A sentence and its translation, and where both begin in their segment."""

    aligned: TextAlignment
    source_start: int
    target_start: int


@dataclass(frozen=True, kw_only=True)
class SegmentTranslation:
    """A translated segment; one that was taken as a whole has no sentences."""

    text: TaggedText
    sentences: tuple[PlacedSentence, ...] = ()


def sentences_of(segment: Segment, fits: Callable[[str], bool], *, split: bool = True) -> list[Span]:
    """The spans of the sentences, which are translated one by one; without `split`, those of the lines."""
    text = segment.text.text
    breaks = [edge for tag in segment.text.tags if tag.breaks for edge in tag.span]
    kept = SpanSet((edge, edge + 1) for edge in breaks)
    together = [one.span for one in find_untranslatables(text) if not kept.overlap((one.start + 1, one.end))]
    pieces = sentence_spans(text, breaks) if split else [line.span() for line in _LINE.finditer(text)]
    spans = keep_together(pieces, together)
    parts = [part for span in spans for part in split_to_fit(text, span, fits)]
    return keep_together(parts, together)


def needs_links(segment: Segment, span: Span) -> bool:
    """Whether a tag begins or ends inside of a sentence; one around all of it needs no links."""
    return any(span[0] < edge < span[1] for tag in segment.text.tags for edge in tag.span)


def needs_translation(sentence: str) -> bool:
    """Whether a sentence has a letter; one of numbers and punctuation only is copied."""
    return any(character.isalpha() for character in sentence)


def translate_segment(segment: Segment, spans: Sequence[Span], sentences: Sentences) -> SegmentTranslation:
    """The translation of a segment from those of its sentences; white space between them stays."""
    source = segment.text.text
    aligned = [_aligned(source[start:end], sentences) for start, end in spans]
    target, starts = replace_sentences(source, spans, [one.target for one in aligned])
    placed = tuple(
        PlacedSentence(aligned=one, source_start=span[0], target_start=start)
        for one, span, start in zip(aligned, spans, starts, strict=True)
    )
    return SegmentTranslation(text=_with_tags(segment.text, target, placed), sentences=placed)


def _with_tags(source: TaggedText, target: str, placed: Sequence[PlacedSentence]) -> TaggedText:
    if len(source.tags) * len(target) > _MAX_WORK:
        return transfer_by_position(source, target)
    cuts = [(one.source_start, one.target_start) for one in placed]
    links = [link for one in placed for link in _links(one)] if source.tags else []
    mutual = all(one.aligned.mutual for one in placed if one.aligned.links)
    whole = _whole(source, target)
    return _with_breaks(source, transfer_tags(source, target, links, cuts, mutual=mutual, whole=whole), cuts)


def _whole(source: TaggedText, target: str) -> list[Span]:
    """The untranslatables of the translation that no tag cuts in the source."""
    if not source.tags:
        return []
    edges = SpanSet((edge, edge + 1) for tag in source.tags for edge in tag.span)
    kept = {
        source.text[slice(*one.span)]
        for one in find_untranslatables(source.text)
        if not edges.overlap((one.start + 1, one.end))
    }
    return [one.span for one in find_untranslatables(target) if target[slice(*one.span)] in kept]


def _with_breaks(
    source: TaggedText, translation: TaggedText, places: Sequence[tuple[int, int]]
) -> TaggedText:
    """Line breaks and their like between the same sentences as in the source, wherever marks have gone."""
    moved = list(translation.tags)
    counts = Counter(edge for tag in source.tags for edge in {tag.start, tag.end})
    for index, tag in enumerate(source.tags):
        after = next((place for place in places if place[0] >= tag.start), None) if tag.breaks else None
        # Where other tags stand beside it, their order counts.
        if after and tag.kind == "empty" and tag.parent is None and counts[tag.start] == 1:
            position = after[1] - (after[0] - tag.start)
            if not any(one.start < position < one.end for one in moved):
                moved[index] = replace(moved[index], start=position, end=position)
    return TaggedText(translation.text, tuple(moved))


def _aligned(sentence: str, sentences: Sentences) -> TextAlignment:
    copied = TextAlignment(source=sentence, target=sentence, links=())
    return sentences[sentence] if needs_translation(sentence) else copied


def _links(placed: PlacedSentence) -> Iterator[SpanLink]:
    """The links of a sentence, with offsets in its segment; only tags need them."""
    aligned, start, length = placed.aligned, placed.source_start, placed.target_start
    copied = not needs_translation(aligned.source)
    links = _copied(aligned.source).links if copied else aligned.links
    yield from (link.shifted(start, length) for link in links)
    # Every word of a sentence is aligned to its sentence, even without a link.
    source, target = (start, start + len(aligned.source)), (length, length + len(aligned.target))
    yield SpanLink(source, target, UNLINKED_WEIGHT)


def _copied(sentence: str) -> TextAlignment:
    links = tuple(SpanLink(unit, unit, 1.0) for unit in units_of(sentence))
    return TextAlignment(source=sentence, target=sentence, links=links)
