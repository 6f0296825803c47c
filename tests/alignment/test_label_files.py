"""Links of a large file: counted from 0, and none beyond its sentence."""

from pathlib import Path

import numpy as np
import pytest

from lexalign.alignment.formats import read_alignments
from lexalign.alignment.formats.link_table import LinkTable, fit_links
from lexalign.contracts.errors import LexalignError

LENGTHS = [(3, 2), (1, 4), (2, 2)]


def fit(path: Path, text: str, lengths: list[tuple[int, int]] = LENGTHS, unit: str = "word") -> list[object]:
    path.write_text(text)
    raw = LinkTable.read_pharaoh(path)
    table = fit_links(path, raw, np.arange(1, len(raw) + 1), np.array(lengths), unit=unit)
    return [table[index] for index in range(len(table))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0-0 2-1\n0-3\n\n", [[(0, 0), (2, 1)], [(0, 3)], []]),
        ("1-1 3-2\n1-4\n\n", [[(0, 0), (2, 1)], [(0, 3)], []]),
        ("1-1\n\n\n", [[(1, 1)], [], []]),
        ("\n\n\n", [[], [], []]),
    ],
)
def test_the_base_is_found_as_for_gold(tmp_path: Path, text: str, expected: list[object]) -> None:
    assert fit(tmp_path / "links", text) == expected
    gold = read_alignments(tmp_path / "links", lengths=LENGTHS).sentences
    assert [[(link.source, link.target) for link in links] for links in gold] == expected


def test_many_sentences_without_a_word_0_count_from_1(tmp_path: Path) -> None:
    assert fit(tmp_path / "links", "1-1\n" * 10, [(5, 5)] * 10)[9] == [(0, 0)]
    assert fit(tmp_path / "links", "1-1\n" * 9, [(5, 5)] * 9)[8] == [(1, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n0-5\n\n", "line 2: target word 5, counted from 0, of a sentence of 4 words"),
        ("0-0\n\n2-0\n", "line 1 has a word 0, so it counts from 0, but 2-0 in line 3 can only count from 1"),
        ("3-1\n\n1-4\n", "line 3: target word 4, counted from 1, of a sentence of 2 words"),
    ],
)
def test_what_does_not_fit_is_named_by_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        fit(tmp_path / "links", text)


def test_units_are_named(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"line 1: source subword 9, .* of 3 subwords"):
        fit(tmp_path / "links", "0-0 9-0\n\n\n", unit="subword")


def test_a_huge_number_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "links").write_text("0-0\n\n0-1 0-70000\n")
    with pytest.raises(LexalignError, match="line 3: a link has the index 70000"):
        LinkTable.read_pharaoh(tmp_path / "links")
