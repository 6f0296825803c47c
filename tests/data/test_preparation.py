"""From text files to a token store."""

from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.data import preparation
from lexalign.data.filters import FilterOptions, FilterReport
from lexalign.data.preparation import kept_lines, prepare
from lexalign.data.reader import ParallelText
from lexalign.data.synthetic import generate
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions

PAIRS = generate(300, seed=5)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    path = tmp_path_factory.mktemp("tokenizer") / "t.model"
    sentences = [sentence for pair in PAIRS for sentence in pair]
    return Tokenizer.train(sentences, TokenizerOptions(vocabulary_size=500), path)


@pytest.fixture
def parallel(tmp_path: Path) -> ParallelText:
    path = tmp_path / "corpus.tsv"
    path.write_text("".join(f"{source}\t{target}\n" for source, target in PAIRS))
    return ParallelText(path)


def test_the_store_holds_the_text(
    tokenizer: Tokenizer, parallel: ParallelText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "CHUNK_SIZE", 70)
    told: list[int] = []
    store, report = prepare(
        parallel, tokenizer, FilterOptions(), tmp_path / "store", num_threads=2, progress=told.append
    )
    texts = [
        (tokenizer.decode(store.source(i).tolist()), tokenizer.decode(store.target(i).tolist()))
        for i in range(len(store))
    ]
    assert texts == PAIRS
    assert told == [70, 140, 210, 280, 300]
    assert report == FilterReport(num_read=300, num_kept=300)


def test_filters_apply_and_are_reported(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv"
    rows = ["eins\tone", "eins\tone", "\ttwo", f"{'zwei ' * 40}\ttwo", f"zwei\t{'two ' * 12}"]
    path.write_text("\n".join(rows))
    options = FilterOptions(max_tokens=50, max_ratio=2, drop_duplicates=True)
    store, report = prepare(ParallelText(path), tokenizer, options, tmp_path / "store")
    assert report == FilterReport(
        num_read=5, num_kept=1, num_duplicate=1, num_empty=1, num_too_long=1, num_bad_ratio=1
    )
    assert len(store) == 1


def test_the_line_of_every_row_is_known(
    tokenizer: Tokenizer, parallel: ParallelText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "CHUNK_SIZE", 70)
    more = tmp_path / "more.tsv"
    more.write_text("\ttwo\nGuten Tag\tHello\n" + "eins\tone\n" * 2)
    options = FilterOptions(max_tokens=40, drop_duplicates=True)
    store, report = prepare([parallel, ParallelText(more)], tokenizer, options, tmp_path / "store")
    lines = kept_lines([parallel, ParallelText(more)], tokenizer, options)
    text = [*PAIRS, ("", "two"), ("Guten Tag", "Hello"), ("eins", "one"), ("eins", "one")]
    kept = [
        (tokenizer.encode(source), tokenizer.encode(target))
        for source, target in map(text.__getitem__, lines)
    ]
    assert kept == [(store.source(row).tolist(), store.target(row).tolist()) for row in range(len(store))]
    assert 100 < len(lines) == report.num_kept < report.num_read == 304
    assert lines[-2:].tolist() == [301, 302]


def test_several_texts_make_one_store(tokenizer: Tokenizer, parallel: ParallelText, tmp_path: Path) -> None:
    source, target = tmp_path / "more.de", tmp_path / "more.en"
    source.write_text("Guten Tag\n")
    target.write_text("Hello\n")
    store, _ = prepare(
        [parallel, ParallelText(source, target)], tokenizer, FilterOptions(), tmp_path / "store"
    )
    assert len(store) == 301
    assert tokenizer.decode(store.source(300).tolist()) == "Guten Tag"


def test_work_is_done_again_only_when_something_changed(
    tokenizer: Tokenizer, parallel: ParallelText, tmp_path: Path
) -> None:
    path = tmp_path / "store"
    told: list[int] = []

    def num_runs(options: FilterOptions) -> int:
        told.clear()
        _, report = prepare(parallel, tokenizer, options, path, progress=told.append)
        assert report.num_read == 300
        return len(told)

    assert num_runs(FilterOptions()) == 1
    assert num_runs(FilterOptions()) == 0
    assert num_runs(FilterOptions(max_tokens=60)) == 1
    assert num_runs(FilterOptions(max_tokens=60)) == 0
    parallel.source.write_text(parallel.source.read_text().replace("a", "o"))
    assert num_runs(FilterOptions(max_tokens=60)) == 1
    (path / "source.tokens").write_bytes(b"")
    assert num_runs(FilterOptions(max_tokens=60)) == 1


def test_a_missing_text_is_reported(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(LexalignError) as error:
        prepare(ParallelText(tmp_path / "no.tsv"), tokenizer, FilterOptions(), tmp_path / "store")
    assert str(error.value) == f"cannot read {tmp_path / 'no.tsv'}: No such file or directory"
