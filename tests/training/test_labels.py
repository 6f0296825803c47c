"""Labels for the rows of a store: from lines of links, and by statistics."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from lexalign.alignment.formats.link_table import LinkTable
from lexalign.alignment.statistical import SentencePair
from lexalign.alignment.statistical.hmm import CorpusLinks, HmmOptions, align_by_agreement
from lexalign.alignment.symmetrization import Method
from lexalign.alignment.words import word_links
from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import prepare
from lexalign.data.reader import ParallelText
from lexalign.data.store import TokenStore
from lexalign.metrics.aer import score_alignments
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.text.words import word_ranges, words_of
from lexalign.training.heads import labels
from lexalign.training.heads.label_choice import check_labels
from lexalign.training.heads.labels import LabelFile, Statistical, file_labels, statistical_labels
from lexalign.training.heads.options import HeadOptions
from lexalign.training.stores import PreparedText, Say
from tests.training import permuted_copy
from tests.training.head_runs import NUM_TRAIN, PAIRS

# Between the words; lines 2, 4 and 5 are left out of the store.
TEXT = [
    ("das alte  Haus ist rot", "the old house is red", "0-0 1-1 2-2 3-3 4-4"),
    ("", "nothing", ""),
    ("ein  rotes Hausboot", "a red house boat", "0-0 1-1 2-2 2-3"),
    ("rot", "red house " * 20, "0-0"),
    ("das alte  Haus ist rot", "the old house is red", "4-4"),
    (" ein Haus ", "a house", "0-0 1-1"),
]
KEPT = [0, 2, 5]
FILTERS = FilterOptions(max_tokens=40, drop_duplicates=True)


@pytest.fixture
def text(tmp_path: Path) -> PreparedText:
    """In two parts."""
    sentences = [sentence for source, target, _ in TEXT for sentence in (source, target)]
    tokenizer = Tokenizer.train(
        sentences, TokenizerOptions(vocabulary_size=300), tmp_path / "tokenizer.model"
    )
    parts = []
    for name, part in (("one", TEXT[:3]), ("two", TEXT[3:])):
        path = tmp_path / f"{name}.tsv"
        path.write_text("".join(f"{source}\t{target}\n" for source, target, _ in part))
        parts.append(ParallelText(path))
    store, _ = prepare(parts, tokenizer, FILTERS, tmp_path / "store")
    return PreparedText(parts=parts, tokenizer=tokenizer, filters=FILTERS, store=store)


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


@pytest.mark.parametrize("base", [0, 1])
def test_words_of_the_kept_lines_are_split(text: PreparedText, tmp_path: Path, base: int) -> None:
    lines = [
        " ".join("-".join(str(int(number) + base) for number in link.split("-")) for link in links.split())
        for *_, links in TEXT
    ]
    file = LabelFile(path=write(tmp_path / "links", lines))
    table = file_labels(file, text, tmp_path / "data")
    assert len(table) == len(text.store) == len(KEPT)
    for row, line in enumerate(KEPT):
        source, target, expected = TEXT[line]
        sides = (text.tokenizer.source, source), (text.tokenizer.target, target)
        source_ranges, target_ranges = (
            word_ranges(tokenizer.encode_with_offsets(side).spans, words_of(side)[1])
            for tokenizer, side in sides
        )
        found = word_links([Link(*point) for point in table[row]], source_ranges, target_ranges)
        assert " ".join(f"{link.source}-{link.target}" for link in found) == expected
        with_words = {index for index, (first, last) in enumerate(target_ranges) if first < last}
        assert {target for _, target in table[row]} == with_words  # all of them: every word is linked


def test_subword_links_are_taken_as_they_are(text: PreparedText, tmp_path: Path) -> None:
    file = LabelFile(path=write(tmp_path / "links", ["0-0", "", "1-0", "9-9", "", "0-1"]), level="subword")
    table = file_labels(file, text, tmp_path / "data")
    assert [table[row] for row in range(3)] == [[(0, 0)], [(1, 0)], [(0, 1)]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0-0"] * 5, "5 lines of links, but the text has 6"),
        (["0-0"] * 7, "7 lines of links, but the text has 6"),
        (["0-0", "", "0-9", "", "", ""], "line 3: target word 9, counted from 0, of a sentence of 4 words"),
        (["0-0", "", "0:0", "", "", ""], "line 3: '0:0' is not a link"),
    ],
)
def test_files_that_do_not_fit_leave_nothing(
    text: PreparedText, tmp_path: Path, lines: list[str], message: str
) -> None:
    with pytest.raises(LexalignError, match=message):
        file_labels(LabelFile(path=write(tmp_path / "links", lines)), text, tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_labels_are_made_once(text: PreparedText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = LabelFile(path=write(tmp_path / "links", [links for *_, links in TEXT]))
    first = file_labels(file, text, tmp_path / "data")
    monkeypatch.setattr(labels, "_read_labels", lambda *_: pytest.fail("made again"))
    again = file_labels(file, text, tmp_path / "data")
    assert [again[row] for row in range(3)] == [first[row] for row in range(3)]
    monkeypatch.setattr(labels, "_read_labels", lambda *_: LinkTable.from_sentences([[]]))
    assert len(file_labels(LabelFile(path=file.path, level="subword"), text, tmp_path / "data")) == 1


@pytest.mark.parametrize("method", ["hmm", "hmm-agreement", "fast-align"])
def test_statistics_find_the_words_of_a_plain_dictionary(tmp_path: Path, method: Statistical) -> None:
    """Whose target lists the same ideas, without marks, in the order of the source."""
    if method != "hmm-agreement":
        pytest.importorskip("systran_align" if method == "fast-align" else "thot")
    stores = _stores(tmp_path)
    symmetrization: Method = "grow-diag-final-and" if method == "fast-align" else "grow-diag"
    table = statistical_labels(method, stores, symmetrization, tmp_path)
    assert len(table) == len(PAIRS)
    assert _aer(table) < 0.05


def test_long_texts_are_aligned_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which learn for themselves, and come back in the order of the text."""
    stores = _stores(tmp_path)
    learnt_from = []

    def watched(pairs: Iterable[SentencePair], options: HmmOptions, say: Say) -> CorpusLinks:
        found = align_by_agreement(pairs, options, say=say)
        learnt_from.append(len(found))
        return found

    monkeypatch.setattr(labels, "align_by_agreement", watched)
    monkeypatch.setattr(labels, "_MOST_PAIRS", len(PAIRS) // 3)
    said: list[str] = []
    table = statistical_labels("hmm-agreement", stores, "grow-diag", tmp_path, said.append)
    assert f"part 1 of {len(learnt_from)}" in said
    assert len(learnt_from) in (3, 4)
    assert sum(learnt_from) == len(table) == len(PAIRS)
    assert max(learnt_from) <= len(PAIRS) // 3
    assert _aer(table) < 0.1


def _stores(folder: Path) -> list[TokenStore]:
    texts = [permuted_copy.write(folder / f"{name}.tsv", part) for name, part in _dictionary().items()]
    sentences = [sentence for part in texts for pair in part.read() for sentence in pair]
    kind = TokenizerOptions(vocabulary_size=309, character_coverage=1.0)
    tokenizer = Tokenizer.train(sentences, kind, folder / "tokenizer.model")
    return [prepare(part, tokenizer, FilterOptions(), folder / part.source.stem)[0] for part in texts]


def _aer(table: LinkTable) -> float:
    gold = [pair.links for part in _dictionary().values() for pair in part]
    found = [[Link(*point) for point in table[row]] for row in range(len(table))]
    return score_alignments(gold, found).aer


def _dictionary() -> dict[str, list[permuted_copy.Pair]]:
    def plain(pair: permuted_copy.Pair) -> permuted_copy.Pair:
        ideas = [(ord(word) - ord("Ā")) // 4 for word in pair.source.split()]
        source, target = (" ".join(chr(ord(first) + idea) for idea in ideas) for first in ("a", "A"))
        return permuted_copy.Pair(source, target, [Link(index, index) for index in range(len(ideas))])

    plain_pairs = [plain(pair) for pair in PAIRS]
    return {"train": plain_pairs[:NUM_TRAIN], "valid": plain_pairs[NUM_TRAIN:]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"teacher": "shift-att"}, "shift-att needs a reverse model"),
        ({"teacher": "post-aln"}, "post-aln needs a reverse model"),
        ({"teacher": "hmm", "rounds": 2}, "second round needs a reverse model"),
    ],
)
def test_teachers_that_need_both_directions(options: dict[str, Any], message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        check_labels(HeadOptions(**options), None, both_directions=False)


def test_extras_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "systran_align", None)
    monkeypatch.setitem(sys.modules, "thot.alignment", None)
    with pytest.raises(LexalignError, match=r"lexalign\[thot\]"):
        check_labels(HeadOptions(teacher="ibm4"), None, both_directions=True)
    options = HeadOptions(teacher="fast-align", symmetrization="grow-diag-final-and")
    with pytest.raises(LexalignError, match=r"lexalign\[fast-align\]"):
        check_labels(options, None, both_directions=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"teacher": "giza"}, "unknown teacher 'giza'"),
        ({"kinds": ("aln",)}, "no alignment head 'aln'"),
        ({"kinds": ()}, "give at least one kind of head"),
        ({"symmetrization": "sum"}, "unknown symmetrization 'sum'"),
        ({"teacher": "fast-align", "symmetrization": "union"}, "grow-diag-final-and and nothing else"),
        ({"updates": 0}, "updates is 0"),
        ({"warmup": -1}, "warmup"),
        ({"learning_rate": float("nan")}, "learning_rate is nan"),
    ],
)
def test_senseless_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        HeadOptions(**options)


def test_an_unknown_level(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="unknown level 'letter'"):
        LabelFile(path=tmp_path, level="letter")  # type: ignore[arg-type]
