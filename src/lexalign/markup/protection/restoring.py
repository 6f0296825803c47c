"""Unmasking: untranslatables are restored in a translation, each once, unchanged, and apart from words.

    translation   Hello X1, see X2.        links of its words to the masked source
    restored      Hello {name} 🎉, see <b>https://example.com</b>.

A stand-in that the model has copied is replaced. One that it has dropped, and all that was removed from the
text, is set by word alignment, or by its position in the source if there are no links. Of a repeated stand-in
the copy with the more probable alignment is kept, and the others are removed.
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
from lexalign.text.span_set import SpanSet

# A stand-in as a model may write it: with repeated letters, or with an ending, which is dropped.
_COPIES = re.compile(rf"(?<![^\W_{UNSPACED}])X{{1,3}}(\d{{1,6}})(?:['’]?[a-z]{{1,2}})?(?![^\W_{UNSPACED}])")
_OPENING = "([{<\"'„“‚‘«‹/=@#"
_Edit = tuple[Span, StandIn | None]
# Tags times characters; above this limit tags are set by position, which takes linear time.
_MAX_WORK = 2_000_000


@dataclass(frozen=True, kw_only=True)
class RestoredText:
    """The unmasked translation, its untranslatables, and the offsets of its unchanged spans."""

    text: str
    protected: tuple[ProtectedSpan, ...] = ()
    kept_starts: Sequence[int] = ()  # starts of unchanged spans in the translation,
    restored_starts: Sequence[int] = ()  # and in the text

    def moved(self, span: Span) -> Span:
        """The span of the text for a span of the translation."""
        if not self.kept_starts:
            return span
        return self._moved(span[0]), self._moved(span[1])

    def _moved(self, position: int) -> int:
        index = max(0, bisect_right(self.kept_starts, position) - 1)
        return min(self.restored_starts[index] + position - self.kept_starts[index], len(self.text))


def restore_text(masked: MaskedText, translation: str, links: Sequence[SpanLink]) -> RestoredText:
    """Unmask a translation; `links` are between the masked text and its translation."""
    if not masked.changed:
        return RestoredText(text=translation)
    copies = _find_copies(masked.stand_ins, translation)
    chosen = {word: _best_copy(masked, word, spans, links) for word, spans in copies.items()}
    dropped = [one for one in masked.stand_ins if one.word not in copies]
    placed = _place(_with_dropped(masked, dropped), translation, links)
    writer = _Writer(masked, translation, placed)
    writer.write(sorted(_edits(masked, translation, copies, chosen), key=lambda edit: edit[0]))
    return RestoredText(
        text="".join(writer.output.parts),
        protected=_protected(masked, dropped, writer, "aligned" if links else "position"),
        kept_starts=writer.kept_starts,
        restored_starts=writer.restored_starts,
    )


def restore_links(
    masked: MaskedText, restored: RestoredText, links: Sequence[SpanLink]
) -> tuple[SpanLink, ...]:
    """Links between source and restored text; an untranslatable is aligned to itself, whatever its links."""
    if not masked.changed or not links:
        return tuple(links)
    moved = [
        SpanLink(masked.to_source(link.source), restored.moved(link.target), link.probability)
        for link in links
    ]
    kept = SpanSet(one.target for one in restored.protected)
    found = [link for link in moved if link.target[0] < link.target[1] and not kept.overlap(link.target)]
    found += [SpanLink(one.source, one.target, 1.0) for one in restored.protected]
    return tuple(sorted(found, key=lambda link: link.target))


def _find_copies(stand_ins: Sequence[StandIn], translation: str) -> dict[str, list[Span]]:
    words = {one.word for one in stand_ins}
    found: dict[str, list[Span]] = {}
    for match in _COPIES.finditer(translation):
        word = f"X{int(match[1])}"
        if word in words:
            found.setdefault(word, []).append(match.span())
    return found


def _best_copy(masked: MaskedText, word: str, spans: Sequence[Span], links: Sequence[SpanLink]) -> Span:
    """Of several copies of a stand-in, the first with a good alignment to its source."""
    if len(spans) == 1:
        return spans[0]
    source = next(one.span for one in masked.stand_ins if one.word == word)
    weights = [_link_weight(source, span, links) for span in spans]
    return next(span for span, weight in zip(spans, weights, strict=True) if weight >= max(weights) / 2)


def _link_weight(source: Span, target: Span, links: Sequence[SpanLink]) -> float:
    return sum(
        link.probability or 0.0
        for link in links
        if link.source[0] < source[1]
        and source[0] < link.source[1]
        and link.target[0] < target[1]
        and target[0] < link.target[1]
    )


def _with_dropped(masked: MaskedText, dropped: Sequence[StandIn]) -> TaggedText:
    """Dropped stand-ins are set in the same way as tags in their place."""
    if not dropped:
        return masked.tagged
    text, tags = masked.text, list(masked.tagged.tags)
    for one in dropped:
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
    """Spans of the translation and their stand-ins to restore; None removes the span."""
    by_word = {one.word: one for one in masked.stand_ins}
    for word, spans in copies.items():
        for start, end in spans:
            if (start, end) != chosen[word]:
                yield (len(translation[:start].rstrip(" ")), end), None
                continue
            if _has_extra_space(masked, translation, start, by_word[word]):
                yield (start - 1, start), None
            yield (start, end), by_word[word]


def _has_extra_space(masked: MaskedText, translation: str, start: int, stand_in: StandIn) -> bool:
    """Whether to remove the space before it: at the beginning, after another space, or after an opening mark
    that it touches in the source."""
    if not translation[:start].endswith(" "):
        return False
    source_start = stand_in.original.start
    touched = masked.source[source_start - 1 : source_start]
    before = translation[start - 2 : start - 1] if start > 1 else ""
    return not before or before == " " or (touched != "" and touched in _OPENING and before in _OPENING)


class _Writer:
    """Writes the translation with its untranslatables, and records the offsets."""

    def __init__(self, masked: MaskedText, translation: str, placed: TaggedText) -> None:
        self._masked, self._translation, self._placed = masked, translation, placed
        self.output = TagWriter(str)
        self.kept_starts, self.restored_starts = [0], [0]
        self.edges: dict[tuple[int, bool], int] = {}  # positions, by tag and whether it closes
        self.stand_ins: dict[str, int] = {}  # positions of the originals, by word
        self._position = 0

    def write(self, edits: Sequence[_Edit]) -> None:
        waiting = deque(edits)
        for position, index, closes in self._placed.edges():
            while waiting and waiting[0][0][0] < position:
                self._replace(*waiting.popleft())
            self._copy(position)
            tag = self._placed.tags[index]
            start = self.output.close(tag) if closes else self.output.open(tag)
            self.edges[index, closes] = start
        for span, stand_in in waiting:
            self._replace(span, stand_in)
        self._copy(len(self._translation))

    def _copy(self, end: int) -> None:
        if end > self._position:
            start = self.output.text(self._translation[self._position : end])
            self.kept_starts.append(self._position)
            self.restored_starts.append(start)
            self._position = end

    def _replace(self, span: Span, stand_in: StandIn | None) -> None:
        start, end = span
        self._copy(start)
        self._position = end
        if stand_in is None:
            return
        begins = self.output.text(self._masked.source[slice(*stand_in.original.span)])
        self.kept_starts += (start, end)
        self.restored_starts += (begins, self.output.length)
        self.stand_ins[stand_in.word] = begins
        if continues_word(self._translation[end : end + 1]):
            self.output.want_space()


def _protected(
    masked: MaskedText, dropped: Sequence[StandIn], writer: _Writer, placement_of_others: Placement
) -> tuple[ProtectedSpan, ...]:
    """All untranslatables with their spans, in the order of the source."""
    found: list[tuple[Untranslatable, int, Placement]] = [
        (one.original, writer.stand_ins[one.word], "copied")
        for one in masked.stand_ins
        if one.word in writer.stand_ins
    ]
    first = len(masked.tagged.tags)
    found += [
        (one.original, writer.edges[first + index, False], placement_of_others)
        for index, one in enumerate(dropped)
    ]
    found += [(one.original, writer.edges[one.tag, one.closes], placement_of_others) for one in masked.lifted]
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
