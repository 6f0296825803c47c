"""Extraction on arrays: words, windows, counts and projections are those of one text after the other."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.alignment import Link
from lexalign.glossary.entries import Place
from lexalign.glossary.matching.words import split, split_spaced
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.extraction.aligned_shards import align_texts
from lexalign.terminology.extraction.counting import count_terms
from lexalign.terminology.extraction.range_extremes import RangeMinimum
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.text_words import TextWords
from lexalign.terminology.extraction.translations import TranslationCounter
from lexalign.terminology.extraction.windows import WindowFinder
from lexalign.terminology.units import Unit
from tests.terminology.plain_extraction import PlainFinder, plain_counts, plain_translations

SOURCE_WORDS, TARGET_WORDS = frozenset({"the", "of", "new", "a"}), frozenset({"der", "von", "die"})
PIECES = [
    *(
        "the",
        "The",
        "of",
        "New",
        "new",
        "a",
        "sales",
        "order",
        "orders",
        "Sales-Order",
        "point",
        "x",
        "Straße",
    ),
    *(",", ".", "(", ")", "-", "/", "365", "3.5", "don't", "China's", "e-mail", "http://a.b/c", "Éclair"),
    *("東京", "都", "に", "हिन्दी", "w" * 61),
]
TARGET_PIECES = [
    *("der", "Der", "von", "die", "Auftrag", "Aufträge", "Ort", "neuen", "neue", "Kunden-Nr.", "e-mail"),
    *(",", "(", ")", "-", "/", "365", "3,5", "東京"),
]


def texts(pieces: list[str]) -> st.SearchStrategy[str]:
    """White space is single spaces; words may stand without any between them."""
    words = st.lists(
        st.tuples(st.sampled_from(pieces), st.sampled_from([" ", " ", " ", ""])), min_size=1, max_size=14
    )
    return words.map(lambda found: "".join(word + space for word, space in found).strip())


@settings(deadline=None)
@given(st.text().map(lambda text: " ".join(text.split())))
def test_words_with_their_spaces_are_the_text(text: str) -> None:
    found = split_spaced(text)
    assert "".join(found) == text
    assert [word.removeprefix(" ") for word in found] == [word.text for word in split(text)]


@settings(deadline=None)  # the first to look up a lemma reads its dictionary
@given(st.lists(texts(PIECES), max_size=6), st.sampled_from([None, "en", "de"]))
def test_windows_and_counts_are_those_of_each_text(sources: list[str], language: str | None) -> None:
    keys = TermKeys(language)
    counts = count_terms(sources, WindowFinder(SOURCE_WORDS, language), keys)
    expected = plain_counts(sources, PlainFinder(SOURCE_WORDS, language), keys)
    assert {key: (one.count, one.alone, one.forms) for key, one in counts.terms().items()} == expected
    assert counts.words == Counter(keys.word(word, last=True) for text in sources for word in split(text))


@settings(deadline=None)
@given(
    st.lists(st.tuples(texts(PIECES), texts(TARGET_PIECES)), min_size=1, max_size=6), st.integers(0, 1 << 20)
)
def test_translations_are_those_of_each_unit(pairs: list[tuple[str, str]], seed: int) -> None:
    units = [
        _linked(Unit(*pair, Place("", row)), random.Random(seed + row)) for row, pair in enumerate(pairs)
    ]
    sources, targets = [unit.unit.source for unit in units], [unit.unit.target for unit in units]
    keys = TermKeys("en"), TermKeys("de")
    functions = SOURCE_WORDS, TARGET_WORDS
    expected = plain_translations(units, PlainFinder(SOURCE_WORDS), keys, functions, 2)
    counter = TranslationCounter(
        chosen=frozenset(expected),
        finder=WindowFinder(SOURCE_WORDS),
        source_keys=keys[0],
        target_keys=keys[1],
        function_words=functions,
        num_examples=2,
    )
    places = [(0, row) for row in range(len(units))]
    assert counter.count(align_texts(sources, targets, _Given(units), places)) == expected


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.data())
def test_minimum_of_ranges(values: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(values) - 1))
    last = data.draw(st.integers(first + 1, len(values)))
    found = RangeMinimum(np.array(values), len(values)).over(np.array([first]), np.array([last]))
    assert found.tolist() == [min(values[first:last])]


def test_phrases_have_one_code_where_words_and_spaces_are_the_same() -> None:
    words = TextWords.read(["new order line", "a new order line", "new-ish order", "new order"])
    first, last = np.array([0, 4, 0, 0, 9]), np.array([3, 7, 2, 1, 11])
    codes = words.phrase_codes(first, last).tolist()
    assert codes[0] == codes[1]
    assert codes[2] == codes[4]
    assert len(set(codes)) == 3
    assert words.forms(first, last) == ["new order line", "new order line", "new order", "new", "new order"]


class _Given:
    """Units whose links are known."""

    def __init__(self, units: list[AlignedUnit]) -> None:
        self._units = units

    def align(self, units: Sequence[Unit]) -> Iterator[AlignedUnit]:
        assert len(units) == len(self._units)
        return iter(self._units)


def _linked(unit: Unit, chance: random.Random) -> AlignedUnit:
    source, target = split(unit.source), split(unit.target)
    pairs = sorted({(chance.randrange(len(source)), chance.randrange(len(target))) for _ in source})
    links = [Link(*pair, chance.choice([0.25, 0.5, None])) for pair in pairs if chance.random() < 0.8]
    return AlignedUnit(unit, source, target, tuple(links))
