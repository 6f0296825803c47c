"""The gold set and the training text in subwords, as statistical aligners learn from them."""

from collections.abc import Iterator, Sequence
from functools import cache

from experiments.paper.pipeline.gold import read_gold
from experiments.paper.pipeline.pairs import Direction
from experiments.paper.pipeline.workspace import Workspace
from lexalign.alignment.statistical import SentencePair
from lexalign.alignment.words import word_alignment
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.text.subwords import Encoding
from lexalign.text.tokenizer import Tokenizer
from lexalign.translator.word_aligner import WordText


class GoldSubwords:
    """Subwords go by their numbers: pieces may hold characters that aligners cannot read."""

    def __init__(self, workspace: Workspace) -> None:
        self.gold = read_gold(workspace)
        self.tokenizer = Tokenizer.load(workspace.tokenizer)
        self._pieces = [
            tuple(self.tokenizer.encode_with_offsets(side.text) for side in pair) for pair in self.gold.pairs
        ]
        self.pairs = [_named(source.ids, target.ids) for source, target in self._pieces]

    def words(
        self, points: Sequence[list[tuple[int, int]]], direction: Direction = "forward"
    ) -> list[WordAlignment]:
        """Links between subwords as links between words."""
        gold, pieces = self.gold.in_direction(direction), self._pieces
        if direction == "backward":
            pieces = [pair[::-1] for pair in pieces]
        return [
            word_alignment(
                [Link(*point) for point in found], None, _side(pair[0], sides[0]), _side(pair[1], sides[1])
            )
            for pair, sides, found in zip(gold.pairs, pieces, points, strict=True)
        ]


def training_pairs(workspace: Workspace, tokenizer: Tokenizer, wanted: int | None) -> Iterator[SentencePair]:
    """A sample of so many pairs of the training text (None: all), without those that are too long."""
    longest = workspace.pair.recipe.filters.max_tokens
    for source, target in workspace.training_sample(wanted):
        ids = tokenizer.encode(source), tokenizer.encode(target)
        if max(len(side) for side in ids) <= longest:
            yield _named(*ids)


def _named(source: Sequence[int], target: Sequence[int]) -> SentencePair:
    return [_name(index) for index in source], [_name(index) for index in target]


@cache
def _name(index: int) -> str:
    """One string for each number: a corpus has a hundred million of them."""
    return str(index)


def _side(
    text: WordText, pieces: Encoding
) -> tuple[Sequence[str], Sequence[tuple[int, int]], list[tuple[int, int]]]:
    return text.words, text.spans, pieces.spans
