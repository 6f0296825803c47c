"""What a translation memory has for a document: whole segments, single sentences, and alternatives.

A segment whose text is in the memory, with the same tags, is taken as it is. Where the unit has no tags, its
text is taken sentence by sentence, and the tags are set by alignment. All else is an alternative.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lexalign.contracts.alignment import TextAlignment
from lexalign.markup import DocumentTranslation, Segment, TaggedText
from lexalign.memory import MatchOptions, MemoryMatch, MemoryUnit, find_matches, fit_unit
from lexalign.report import Alternative

Align = Callable[[Sequence[tuple[str, str]]], Iterable[TextAlignment]]


@dataclass(kw_only=True)
class MemoryUse:
    """The matches of a document's texts, and what was taken of them."""

    matches: Mapping[str, Sequence[MemoryMatch]] = field(default_factory=dict)
    taken: dict[int, MemoryUnit] = field(default_factory=dict)  # by the index of their segments
    sentences: dict[str, MemoryUnit] = field(default_factory=dict)

    @classmethod
    def find(
        cls,
        segments: Sequence[Segment],
        sentences: Iterable[str],
        units: Iterable[MemoryUnit],
        options: MatchOptions,
    ) -> "MemoryUse":
        texts = [*(segment.text.text for segment in segments), *sentences]
        return cls(matches=find_matches(texts, units, options))

    def take(self, segments: Sequence[Segment], work: DocumentTranslation, align: Align) -> None:
        """Give the document its exact matches."""
        for index, segment in enumerate(segments):
            for unit in self._exact(segment.text.text):
                if (fitting := fit_unit(segment.text, unit)) is not None:
                    work.take(index, fitting)
                    self.taken[index] = unit
                    break
        for sentence in work.missing:
            plain = (one for one in self._exact(sentence) if not one.source.tags and not one.target.tags)
            if (found := next(plain, None)) is not None:
                self.sentences[sentence] = found
        pairs = [(sentence, unit.target.text) for sentence, unit in self.sentences.items()]
        for aligned in align(pairs):
            work.add(aligned)

    def _exact(self, text: str) -> list[MemoryUnit]:
        return [match.unit for match in self.matches.get(text, ()) if match.similarity == 100]

    def alternatives(self, index: int, segment: TaggedText, translation: TaggedText) -> list[Alternative]:
        """Matches of a segment that were not taken; the same translation is no alternative."""
        return [
            Alternative(
                source=match.unit.source.text,
                target=match.unit.target.text,
                similarity=match.similarity,
                place=match.unit.place,
            )
            for match in self.matches.get(segment.text, ())
            if match.unit is not self.taken.get(index) and match.unit.target.text != translation.text
        ]
