"""Regular forms are made, and a dictionary removes those that do not exist."""

import pytest

from lexalign.glossary.inflection.forms import MAX_FORMS, inflect
from lexalign.glossary.matching.lemmas import TableLemmas, find_lemmas


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("house", {"houses"}),
        ("box", {"boxes"}),
        ("city", {"cities"}),
        ("day", {"days"}),
        ("PC", {"PCs"}),
        ("member state", {"member states"}),
        ("to accept", {"accept", "accepts", "accepted", "accepting"}),
        ("to stop by", {"stop by", "stops by", "stopped by", "stopping by"}),
        ("to agree", {"agree", "agrees", "agreed", "agreeing"}),
        ("to try", {"try", "tries", "tried", "trying"}),
        ("to note", {"note", "notes", "noted", "noting"}),
        ("C++", set()),
    ],
)
def test_english(term: str, expected: set[str]) -> None:
    assert set(inflect([term], "en-GB")) == {term, *expected}


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("Prüfung", {"Prüfungen"}),
        ("Lehrerin", {"Lehrerinnen"}),
        ("Auto", {"Autos"}),
        ("LKW", {"LKWs"}),
        ("gültig", {"gültige", "gültigen", "gültiger", "gültiges", "gültigem"}),
        ("prüfen", {"prüfe", "prüfst", "prüft", "prüfte", "prüften", "geprüft"}),
        ("arbeiten", {"arbeite", "arbeitest", "arbeitet", "arbeitete", "arbeiteten", "gearbeitet"}),
        ("verkaufen", {"verkaufe", "verkaufst", "verkauft", "verkaufte", "verkauften"}),
    ],
)
def test_german(term: str, expected: set[str]) -> None:
    assert set(inflect([term], "de")) == {term, *expected}


@pytest.mark.parametrize(
    ("noun", "expected", "none"),
    [
        ("Haus", {"Hauses", "Häuser", "Häusern"}, {"Haüser", "Hausen", "Hauss"}),
        ("Gesetz", {"Gesetzes", "Gesetze", "Gesetzen"}, {"Gesetzer", "Gesetzern"}),
        ("Vater", {"Vaters", "Väter", "Vätern"}, set()),
    ],
)
def test_a_dictionary_strikes_german_forms_that_are_none(
    noun: str, expected: set[str], none: set[str]
) -> None:
    pytest.importorskip("simplemma")
    found = set(inflect([noun], "de", find_lemmas("de")))
    assert expected <= found
    assert not none & found


def test_an_adjective_goes_along_with_its_noun() -> None:
    found = inflect(["Europäisches Parlament"], "de", TableLemmas({"Parlament": "p", "Parlaments": "p"}))
    assert "Europäischen Parlaments" in found
    assert not any("Parlamenter" in form for form in found)


def test_what_is_listed_comes_first_and_stays_and_there_are_not_too_many() -> None:
    listed = [f"Gesetz{number}es Haus" for number in range(9)]
    found = inflect(listed, "de")
    assert list(found[:9]) == listed
    assert len(found) == len(set(found)) == MAX_FORMS
    many = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyzäöü"]
    assert inflect(many, "en") == tuple(many)


def test_languages_without_rules_add_nothing() -> None:
    assert inflect(["maison"], "fr") == ("maison",)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("höhere Gewalt", {"höheren Gewalt", "höherer Gewalt"}),
        (
            "gesetzlicher Vertreter",
            {"gesetzliche Vertreter", "gesetzlichen Vertreter", "gesetzlichem Vertreter"}
            | {f"gesetzlich{ending} Vertreters" for ending in ("e", "en", "em", "er")},
        ),
        ("Haus am See", set()),
    ],
)
def test_needed_german_forms_follow_the_ending_that_is_listed(term: str, expected: set[str]) -> None:
    pytest.importorskip("simplemma")
    assert set(inflect([term], "de", find_lemmas("de"), extent="needed")) == {term, *expected}
