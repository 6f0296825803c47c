"""Word links of units, by one of several aligners.

`hmm-agreement` learns from the units themselves and needs no model. `post-aln` joins both directions of
bundled or given models by the mean of their probabilities, and suits files of a few units. `fast-align` is
here to compare with. `none` links nothing: rules fall back to what the texts alone say.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError
from lexalign.glossary.matching.words import Word, split
from lexalign.terminology.units import Unit

if TYPE_CHECKING:
    from lexalign.translator.word_aligner import WordText

AlignMethod = Literal["hmm-agreement", "post-aln", "fast-align", "none"]
ALIGN_METHODS: tuple[AlignMethod, ...] = get_args(AlignMethod)
_BATCH = 2_000  # units whose texts a model has at a time


@dataclass(frozen=True, slots=True)
class AlignedUnit:
    """A unit, the words of its sides, and links between them."""

    unit: Unit
    source: list[Word]
    target: list[Word]
    links: tuple[Link, ...]

    @classmethod
    def unlinked(cls, unit: Unit) -> "AlignedUnit":
        return cls(unit, split(unit.source), split(unit.target), ())


class UnitAligner(Protocol):
    def align(self, units: Sequence[Unit]) -> Iterator[AlignedUnit]:
        """The units in order, with their links."""


class NoAligner:
    def align(self, units: Sequence[Unit]) -> Iterator[AlignedUnit]:
        return map(AlignedUnit.unlinked, units)


class HmmAligner:
    """Learns from the units and, beside them, from others of the same kind."""

    def __init__(self, others: Sequence[Unit] = ()) -> None:
        self._others = others

    def align(self, units: Sequence[Unit]) -> Iterator[AlignedUnit]:
        from lexalign.alignment.statistical.hmm import align_by_agreement

        words = [(split(unit.source), split(unit.target)) for unit in units]
        others = [(split(unit.source), split(unit.target)) for unit in self._others]
        found = align_by_agreement((_texts(source), _texts(target)) for source, target in (*words, *others))
        for index, (unit, (source, target)) in enumerate(zip(units, words, strict=True)):
            yield AlignedUnit(unit, source, target, tuple(Link(*link) for link in found[index]))


class FastAligner:
    def align(self, units: Sequence[Unit]) -> Iterator[AlignedUnit]:
        from lexalign.alignment.statistical import fast_align

        words = [(split(unit.source), split(unit.target)) for unit in units]
        pairs = [(_texts(source, "|"), _texts(target, "|")) for source, target in words]
        for unit, (source, target), points in zip(units, words, fast_align(pairs, pairs), strict=True):
            yield AlignedUnit(unit, source, target, tuple(Link(*point) for point in points))


class PosteriorUnitAligner:
    """PostAln of two models, one for each direction."""

    def __init__(self, forward: Path, backward: Path) -> None:
        from lexalign.translator.word_aligner import WordAligner

        self._forward, self._backward = WordAligner.load(forward), WordAligner.load(backward)

    def align(self, units: Sequence[Unit]) -> Iterator[AlignedUnit]:
        from lexalign.translator.mutual_alignment import symmetrized

        for first in range(0, len(units), _BATCH):
            part = units[first : first + _BATCH]
            words = [(split(unit.source), split(unit.target)) for unit in part]
            texts = [
                (_shown(unit.source, source), _shown(unit.target, target))
                for unit, (source, target) in zip(part, words, strict=True)
            ]
            swapped = [(target, source) for source, target in texts]
            both = zip(self._forward.align(texts), self._backward.align(swapped), strict=True)
            for unit, (source, target), (ahead, back) in zip(part, words, both, strict=True):
                links = symmetrized(ahead.words, back.words, "mean").links
                yield AlignedUnit(unit, source, target, links)


def find_aligner(method: AlignMethod, source: str | None, target: str | None) -> UnitAligner:
    """An aligner by its name; `post-aln` finds its models by the languages."""
    if method == "post-aln":
        if source is None or target is None:
            raise LexalignError("post-aln needs the languages; give them as in --from en --to de")
        from lexalign.bundled.registry import find_model

        return PosteriorUnitAligner(find_model(source, target), find_model(target, source))
    aligners: dict[str, Callable[[], UnitAligner]] = {
        "hmm-agreement": HmmAligner,
        "fast-align": FastAligner,
        "none": NoAligner,
    }
    return aligners[method]()


def _texts(words: Sequence[Word], forbidden: str = "") -> list[str]:
    return [word.text.replace(forbidden, "_") if forbidden else word.text for word in words]


def _shown(text: str, words: Sequence[Word]) -> "WordText":
    from lexalign.translator.word_aligner import WordText

    spans = tuple((word.start, word.end) for word in words)
    return WordText(
        line=text, text=text, words=tuple(word.text for word in words), spans=spans, line_spans=spans
    )
