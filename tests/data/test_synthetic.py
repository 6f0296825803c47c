"""The synthetic corpus: correct numbers, stable, varied, and small in vocabulary."""

import pytest

from lexalign.data.synthetic import generate
from lexalign.data.synthetic.numerals import (
    english_cardinal,
    english_ordinal,
    english_year,
    german_cardinal,
    german_ordinal,
    german_year,
)
from lexalign.data.synthetic.sentences import PATTERNS


@pytest.mark.parametrize(
    ("number", "german", "english"),
    [
        (0, "null", "zero"),
        (1, "eins", "one"),
        (12, "zwölf", "twelve"),
        (16, "sechzehn", "sixteen"),
        (17, "siebzehn", "seventeen"),
        (21, "einundzwanzig", "twenty-one"),
        (30, "dreißig", "thirty"),
        (76, "sechsundsiebzig", "seventy-six"),
        (100, "einhundert", "one hundred"),
        (101, "einhunderteins", "one hundred and one"),
        (999, "neunhundertneunundneunzig", "nine hundred and ninety-nine"),
        (1000, "eintausend", "one thousand"),
        (2012, "zweitausendzwölf", "two thousand and twelve"),
        (21_000, "einundzwanzigtausend", "twenty-one thousand"),
        (23_412, "dreiundzwanzigtausendvierhundertzwölf", "twenty-three thousand four hundred and twelve"),
        (101_000, "einhunderteintausend", "one hundred and one thousand"),
    ],
)
def test_cardinals(number: int, german: str, english: str) -> None:
    assert german_cardinal(number) == german
    assert english_cardinal(number) == english


@pytest.mark.parametrize(
    ("number", "german", "english"),
    [
        (1, "ersten", "first"),
        (2, "zweiten", "second"),
        (3, "dritten", "third"),
        (7, "siebten", "seventh"),
        (8, "achten", "eighth"),
        (12, "zwölften", "twelfth"),
        (19, "neunzehnten", "nineteenth"),
        (20, "zwanzigsten", "twentieth"),
        (21, "einundzwanzigsten", "twenty-first"),
        (28, "achtundzwanzigsten", "twenty-eighth"),
    ],
)
def test_ordinals(number: int, german: str, english: str) -> None:
    assert german_ordinal(number) == german
    assert english_ordinal(number) == english


def test_years() -> None:
    assert german_year(1984) == "neunzehnhundertvierundachtzig"
    assert english_year(1984) == "nineteen eighty-four"
    assert german_year(1200) == "zwölfhundert"
    assert english_year(1200) == "twelve hundred"


def test_no_two_numbers_are_called_the_same() -> None:
    assert len({german_cardinal(number) for number in range(20_000)}) == 20_000
    assert len({english_cardinal(number) for number in range(20_000)}) == 20_000


def test_the_same_seed_gives_the_same_pairs_and_more_of_them() -> None:
    assert generate(200, seed=3) == generate(500, seed=3)[:200]
    assert generate(200, seed=3) != generate(200, seed=4)


def test_pairs_are_different_and_well_formed() -> None:
    pairs = generate(5000, seed=2)
    assert len(set(pairs)) == len(pairs) == 5000
    for sentence in (sentence for pair in pairs for sentence in pair):
        assert sentence[0].isupper()
        assert sentence[-1] in ".?"
        assert sentence == " ".join(sentence.split())
        assert "{" not in sentence


def test_one_german_sentence_has_one_translation() -> None:
    pairs = generate(20_000, seed=2)
    assert len({german for german, _ in pairs}) == len(pairs)


def test_words_are_few_but_for_german_numbers() -> None:
    pairs = generate(20_000, seed=2)
    english = {word.strip(".,?").lower() for _, sentence in pairs for word in sentence.split()}
    assert 200 < len(english) < 400


def test_every_pattern_is_used() -> None:
    assert len({pattern.__name__ for pattern in PATTERNS}) == len(PATTERNS)
    endings = (
        "geboren.",
        "gebaut.",
        "Verspätung.",
        "Besucher.",
        "ab.",
        "an.",
        "auf.",
        "jünger.",
        "Cent.",
        "hat.",
    )
    german = [sentence for sentence, _ in generate(500)]
    assert all(any(sentence.endswith(ending) for sentence in german) for ending in endings)


@pytest.mark.parametrize(
    ("german", "english"),
    [
        ("um halb eins", "at half past twelve"),
        ("um halb vier", "at half past three"),
        ("um ein Uhr", "at one o'clock"),
    ],
)
def test_the_clock(german: str, english: str) -> None:
    translations = [target for source, target in generate(20_000, seed=1) if f"{german} " in source]
    assert translations
    assert all(english in translation for translation in translations)
