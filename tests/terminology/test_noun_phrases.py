"""Phrases that are terms, and those that are cut off or have a verb."""

import pytest

from lexalign.terminology.extraction.closed_classes import closed_classes
from lexalign.terminology.extraction.noun_phrases import dictionary_form, is_noun_phrase
from lexalign.terminology.extraction.text_words import TextWords
from lexalign.terminology.extraction.windows import WindowFinder


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("Rechnung", True),
        ("neue offene Rechnungen", True),
        ("Liste offener Rechnungen", True),
        ("Erzeugnissen tierischen Ursprungs", True),
        ("Status der aktuellen Version", True),
        ("rote und grüne Karten", True),
        ("Dynamics 365-Apps", True),
        ("Tom fragte Maria", False),
        ("Aktivitätsbereich enthält Schaltflächen", False),
        ("Rechnung ein Saldo", False),
        ("Auswirkungen der gemeinsamen", False),
        ("Datei hochladen", False),
        ("zwischen Parlament", False),
        ("der Rechnung", False),
    ],
)
def test_german_noun_phrases(form: str, expected: bool) -> None:
    assert is_noun_phrase(form) == expected


def test_the_first_word_of_a_text_may_be_an_adjective() -> None:
    assert is_noun_phrase("Offene Rechnungen", initial=True)
    assert not is_noun_phrase("Wählen Sie Rechnungen", initial=True)


@pytest.mark.parametrize(
    ("listed", "seen", "expected"),
    [
        ("erweiterten Anmeldung", (), "erweiterte Anmeldung"),
        ("steuerlichen Gerät", ("steuerliche Gerät", "steuerliches Gerät"), "steuerliches Gerät"),
        ("neuen offenen Rechnungen", (), "neue offene Rechnungen"),
        ("boolescher Wert", ("boolesche Wert",), "boolescher Wert"),
        ("boolesche Feld", ("boolesches Feld",), "boolesches Feld"),
        ("Vereinten Nationen", (), "Vereinten Nationen"),
        ("Europäischen Union", ("Europäischer Union", "Europäische Union"), "Europäische Union"),
        ("Daten Union", (), "Daten Union"),
        ("gewünschten", (), "gewünschten"),
        ("europäischen Verbrauchern", (), "europäische Verbraucher"),
        ("europäischen Bürgers", (), "europäische Bürger"),
        ("Netzes", (), "Netz"),
        ("Wählen", (), "Wählen"),
        ("Speichern", (), "Speichern"),
        ("Verbrauchern", ("Verbraucher",), "Verbraucher"),
        ("Liste der offenen Posten", (), "Liste der offenen Posten"),
    ],
)
def test_dictionary_forms(listed: str, seen: tuple[str, ...], expected: str) -> None:
    assert dictionary_form(listed, dict.fromkeys((listed, *seen), 1)) == expected


def test_copied_nouns_are_no_genitives() -> None:
    assert dictionary_form("Microsoft 365 Apps", {}, {"Apps"}) == "Microsoft 365 Apps"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "point of sale", {"point", "sale", "point of sale"}),
        ("en", "invoice will be paid", {"invoice", "paid"}),
        ("en", "I've the following work orders", {"work", "orders", "work orders"}),
        ("en", "we didn't ask", {"ask"}),
        ("de", "Währung und Zoll sowie Handel", {"Währung", "Zoll", "Währung und Zoll", "Handel"}),
        ("de", "zwischen allen Bürgern", {"Bürgern"}),
        ("fr", "la politique de la concurrence", {"politique", "concurrence", "politique de la concurrence"}),
    ],
)
def test_words_of_closed_classes_end_a_term(language: str, text: str, expected: set[str]) -> None:
    closed = closed_classes(language)
    assert closed is not None
    words = TextWords.read([text])
    windows = WindowFinder(closed.words, language).find(words)
    assert set(words.forms(windows.first, windows.last)) == expected
