"""Text in capitals is read in small letters, and its translation put into capitals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.bundled import find_model
from lexalign.contracts.alignment import Span
from lexalign.glossary import Glossary, parse_term
from lexalign.text.capitals import in_capitals, without_capitals
from lexalign.translator import TranslateOptions, Translator


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DO NOT OPEN!", "Do not open!"),
        ("ACHTUNG: 2 STÜCK", "Achtung: 2 stück"),
        ("(WARNING)", "(Warning)"),
        ("SETTINGS", "Settings"),
        ("DIE STRAẞE IST ZU", "Die straße ist zu"),
        ("HTML", None),  # perhaps an abbreviation
        ("USA, UK", None),
        ("DO NOT open", None),
        ("Do not open", None),
        ("東京 2020", None),
        ("12 × 5", None),
        ("", None),
    ],
)
def test_only_a_text_in_capitals_is_changed(text: str, expected: str | None) -> None:
    assert without_capitals(text) == expected


def test_what_is_kept_is_neither_looked_at_nor_changed() -> None:
    kept: list[Span] = [(5, 7)]
    assert without_capitals("OPEN X1 NEVER", kept) == "Open X1 never"
    assert without_capitals("OPEN x1 NEVER", kept) == "Open x1 never"
    assert in_capitals("open x1 straße", kept) == "OPEN x1 STRAẞE"


@given(st.text(max_size=30))
def test_lengths_stay_the_same(text: str) -> None:
    assert len(in_capitals(text)) == len(text)
    assert len(without_capitals(text) or text) == len(text)
    calm = without_capitals(text)
    assert calm is None or without_capitals(in_capitals(text)) is not None


@pytest.fixture(scope="module")
def to_german() -> Translator:
    return Translator.load(find_model("en", "de"))


def test_a_sentence_in_capitals_is_that_in_small_letters(to_german: Translator) -> None:
    texts = ["DO NOT OPEN THE COVER OF {name}!", "Do not open the cover of {name}!"]
    loud, calm = to_german.translate(texts, TranslateOptions(workers=1))
    assert loud.text.replace("{NAME}", "{name}") == in_capitals(calm.text).replace("{NAME}", "{name}")
    assert "{name}" in loud.text
    assert [(link.source, link.target) for link in loud.links] == [
        (link.source, link.target) for link in calm.links
    ]


def test_terms_are_met_in_capitals(to_german: Translator) -> None:
    glossary = Glossary(tuple(map(parse_term, ["cover=Klappe", "Save changes=Änderungen sichern"])))
    found = to_german.translate(
        "DO NOT OPEN THE COVER. SAVE CHANGES NOW. Open the cover.",
        TranslateOptions(workers=1),
        glossary=glossary,
    )
    assert all(term.met for term in found.terms)
    told = [found.text[slice(*term.target)] for term in found.terms if term.target]
    assert told == ["KLAPPE", "ÄNDERUNGEN SICHERN", "Klappe"]


def test_a_stream_is_in_capitals_too(to_german: Translator) -> None:
    tokens = list(to_german.stream("CANCEL THE ORDER. Then close the window."))
    first, second = "".join(token.text for token in tokens).split(".")[:2]
    assert first.isupper()
    assert not second.isupper()
