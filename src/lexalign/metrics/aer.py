"""Alignment error rate, precision and recall (Och and Ney 2000), in whole numbers until the last division.

Of hypothesised links A, sure gold links S and possible ones P, which include the sure,

    precision = |A∩P| / |A|      recall = |A∩S| / |S|      AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|)

0/0 counts as a precision or recall of 1, and as an AER of 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lexalign import __version__
from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError


@dataclass(frozen=True, kw_only=True)
class AlignmentScore:
    hypothesized: int  # |A|
    sure: int  # |S|
    possible: int  # |P|, sure links included
    in_sure: int  # |A∩S|
    in_possible: int  # |A∩P|
    sentences: int
    signature: str

    @property
    def aer(self) -> float:
        total = self.hypothesized + self.sure
        return (total - self.in_sure - self.in_possible) / total if total else 0.0

    @property
    def precision(self) -> float:
        return self.in_possible / self.hypothesized if self.hypothesized else 1.0

    @property
    def recall(self) -> float:
        return self.in_sure / self.sure if self.sure else 1.0


def score_alignments(
    gold: Sequence[Iterable[Link]],
    hypothesis: Sequence[Iterable[Link]],
    *,
    null: str = "no link",
    gold_base: int = 0,
    hypothesis_base: int = 0,
    lengths_checked: bool = False,
) -> AlignmentScore:
    """Score links, which count from 0, by sentence; the bases, those of the files, are for the signature.

    `null` describes in the signature how the hypothesis treats words without a link.
    """
    if len(gold) != len(hypothesis):
        raise LexalignError(
            f"{len(gold)} gold sentences and {len(hypothesis)} hypothesised; the numbers must be equal"
        )
    counts = [_count(of_gold, found) for of_gold, found in zip(gold, hypothesis, strict=True)]
    sums = [sum(column) for column in zip(*counts, strict=True)] or [0] * 5
    hypothesized, sure, possible, in_sure, in_possible = sums
    lengths = "checked" if lengths_checked else "unchecked"
    bases = f"gold-base:{gold_base}|hypothesis-base:{hypothesis_base}"
    return AlignmentScore(
        hypothesized=hypothesized,
        sure=sure,
        possible=possible,
        in_sure=in_sure,
        in_possible=in_possible,
        sentences=len(gold),
        signature=f"AER|sentences:{len(gold)}|null:{null}|{bases}|lengths:{lengths}|lexalign:{__version__}",
    )


def _count(gold: Iterable[Link], hypothesis: Iterable[Link]) -> tuple[int, int, int, int, int]:
    gold = list(gold)
    possible = {(link.source, link.target) for link in gold}
    sure = {(link.source, link.target) for link in gold if link.sure}
    found = {(link.source, link.target) for link in hypothesis}
    return len(found), len(sure), len(possible), len(found & sure), len(found & possible)
