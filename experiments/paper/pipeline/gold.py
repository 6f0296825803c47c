"""Sentences with gold links: their words as they came, the text that a model is shown of them, and the links.

The gold set of a pair, and a sentence of our own for the heat maps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from experiments.paper.pipeline.pairs import Direction, Pair
from experiments.paper.pipeline.workspace import Workspace
from lexalign.alignment.formats import read_alignments
from lexalign.contracts.alignment import Link, Span
from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import ParallelText
from lexalign.translator.word_aligner import WordText, read_words

TextPair = tuple[WordText, WordText]
_SENTENCES = Path(__file__).parents[1] / "sentences"


@dataclass(frozen=True, kw_only=True)
class GoldSet:
    pairs: tuple[TextPair, ...]
    links: tuple[tuple[Link, ...], ...]

    def in_direction(self, direction: Direction) -> "GoldSet":
        """The set as a direction sees it; files are read forward."""
        if direction == "forward":
            return self
        return GoldSet(
            pairs=tuple((target, source) for source, target in self.pairs),
            links=tuple(
                tuple(replace(link, source=link.target, target=link.source) for link in links)
                for links in self.links
            ),
        )

    @property
    def sources(self) -> list[str]:
        return [source.text for source, _ in self.pairs]

    @property
    def references(self) -> list[str]:
        return [target.text for _, target in self.pairs]


def read_gold(workspace: Workspace) -> GoldSet:
    return _read(workspace.pair, workspace.text("gold"), workspace.data / "gold.talp")


def read_sentence(pair: Pair) -> GoldSet | None:
    """The sentence of our own, where the pair has one."""
    source, target, links = (
        _SENTENCES / f"{pair.name}.{suffix}" for suffix in (pair.source, pair.target, "talp")
    )
    return _read(pair, ParallelText(source, target), links) if links.exists() else None


def _read(pair: Pair, text: ParallelText, links: Path) -> GoldSet:
    pairs = tuple(
        (read_words(source, pair.source_spacing), read_words(target, pair.target_spacing))
        for source, target in text.read()
    )
    lengths = [(len(source.words), len(target.words)) for source, target in pairs]
    return GoldSet(pairs=pairs, links=read_alignments(links, lengths=lengths).sentences)


def in_running_text(constraint: Constraint, workspace: Workspace, source: WordText) -> Constraint:
    """Move a constraint from the line of a gold sentence to the text that the model is shown."""
    spacing = workspace.pair.target_spacing
    assert constraint.source is not None
    return replace(
        constraint,
        source=_moved(constraint.source, source.line_spans, source.spans),
        targets=tuple(read_words(target, spacing).text for target in constraint.targets),
    )


def _moved(span: Span, before: Sequence[Span], after: Sequence[Span]) -> Span:
    """Move a span of whole words of one text to another text of the same words."""
    inside = [index for index, (start, end) in enumerate(before) if span[0] <= start and end <= span[1]]
    return after[inside[0]][0], after[inside[-1]][1]
