"""Untranslatables are found, and every one is in any translation once."""

import re
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from experiments.studies.untranslatables.strings import UNTRANSLATABLES, tricky_strings
from lexalign.contracts.errors import LexalignError
from lexalign.markup import WordForWord
from lexalign.markup.protection import (
    Patterns,
    find_untranslatables,
    mask_text,
    missing_numbers,
    restore_text,
)

ALL = [(kind, span) for kind, spans in UNTRANSLATABLES.items() for span in spans]


def found(text: str, *patterns: str) -> list[str]:
    return [text[one.start : one.end] for one in find_untranslatables(text, Patterns(patterns))]


@pytest.mark.parametrize(("kind", "span"), ALL)
def test_every_form_is_found_as_a_whole(kind: str, span: str) -> None:
    text = f"Siehe {span}, bitte."
    (one,) = find_untranslatables(text)
    assert text[one.start : one.end] == span
    if span != "mailto:info@example.com":
        assert one.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "Das kostet 3,50 € am 12.03.2024, also 1.234.567 Euro oder 50 % mehr.",
        "Dr. Müller, z.B. in den U.S., kam um 14:30 Uhr mit 5.1% und/oder 20 °C.",
        "An e-mail, 24/7, TCP/IP, C# and iPhone users: 100% of them (e.g. Anna) said: no!",
        "Er sagte: „Nein!“ - dann ging er. Die Antwort: 42; A.B. Meyer & Co. KG, § 5.",
        "We're here; it's 5'10'' and 3/4 of macOS or JavaScript.",
        "5 kg Mehl, 20 km, 3 m, 230 V, 4 GB, 8 GHz und 3 h; 10 Nmx, 5 A4, 3000 U/min",
        "{see the note below} and 100% sure, or 5 % der Fälle",
        "",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("E = mc² und a² + b² = c²", ["mc²", "a²", "b²", "c²"]),
        ("H₂SO₄, C₆H₁₂O₆ und CO₂", ["H₂SO₄", "C₆H₁₂O₆", "CO₂"]),
        ("2½ Tassen, ¾ TL, 10⁻⁶ mol und xᵢ", ["2½", "¾", "10⁻⁶", "xᵢ"]),
        ("Eine Studie¹ zeigt es.² Ende.", ["¹", "²"]),  # of a word only its mark
        ("Name: ______ Datum: ___/___/____", ["______", "___/___/____"]),
        ("€5, £6 und 7 $", ["€", "£", "$"]),
        ("€5, €6 und 7 €", []),
    ],
)
def test_powers_fractions_blanks_and_currencies(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_marks_of_the_sentence_are_no_part_of_an_address() -> None:
    assert found("(See https://example.com/a_(b).)") == ["https://example.com/a_(b)"]
    assert found("Really, example.com? Yes: www.example.org!") == ["example.com", "www.example.org"]
    assert found("https://example.comを見て、{name}さん。") == ["https://example.com", "{name}"]


def test_units_that_models_spoil_are_kept_behind_a_number() -> None:
    text = (
        "10 µg/kg, 0,5\u00a0mol/l, 120 m² (25 Nm) bei 3 m/s², 1013 hPa, 2 mL und 10 kΩ. Nm, m/s und µg allein"
    )
    assert found(text) == ["µg/kg", "mol/l", "m²", "Nm", "m/s²", "hPa", "mL", "kΩ"]
    assert {one.kind for one in find_untranslatables(text)} == {"unit"}
    assert found("5 mg/Tag, 8 µg") == ["mg", "µg"]


def test_letters_that_are_glued_belong_to_it_if_they_are_few() -> None:
    assert found("Set {count}px and {n}th") == ["{count}px", "{n}th"]
    assert found("50%% or v{version}, %s%s") == ["50%%", "v{version}", "%s%s"]
    masked = mask_text("Hallo{name}heute", find_untranslatables("Hallo{name}heute"))
    assert masked.text == "Hallo X1 heute"


@pytest.mark.parametrize("gap", range(-40, 40, 3))
def test_nothing_is_lost_where_a_long_text_is_looked_at_in_parts(gap: int) -> None:
    """Parts are ten thousand characters, and two thousand more are seen of each."""
    for place in (10_000, 12_000, 20_000):
        text = "wort " * ((place + gap) // 5) + "`a b c` https://example.com/" + "x" * 3_000 + " {name} 🎉"
        assert found(text) == ["`a b c`", "https://example.com/" + "x" * 3_000, "{name}", "🎉"]


def test_stand_ins_are_words_that_the_text_does_not_have() -> None:
    text = "X1 und X2: {a} und {b}"
    assert mask_text(text, find_untranslatables(text)).text == "X1 und X2: X3 und X4"


def test_patterns_of_a_user_come_first() -> None:
    assert found("Order AB-12 by {name}", r"[A-Z]{2}-\d+") == ["AB-12", "{name}"]
    assert found("see {name}: x", r"\{name\}: x") == ["{name}: x"]
    assert found("aaa", "b*") == []


def test_a_pattern_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(LexalignError, match=r"the pattern '\(' cannot be read"):
        Patterns(("(",))


def seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


words = st.sampled_from(["das", "Haus", "und", "ist", "(alt)", "X1", "X7", "groß.", "Ja,", "日本"])
spans = st.sampled_from([span for _, span in ALL])
texts = st.lists(st.one_of(words, spans), min_size=1, max_size=12).map(" ".join)


@given(texts, st.booleans(), st.integers(0, 3))
@example("{a} {a} {a}", True, 2)
@example("🎉🎉 Haus <b> das", False, 0)
@settings(max_examples=300, deadline=None)
def test_whatever_is_made_of_a_text_everything_comes_back_once(text: str, reverse: bool, losses: int) -> None:
    """The translation loses stand-ins, doubles them, or turns all around."""
    masked = mask_text(text, find_untranslatables(text))
    aligned = next(iter(WordForWord(reverse=reverse).translate([masked.text])))
    target, links = aligned.target, aligned.links
    for one in masked.stand_ins[:losses]:
        target = re.sub(rf"\b{one.word}\b", "zz" if losses < 3 else f"{one.word} {one.word}s", target)
    for used in (links if target == aligned.target else (), ()):
        restored = restore_text(masked, target, used)
        assert [one.text for one in restored.protected] == [
            text[one.start : one.end] for one in masked.originals
        ]
        for kept in restored.protected:
            assert restored.text[slice(*kept.target)] == kept.text
            assert text[slice(*kept.source)] == kept.text
        places = sorted(one.target for one in restored.protected)
        assert all(first[1] <= second[0] for first, second in pairwise(places))
        for stand_in in masked.stand_ins:
            assert not re.search(rf"\b{stand_in.word}\b", restored.text)


@given(texts)
@settings(max_examples=200, deadline=None)
def test_a_word_of_a_sentence_is_never_glued_to_one(text: str) -> None:
    masked = mask_text(text, find_untranslatables(text))
    lost = restore_text(masked, "eins zwei drei", [])
    for one in lost.protected:
        if one.kind in ("symbol", "tag"):
            continue
        start, end = one.target
        assert start == 0 or not lost.text[start - 1].isalnum()
        assert end == len(lost.text) or not lost.text[end].isalnum()


@given(texts)
@settings(max_examples=200, deadline=None)
def test_offsets_of_a_masked_text_are_those_of_the_source(text: str) -> None:
    masked = mask_text(text, find_untranslatables(text))
    kept = {place for one in masked.originals for place in range(one.start, one.end)}
    for place, character in enumerate(masked.text):
        start, end = masked.to_source((place, place + 1))
        if end - start == 1 and start not in kept:
            assert text[start] == character
    for place, character in enumerate(text):
        if place not in kept and not character.isspace():
            assert masked.text[slice(*masked.from_source((place, place + 1)))] == character


def test_frames_have_what_they_say() -> None:
    for language in ("de", "en"):
        strings = tricky_strings(language)
        assert len(strings) >= 200
        for text, kept in strings:
            for span in kept:
                assert text.count(span) >= len(kept)


@pytest.mark.parametrize(
    "piece",
    [".", "[", "{", "}", "(", "a", "a.", "ab ", "<", "<a ", "`", "%", "@", "a@", "http://", "/", "a/", "a_",
     "é", "\u0301", "*", "**a", "[a](", "_", "1.", "A1", "#", "--a", "&a", "{a,plural,", "👩\u200d", "0x",
     "a\\",     "1 ", "5 € ", "5 µ", "5 m/", "https://a)", "x]"],
)  # fmt: skip
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """Sixteen times the text may take a hundred times as long on a busy machine; quadratic would be 256."""

    def work(text: str) -> None:
        masked = mask_text(text, find_untranslatables(text))
        restore_text(masked, masked.text, [])
        missing_numbers(text, text, [one.span for one in masked.originals])

    few, many = (
        min(seconds(partial(work, piece * (size // len(piece)))) for _ in range(3))
        for size in (2_000, 32_000)
    )
    assert many <= 100 * max(few, 0.001)


@pytest.mark.parametrize(
    ("source", "target", "missing"),
    [
        ("1.234,50 Euro", "1,234.50 euros", []),
        ("am 3.5. um 14:30", "on 3 May at 14:30", ["5"]),
        ("7 Hunde und 12 Katzen", "seven dogs and twelve cats", []),
        ("am 12.03.2024", "on 03/12/2024", []),
        ("42 und 42", "42", ["42"]),
        ("10 000 Menschen", "10,000 people", []),
        ("007", "7", []),
        ("Der 3. Versuch", "The third attempt", []),
        ("Der 40. Jahrestag", "The fortieth anniversary", []),
        ("It took 24 hours.", "Es dauerte vierundzwanzig Stunden.", []),
        ("99 bottles", "neunundneunzig Flaschen", []),
        ("4 days", "vierzig Tage", ["4"]),
        ("99 Fälle", "many cases", ["99"]),
        ("5 €", "$5", ["€"]),
        ("5 € und 3 £", "5 euros and £3", []),
    ],
)
def test_numbers_that_are_missing(source: str, target: str, missing: list[str]) -> None:
    assert [source[slice(*span)] for span in missing_numbers(source, target)] == missing


def test_numbers_of_untranslatables_do_not_count() -> None:
    text = "Version 2.14.0 hat 3 Fehler"
    spans = [one.span for one in find_untranslatables(text)]
    assert [text[slice(*span)] for span in missing_numbers(text, "It has faults", spans)] == ["3"]
