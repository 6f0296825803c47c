"""Several glossaries in one text, the first of which comes first.

    own terms   Haus → mansion          client   Haus → house, Weißes Haus → White House
    text        das Weiße Haus, ein Haus
    found       Weiße Haus → White House (the longer match), Haus → mansion (the first glossary)

Each is compiled on its own, so that a change of a short one costs nothing in a long one.
"""

from collections.abc import Sequence

from lexalign.contracts.alignment import Span, spans_overlap
from lexalign.glossary.matching.matcher import Match, Matcher


class LayeredMatcher(Matcher):
    """Matches of all layers; what they ask for at the same place is decided by the first."""

    def __init__(self, layers: Sequence[Matcher]) -> None:
        self._layers = layers
        self.options = layers[0].options

    def match(self, text: str) -> list[Match]:
        """In the order of the text; the longest are taken first, of equally long ones the first layer's."""
        ranked = sorted(
            ((match, rank) for rank, layer in enumerate(self._layers) for match in layer.match(text)),
            key=lambda one: (one[0].span[0] - one[0].span[1], one[1]),
        )
        taken: dict[Span, list[tuple[Match, int]]] = {}
        for match, rank in ranked:
            others = taken.get(match.span, [])
            if others and not all(_agree(match, rank, *other) for other in others):
                continue
            if others or not any(spans_overlap(match.span, span) for span in taken):
                taken.setdefault(match.span, []).append((match, rank))
        return [match for span in sorted(taken) for match, _ in taken[span]]


def _agree(match: Match, rank: int, other: Match, other_rank: int) -> bool:
    """Whether both can be asked for: of one glossary always, of two only if one avoids what none wants."""
    if rank == other_rank:
        return True
    avoids, is_avoided = match.constraint.kind == "avoid", other.constraint.kind == "avoid"
    if not avoids and not is_avoided:
        return False
    return not set(match.constraint.targets) & set(other.constraint.targets)
