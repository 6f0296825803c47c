"""Large numbers keep their value, and everything else its form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.bundled import find_model
from lexalign.text.subwords import Languages
from lexalign.translator import TranslateOptions, Translator
from lexalign.translator.number_formats import fit_numbers

TO_GERMAN: Languages = ("en", "de")
TO_ENGLISH: Languages = ("de", "en")


@pytest.mark.parametrize(
    ("languages", "source", "target", "expected"),
    [
        (TO_GERMAN, "5,403,293.73 people", "5403,293,73 Menschen", "5.403.293,73 Menschen"),
        (TO_GERMAN, "to 8,427,164", "auf 8.427,164", "auf 8.427.164"),
        (TO_GERMAN, "to 8,427,164", "auf 8,427,164", "auf 8.427.164"),
        (TO_GERMAN, "2,810,685 and 10,000", "2810 685 und 10.000", "2.810.685 und 10.000"),
        (TO_GERMAN, "1,234,567", "1234567 oder 1 234 567", "1234567 oder 1 234 567"),
        (TO_GERMAN, "in room 2,104", "in Raum 2,104", "in Raum 2,104"),  # one group: perhaps no number
        (TO_GERMAN, "about 2,104", "etwa 2104", "etwa 2104"),
        (TO_GERMAN, "version 3.11.2, 781.99", "Version 3.11.2, 781.99", "Version 3.11.2, 781.99"),
        (TO_GERMAN, "192.168.100.200", "192.168.100.200", "192.168.100.200"),
        (TO_ENGLISH, "1.234.567,89 €", "1,234.567.89 euros", "1,234,567.89 euros"),
        (TO_ENGLISH, "am 12.03.2024 um 10.30", "on 12.03.2024 at 10.30", "on 12.03.2024 at 10.30"),
        (("en", "fr"), "1,234,567.5", "1,234,567.5", "1\u202f234\u202f567,5"),
        (("de-AT", "en_GB"), "1.234.567", "1.234.567", "1,234,567"),
        (("xx", "de"), "1,234,567.5", "1,234,567.5", "1,234,567.5"),
    ],
)
def test_separators_are_those_of_the_language(
    languages: Languages, source: str, target: str, expected: str
) -> None:
    assert fit_numbers(target, [], source, languages)[0] == expected


@given(st.integers(1_000_000, 10**12), st.integers(0, 99))
def test_a_value_stays(whole: int, cents: int) -> None:
    english = f"{whole:,}.{cents:02}"
    german = english.translate(str.maketrans(",.", ".,"))
    for garbled in (english, german, english.replace(",", ""), english.replace(".", ",")):
        fitted, _ = fit_numbers(f"Es sind {garbled} Euro.", [], f"It is {english} euros.", TO_GERMAN)
        found = fitted.removeprefix("Es sind ").removesuffix(" Euro.")
        assert float(found.replace(".", "").replace(",", ".")) == float(english.replace(",", ""))


def test_tokens_keep_their_places() -> None:
    text = "Es sind 5403,293,73 Euro."
    tokens = ["Es", "sind", "5403", ",", "293", ",", "73", "Euro", "."]
    spans, position = [], 0
    for token in tokens:
        position = text.index(token, position)
        spans.append((position, position + len(token)))
        position += len(token)
    fitted, moved = fit_numbers(text, spans, "It is 5,403,293.73 euros.", TO_GERMAN)
    assert fitted == "Es sind 5.403.293,73 Euro."
    told = [fitted[start:end] for start, end in moved]
    assert (told[0], told[1], told[7], told[8]) == ("Es", "sind", "Euro", ".")
    assert all(start <= end for start, end in moved)
    assert moved[2][0] == 8
    assert moved[6][1] <= 20


def test_translations_have_the_value_of_their_source() -> None:
    text = "Revenue rose to 8,427,164 dollars, and 5,403,293.73 people live there."
    found = Translator.load(find_model("en", "de")).translate(text, TranslateOptions(workers=1))
    assert "8.427.164" in found.text
    assert "5.403.293,73" in found.text
    assert not found.missing_numbers
