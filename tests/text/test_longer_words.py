"""Whole words, parts of longer words, and the words that parts stand in."""

import pytest

from lexalign.text.longer_words import enclosing_word, find_part, find_words_of, longer_word

TEXT = "Die Referenzdaten der Datenbank, Daten und E-Daten."


def test_places() -> None:
    assert [TEXT[slice(*span)] for span in find_words_of("Daten", TEXT)] == ["Daten", "Daten"]
    assert list(find_part("-daten", TEXT)) == [(12, 17)]
    assert list(find_part("Daten-", TEXT)) == [(22, 27)]
    assert list(find_part("-", TEXT)) == []


@pytest.mark.parametrize(
    ("span", "expected"),
    [((12, 17), "Referenzdaten"), ((22, 27), "Datenbank"), ((33, 38), None), ((0, 17), None), ((4, 4), None)],
)
def test_the_word_around(span: tuple[int, int], expected: str | None) -> None:
    assert enclosing_word(TEXT, span) == expected


def test_a_term_in_any_case() -> None:
    assert longer_word("Ausschuss", "die Ausschussvorsitzende") == "Ausschussvorsitzende"
    assert longer_word("daten", TEXT) == "Referenzdaten"
    assert longer_word("Ausschuss", "der Ausschuss") is None
    assert longer_word("東", "東京") is None
