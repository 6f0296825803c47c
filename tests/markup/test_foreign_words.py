"""What a model cannot read is kept, what it can read is left to it."""

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.bundled import find_model
from lexalign.contracts.alignment import Span
from lexalign.markup.protection import find_untranslatables, mask_text, with_own_currency
from lexalign.markup.protection.foreign_words import find_foreign
from lexalign.text.alphabet import Alphabet
from lexalign.text.tokenizer_files import load_tokenizer
from lexalign.translator import TranslateOptions, Translator


def unknown(characters: str) -> Callable[[str], frozenset[str]]:
    return lambda text: frozenset(characters) & frozenset(text)


def foreign(text: str, characters: str) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.kind) for one in find_foreign(text, unknown(characters))]


@pytest.mark.parametrize(
    ("text", "characters", "expected"),
    [
        ("Sie traf Łukasz in 東京.", "Łł東京", [("Łukasz", "foreign"), ("東京", "foreign")]),
        ("±0,5 % von ¥300", "±¥", [("±", "symbol"), ("¥", "symbol")]),
        ("Er sagte „Привет мир“ und ging.", "Приветм", [("Привет мир", "foreign")]),
        ("ein β-Blocker, 3¼ Liter bei 20 °C", "β¼°", [(one, "foreign") for one in ("β", "3¼", "°C")]),
        ("Das ist café, nicht Café.", "é", []),  # an ordinary word has the letter
        ("Das Café ist zu.", "é", [("Café", "foreign")]),
        ("oraşul Bucureşti și Şi", "şŞ", []),
        ("東京の龘です", "龘", []),  # rare, but of a script that the model reads
        ("Alles bekannt.", "é", []),
        ("", "é", []),
    ],
)
def test_names_quantities_and_foreign_words_are_kept(
    text: str, characters: str, expected: list[tuple[str, str]]
) -> None:
    assert foreign(text, characters) == expected


@given(st.text(alphabet="aB5 éÉ東京ж±€°⁻-.", max_size=40))
def test_spans_are_in_order_and_have_what_is_unknown(text: str) -> None:
    characters = "éÉ東京ж±"
    spans = [one.span for one in find_foreign(text, unknown(characters))]
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(not set(characters).isdisjoint(text[slice(*span)]) for span in spans)
    both = find_untranslatables(text, unknown=unknown(characters))
    masked = mask_text(text, both)
    assert [text[slice(*one.span)] for one in masked.originals] == [text[slice(*one.span)] for one in both]


def test_other_forms_come_first() -> None:
    text = "Siehe https://example.com/Škoda und Škoda."
    kinds = [(text[slice(*one.span)], one.kind) for one in find_untranslatables(text, unknown=unknown("Š"))]
    assert kinds == [("https://example.com/Škoda", "url"), ("Škoda", "foreign")]


def test_an_alphabet_is_that_of_the_tokenizer() -> None:
    alphabet = Alphabet(load_tokenizer(find_model("de", "en")).source)
    assert alphabet.unknown("Größe, Straße – 5 €") == frozenset()
    assert alphabet.unknown("±5 ¼ 東京\n") == frozenset("±¼東京")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Die Toleranz beträgt ±0,5 mm.", ["±"]),
        ("Das Treffen fand in 東京 statt.", ["東京"]),
        ("Sie sagte Привет zu mir.", ["Привет"]),
        ("Nehmen Sie ¼ Liter Milch.", ["¼"]),
    ],
)
def test_what_a_model_cannot_read_is_in_its_translation(text: str, kept: list[str]) -> None:
    found = Translator.load(find_model("de", "en")).translate(text, TranslateOptions(workers=1))
    assert all(found.text.count(one) == 1 for one in kept)
    assert sorted(one.text for one in found.protected) == sorted(kept)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("Es kostet 5 €.", "It costs $5.", "It costs €5."),
        ("5,00 € im Monat", "$5.00 a month, or $ 60 a year", "€5.00 a month, or € 60 a year"),
        ("5 €", "5 $", "5 €"),
        ("5 €", "5 euros, $home", "5 euros, $home"),
        ("5 €", "EUR 5, not $5", "EUR 5, not $5"),
        ("5 € oder 6 $", "$5 or $6", "$5 or $6"),  # which of them is which is not known
        ("5 Stück", "$5", "$5"),
        ("5 € in {x}", "$5 in $5", "€5 in $5"),
    ],
)
def test_a_currency_stays_the_same(source: str, target: str, expected: str) -> None:
    skipped: list[Span] = [(6, 8)] if "{x}" in source else []
    assert with_own_currency(source, target, skipped) == expected


def test_time_grows_as_the_text() -> None:
    characters = "".join(map(chr, range(0x1401, 0x1401 + 600)))  # syllables without capitals
    texts = [" ".join(characters[index % 600] * 3 for index in range(size)) for size in (4_000, 16_000)]
    times = []
    for text in texts:
        started = time.process_time()
        assert len(find_foreign(text, unknown(characters))) == 1  # foreign words side by side
        times.append(time.process_time() - started)
    assert times[1] < 16 * max(times[0], 0.01)
