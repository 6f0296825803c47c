"""Tables of links against plain lists."""

from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.formats.link_table import LinkTable
from lexalign.contracts.errors import LexalignError

points = st.tuples(st.integers(0, 6), st.integers(0, 4))
corpora = st.lists(st.sets(points, max_size=6).map(sorted), min_size=1, max_size=6)


@settings(max_examples=40, deadline=None)
@given(corpus=corpora, data=st.data())
def test_all_formats_give_the_same_links(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("table")
    table = LinkTable.from_sentences(corpus)
    assert [table[index] for index in range(len(table))] == corpus
    table.save(folder / "links")
    loaded = LinkTable.load(folder / "links")
    assert [loaded[index] for index in range(len(loaded))] == corpus
    (folder / "pharaoh").write_text("".join(" ".join(f"{s}-{t}" for s, t in row) + "\n" for row in corpus))
    read = LinkTable.read_pharaoh(folder / "pharaoh")
    assert [read[index] for index in range(len(read))] == corpus
    chosen = data.draw(st.lists(st.integers(0, len(corpus) - 1), max_size=5))
    matrices = table.matrices(chosen, 5, 7)
    assert matrices.shape == (len(chosen), 5, 7)
    assert [sorted((s, t) for t, s in matrix.nonzero().tolist()) for matrix in matrices] == [
        corpus[index] for index in chosen
    ]


@settings(max_examples=25, deadline=None)
@given(corpus=corpora, data=st.data())
def test_batches_may_come_in_any_order(corpus: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(corpus))))
    cut = data.draw(st.integers(0, len(order)))
    whole = LinkTable.from_sentences(corpus)
    batches = [(part, whole.matrices(part, 5, 7)) for part in (order[:cut], order[cut:]) if part]
    table = LinkTable.from_batches(batches)
    assert [sorted(table[index]) for index in range(len(table))] == corpus


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0-1\n\n2-3 4-5", [[(0, 1)], [], [(2, 3), (4, 5)]]),
        ("", []),
        ("\n", [[]]),
        ("0-1:0.5 1p2\n", [[(0, 1), (1, 2)]]),
        ("0-1\r\n0-2\r\n", [[(0, 1)], [(0, 2)]]),
    ],
)
def test_files_read_fast_or_carefully(
    tmp_path: Path, text: str, expected: list[list[tuple[int, int]]]
) -> None:
    (tmp_path / "links").write_text(text, newline="")
    table = LinkTable.read_pharaoh(tmp_path / "links")
    assert [table[index] for index in range(len(table))] == expected


@pytest.mark.parametrize(
    "text", ["0-1\n0-1 3\n", "0-1\n1-2-3 4\n", "0-1\n1--2\n", "0-1\n3 -4\n", "0-1\n3-\n", "1-1\n-3 4-\n"]
)
def test_bad_lines_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "links").write_text(text)
    with pytest.raises(LexalignError, match="line 2"):
        LinkTable.read_pharaoh(tmp_path / "links")


def test_files_that_count_from_1(tmp_path: Path) -> None:
    (tmp_path / "links").write_text("1-2\n2-1\n")
    assert LinkTable.read_pharaoh(tmp_path / "links", base=1)[1] == [(1, 0)]
    (tmp_path / "links").write_text("1-2\n0-1\n")
    with pytest.raises(LexalignError, match="line 2: word 0"):
        LinkTable.read_pharaoh(tmp_path / "links", base=1)


def test_labels_of_other_data_are_refused() -> None:
    table = LinkTable.from_sentences([[], [(0, 0), (3, 1)]])
    with pytest.raises(LexalignError, match="sentence 2 link 3 to 1, beyond its 3 source and 2 target"):
        table.matrices([0, 1], 2, 3)
    with pytest.raises(LexalignError, match="index 70000"):
        LinkTable.from_sentences([[(0, 70000)]])
    assert LinkTable.from_batches([(range(2), torch.zeros(2, 1, 1, dtype=torch.bool))])[1] == []


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "links").write_bytes(b"nothing")
    with pytest.raises(LexalignError, match="not a table of links"):
        LinkTable.load(tmp_path / "links")
