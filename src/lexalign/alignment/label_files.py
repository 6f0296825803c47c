"""A file of links as labels: as long as the text, counted from 0, and no link beyond its sentence.

As `formats` reads gold, but for millions of lines: only the links that decide something become objects.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexalign.alignment.indexing import ReadLink, check_lengths, decide_base
from lexalign.alignment.link_table import LinkTable
from lexalign.contracts.alignment import Link

Indexes = NDArray[np.int64]


def fit_links(path: Path, table: LinkTable, lines: Indexes, lengths: Indexes, *, unit: str) -> LinkTable:
    """The links of `path`, counted from 0, checked against the lengths (N, 2) of source and target.

    `table` has them as they stand there, `lines` (N,) their lines, from 1. A unit is a word or a subword.
    """
    rows = np.repeat(np.arange(len(table)), np.diff(table.starts))
    points = table.points.astype(np.int64)

    def first(which: NDArray[np.bool_]) -> tuple[ReadLink, tuple[int, int]] | None:
        if not which.any():
            return None
        index = int(which.any(axis=1).argmax())
        row, (source, target) = rows[index], points[index].tolist()
        num_source, num_target = lengths[row].tolist()
        return ReadLink(int(lines[row]), 0, Link(source, target)), (num_source, num_target)

    zero = first(points == 0)
    last = first((points == lengths[rows]) & (points > 0))
    base, _ = decide_base(path, zero and zero[0], last and last[0], int((np.diff(table.starts) > 0).sum()))
    beyond = first(points - base >= lengths[rows])
    if beyond:
        check_lengths(path, [beyond[0]], base, [beyond[1]], unit=unit)
    return LinkTable(table.starts, (points - base).astype(np.uint16))
