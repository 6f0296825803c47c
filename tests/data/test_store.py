"""Token ids on disk."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.data.store import TokenStore

CHUNKS = [([[5, 6, 7], []], [[8], [9, 9]]), ([[4]], [[3, 2, 1]])]


def build(path: Path, vocabulary_size: int = 10) -> TokenStore:
    return TokenStore.build(path, iter(CHUNKS), vocabulary_size=vocabulary_size)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    store = build(tmp_path / "store")
    assert len(store) == 3
    assert [store.source(index).tolist() for index in range(3)] == [[5, 6, 7], [], [4]]
    assert [store.target(index).tolist() for index in range(3)] == [[8], [9, 9], [3, 2, 1]]
    assert store.source_lengths.tolist() == [3, 0, 1]
    assert store.target_lengths.tolist() == [1, 2, 3]
    with pytest.raises(IndexError):
        store.source(3)


@pytest.mark.parametrize(("vocabulary_size", "kind"), [(2**16, np.uint16), (2**16 + 1, np.uint32)])
def test_the_narrowest_type_that_fits(tmp_path: Path, vocabulary_size: int, kind: type) -> None:
    largest = vocabulary_size - 1
    store = TokenStore.build(tmp_path / "s", [([[largest]], [[0]])], vocabulary_size=vocabulary_size)
    assert store.source(0).dtype == kind
    assert store.source(0).tolist() == [largest]


@settings(deadline=None, max_examples=25)
@given(st.lists(st.lists(st.integers(0, 99), max_size=6), min_size=1, max_size=20), st.data())
def test_gathering_rows_is_slicing_them_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[int]], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("gather") / "store"
    store = TokenStore.build(path, [(sentences, sentences[::-1])], vocabulary_size=100)
    rows = data.draw(st.lists(st.integers(0, len(sentences) - 1)))
    tokens, lengths = store.sources.gather(np.array(rows, dtype=np.int64))
    assert tokens.tolist() == [token for row in rows for token in sentences[row]]
    assert lengths.tolist() == [len(sentences[row]) for row in rows]


def test_a_store_without_pairs(tmp_path: Path) -> None:
    store = TokenStore.build(tmp_path / "s", [], vocabulary_size=10)
    assert len(store) == 0
    assert store.sources.gather(np.zeros(0, dtype=np.int64))[0].tolist() == []


@pytest.mark.parametrize("name", ["source.tokens", "target.tokens", "source.lengths", "target.lengths"])
def test_a_truncated_or_missing_file_is_reported(tmp_path: Path, name: str) -> None:
    file = build(tmp_path / "s").path / name
    size = file.stat().st_size
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(LexalignError) as error:
        TokenStore(tmp_path / "s")
    assert str(error.value) == f"{file} has {size - 1} bytes instead of {size}; prepare the data again"
    file.unlink()
    with pytest.raises(LexalignError, match="No such file or directory; prepare the data again"):
        TokenStore(tmp_path / "s")


def test_lengths_that_do_not_add_up_are_reported(tmp_path: Path) -> None:
    store = build(tmp_path / "s")
    (store.path / "source.lengths").write_bytes(np.array([3, 0, 2], dtype="<u4").tobytes())
    with pytest.raises(LexalignError, match="do not match; prepare the data again"):
        TokenStore(tmp_path / "s")


def test_a_store_of_another_format_is_reported(tmp_path: Path) -> None:
    meta = build(tmp_path / "s").path / "meta.json"
    meta.write_text(json.dumps({**json.loads(meta.read_text()), "version": 99}))
    with pytest.raises(
        LexalignError, match="was written in format 99, this is format 1; prepare the data again"
    ):
        TokenStore(tmp_path / "s")
    meta.write_text("{")
    with pytest.raises(LexalignError, match=r"meta\.json is damaged; prepare the data again"):
        TokenStore(tmp_path / "s")


def test_a_missing_store_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LexalignError) as error:
        TokenStore(tmp_path)
    assert str(error.value) == f"there is no prepared data in {tmp_path}; prepare it first"


def test_a_folder_with_other_things_in_it_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(LexalignError, match="exists and is not prepared data; choose another place for it"):
        build(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_failed_build_leaves_the_old_store(tmp_path: Path) -> None:
    build(tmp_path / "s")
    with pytest.raises(ValueError, match="a token id is outside the vocabulary of 10"):
        TokenStore.build(tmp_path / "s", [([[10]], [[1]])], vocabulary_size=10)
    with pytest.raises(ValueError, match="1 source sentences but 2 target sentences"):
        TokenStore.build(tmp_path / "s", [([[1]], [[1], [2]])], vocabulary_size=10)
    assert len(TokenStore(tmp_path / "s")) == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["s"]
