"""Untranslatables, put back into a translation: each once, unchanged, and not glued to a word.

    translation   Hello X1, see X2.        links of its words to the masked source
    restored      Hello {name} 🎉, see <b>https://example.com</b>.

A stand-in that the model has copied is replaced. One that it has lost, and all that was taken out of the
text, is set where word alignment says that it belongs, or where it stood in the source if there are no links.
A stand-in that comes twice is kept where the alignment is surer, and taken out elsewhere.
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexalign.characters import UNSPACED, continues_word, is_unspaced
from lexalign.contracts.alignment import Span, SpanLink
from lexalign.markup.protection.masking import MaskedText, StandIn
from lexalign.markup.protection.spans import Placement, ProtectedSpan, Untranslatable
from lexalign.markup.tagged_text import Tag, TaggedText, TagWriter
from lexalign.markup.transfer import transfer_by_position, transfer_tags
from lexalign.text.stretches import Stretches

# A stand-in as a model may write it: doubled, or with an ending, which its original has no use for.
_COPIES = re.compile(rf"(?<![^\W_{UNSPACED}])X{{1,3}}(\d{{1,6}})(?:['’]?[a-z]{{1,2}})?(?![^\W_{UNSPACED}])")
_OPENING = "([{<\"'„“‚‘«‹/=@#"
_Edit = tuple[Span, StandIn | None]
# Tags times characters: more than this are set by their position, which takes linear time.
_MAX_WORK = 2_000_000


@dataclass(frozen=True, kw_only=True)
class RestoredText:
    """The text, where its untranslatables stand, and the offsets that tell where everything has gone."""

    text: str
    protected: tuple[ProtectedSpan, ...] = ()
    befores: Sequence[int] = ()  # stretches of the translation that were kept: their starts there,
    afters: Sequence[int] = ()  # and in the text

    def moved(self, span: Span) -> Span:
        """A stretch of the translation, by its place in the text."""
        if not self.befores:
            return span
        return self._moved(span[0]), self._moved(span[1])

    def _moved(self, place: int) -> int:
        index = max(0, bisect_right(self.befores, place) - 1)
        return min(self.afters[index] + place - self.befores[index], len(self.text))


def restore_text(masked: MaskedText, translation: str, links: Sequence[SpanLink]) -> RestoredText:
    """`links` are between the masked text and its translation."""
    if not masked.changed:
        return RestoredText(text=translation)
    copies = _find_copies(masked.stand_ins, translation)
    chosen = {word: _surest(masked, word, spans, links) for word, spans in copies.items()}
    lost = [one for one in masked.stand_ins if one.word not in copies]
    placed = _place(_with_lost(masked, lost), translation, links)
    writer = _Writer(masked, translation, placed)
    writer.write(sorted(_edits(masked, translation, copies, chosen), key=lambda edit: edit[0]))
    return RestoredText(
        text="".join(writer.output.parts),
        protected=_protected(masked, lost, writer, "aligned" if links else "position"),
        befores=writer.befores,
        afters=writer.afters,
    )


def restore_links(
    masked: MaskedText, restored: RestoredText, links: Sequence[SpanLink]
) -> tuple[SpanLink, ...]:
    """Between the texts as they are; an untranslatable comes from itself, whatever an aligner thinks."""
    if not masked.changed or not links:
        return tuple(links)
    moved = [
        SpanLink(masked.to_source(link.source), restored.moved(link.target), link.probability)
        for link in links
    ]
    kept = Stretches(one.target for one in restored.protected)
    found = [link for link in moved if link.target[0] < link.target[1] and not kept.overlap(link.target)]
    found += [SpanLink(one.source, one.target, 1.0) for one in restored.protected]
    return tuple(sorted(found, key=lambda link: link.target))


def _find_copies(stand_ins: Sequence[StandIn], translation: str) -> dict[str, list[Span]]:
    wanted = {one.word for one in stand_ins}
    found: dict[str, list[Span]] = {}
    for match in _COPIES.finditer(translation):
        word = f"X{int(match[1])}"
        if word in wanted:
            found.setdefault(word, []).append(match.span())
    return found


def _surest(masked: MaskedText, word: str, spans: Sequence[Span], links: Sequence[SpanLink]) -> Span:
    """Of several places of a stand-in, the first that its source is surely linked to."""
    if len(spans) == 1:
        return spans[0]
    source = next(one.span for one in masked.stand_ins if one.word == word)
    supports = [_support(source, span, links) for span in spans]
    return next(span for span, support in zip(spans, supports, strict=True) if support >= max(supports) / 2)


def _support(source: Span, target: Span, links: Sequence[SpanLink]) -> float:
    return sum(
        link.probability or 0.0
        for link in links
        if link.source[0] < source[1]
        and source[0] < link.source[1]
        and link.target[0] < target[1]
        and target[0] < link.target[1]
    )


def _with_lost(masked: MaskedText, lost: Sequence[StandIn]) -> TaggedText:
    """What is lost is set as a tag would be that stands in its place."""
    if not lost:
        return masked.tagged
    text, tags = masked.text, list(masked.tagged.tags)
    for one in lost:
        start, end = one.span
        around = [
            index for index, tag in enumerate(masked.tagged.tags) if tag.start <= start and end <= tag.end
        ]
        tags.append(
            Tag(
                start=start,
                end=start,
                opening=masked.source[slice(*one.original.span)],
                kind="empty",
                parent=around[-1] if around else None,
                space_before=start == 0 or not is_unspaced(text[start - 1]),
                space_after=end == len(text) or not is_unspaced(text[end]),
            )
        )
    return TaggedText(text, tuple(tags))


def _place(tagged: TaggedText, translation: str, links: Sequence[SpanLink]) -> TaggedText:
    if not links or len(tagged.tags) * len(translation) > _MAX_WORK:
        return transfer_by_position(tagged, translation)
    return transfer_tags(tagged, translation, links)


def _edits(
    masked: MaskedText, translation: str, copies: dict[str, list[Span]], chosen: dict[str, Span]
) -> Iterator[_Edit]:
    """What is written in the place of which stretches of the translation; None is nothing."""
    by_word = {one.word: one for one in masked.stand_ins}
    for word, spans in copies.items():
        for start, end in spans:
            if (start, end) != chosen[word]:
                yield (len(translation[:start].rstrip(" ")), end), None
                continue
            if _has_spare_space(masked, translation, start, by_word[word]):
                yield (start - 1, start), None
            yield (start, end), by_word[word]


def _has_spare_space(masked: MaskedText, translation: str, start: int, stand_in: StandIn) -> bool:
    """Whether a space before it is one too many: at the beginning, behind another, or behind an opening mark
    that it touches in the source."""
    if not translation[:start].endswith(" "):
        return False
    place = stand_in.original.start
    touched = masked.source[place - 1 : place]
    before = translation[start - 2 : start - 1] if start > 1 else ""
    return not before or before == " " or (touched != "" and touched in _OPENING and before in _OPENING)


class _Writer:
    """The translation with all that belongs into it, and where everything has gone."""

    def __init__(self, masked: MaskedText, translation: str, placed: TaggedText) -> None:
        self._masked, self._translation, self._placed = masked, translation, placed
        self.output = TagWriter(str)
        self.befores, self.afters = [0], [0]
        self.edges: dict[tuple[int, bool], int] = {}  # of a tag, and whether it closes: where it begins
        self.stand_ins: dict[str, int] = {}  # where the original of a word begins
        self._position = 0

    def write(self, edits: Sequence[_Edit]) -> None:
        waiting = deque(edits)
        for place, index, closes in self._placed.edges():
            while waiting and waiting[0][0][0] < place:
                self._replace(*waiting.popleft())
            self._copy(place)
            tag = self._placed.tags[index]
            start = self.output.close(tag) if closes else self.output.open(tag)
            self.edges[index, closes] = start
        for span, stand_in in waiting:
            self._replace(span, stand_in)
        self._copy(len(self._translation))

    def _copy(self, end: int) -> None:
        if end > self._position:
            start = self.output.text(self._translation[self._position : end])
            self.befores.append(self._position)
            self.afters.append(start)
            self._position = end

    def _replace(self, span: Span, stand_in: StandIn | None) -> None:
        start, end = span
        self._copy(start)
        self._position = end
        if stand_in is None:
            return
        begins = self.output.text(self._masked.source[slice(*stand_in.original.span)])
        self.befores += (start, end)
        self.afters += (begins, self.output.length)
        self.stand_ins[stand_in.word] = begins
        if continues_word(self._translation[end : end + 1]):
            self.output.want_space()


def _protected(
    masked: MaskedText, lost: Sequence[StandIn], writer: _Writer, otherwise: Placement
) -> tuple[ProtectedSpan, ...]:
    """Every untranslatable with its place, in the order of the source."""
    found: list[tuple[Untranslatable, int, Placement]] = [
        (one.original, writer.stand_ins[one.word], "copied")
        for one in masked.stand_ins
        if one.word in writer.stand_ins
    ]
    first = len(masked.tagged.tags)
    found += [(one.original, writer.edges[first + place, False], otherwise) for place, one in enumerate(lost)]
    found += [(one.original, writer.edges[one.tag, one.closes], otherwise) for one in masked.lifted]
    return tuple(
        ProtectedSpan(
            text=masked.source[slice(*original.span)],
            kind=original.kind,
            source=original.span,
            target=(start, start + original.end - original.start),
            placement=placement,
        )
        for original, start, placement in sorted(found, key=lambda entry: entry[0].start)
    )
