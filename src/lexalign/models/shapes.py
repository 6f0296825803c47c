"""Sizes at which the kernels of a CPU add in one and the same order.

Which kernel multiplies two matrices depends on their size, and with it the order in which a row's products
are added; so what a sentence is padded to could be seen in its last digits, and in int8 be rounded to another
step. MKL has kernels of their own for fewer than 12 columns, and for fewer than 4 rows by a number of columns
that is no multiple of 4; the others agree (measured with AVX-512). Sums over more than 192 are in blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Of what is attended to."""

    least: int = 0
    multiple: int = 1

    def fitting(self, size: int) -> int:
        """The next size that is allowed."""
        return max(self.least, -(-size // self.multiple) * self.multiple)


ANY_SHAPE = Shape()
STEADY_SHAPE = Shape(least=16, multiple=4)

_LEAST_GROUP = 3  # fewer are multiplied no faster
_LIKE = 0.8


def like_groups(lengths: Sequence[int]) -> list[slice]:
    """Neighbours of like length, where lengths fall; all are one group where they do not."""
    if any(one < other for one, other in pairwise(lengths)):
        return [slice(0, len(lengths))]
    starts = [0]
    for place, length in enumerate(lengths):
        if length <= _LIKE * lengths[starts[-1]] and place - starts[-1] >= _LEAST_GROUP:
            starts.append(place)
    return [slice(*bounds) for bounds in pairwise([*starts, len(lengths)])]
