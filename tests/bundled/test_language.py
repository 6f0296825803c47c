"""Guessing a language from a sentence; the sentences are of our own making."""

import pytest

from experiments.language_profiles import main, profiles
from lexalign.bundled import language
from lexalign.bundled.language import PROFILES, guess_language, letter_grams, read_profiles
from lexalign.data.synthetic import generate

GERMAN = [
    "Das Haus ist groß.",
    "Guten Morgen!",
    "Wo ist der Bahnhof?",
    "Ich habe keine Zeit.",
    "Nein, danke.",
    "Er kommt morgen.",
    "Zwei Bier, bitte.",
    "DER BERICHT IST FERTIG",
    "Kann ich Ihnen helfen?",
    "Die Maschine muss vor dem Reinigen ausgeschaltet werden.",
    "schnell",
]
ENGLISH = [
    "The house is big.",
    "Good morning!",
    "Where is the station?",
    "I have no time.",
    "No, thank you.",
    "He is coming tomorrow.",
    "Two beers, please.",
    "THE REPORT IS READY",
    "Can I help you?",
    "Switch the machine off before cleaning it.",
    "quickly",
]
FRENCH = ["Je vous remercie beaucoup pour cette question.", "La maison est grande et le jardin est petit."]
BOTH = ("de", "en")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, "de") for text in GERMAN),
        *((text, "en") for text in ENGLISH),
        *((text, "fr") for text in FRENCH),
    ],
)
def test_a_sentence_tells_its_language(text: str, expected: str) -> None:
    assert guess_language(text, BOTH) == expected


def test_the_demo_s_corpus_is_told_apart() -> None:
    pairs = generate(500)
    wrong = [pair for pair in pairs if [guess_language(side, BOTH) for side in pair] != ["de", "en"]]
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize("text", ["", " ", "123", "+49 30 1234", "日本語", "xq", "Б"])
def test_what_tells_nothing_is_not_guessed(text: str) -> None:
    assert guess_language(text, BOTH) is None


def test_an_unknown_language_cannot_be_told_from_others() -> None:
    assert guess_language("Das Haus ist groß.", ("de", "xx")) is None


def test_a_language_that_is_asked_for_needs_less() -> None:
    """A word or two could be of any; nobody expects French here."""
    word = "restaurant"
    assert guess_language(word, BOTH) in BOTH
    assert guess_language(word, ("fr", "de")) == "fr"


def test_only_the_beginning_of_a_long_text_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "_MOST_CHARACTERS", 18)
    assert guess_language("Das Haus ist groß." + " The house is big." * 50, BOTH) == "de"


def test_letters_are_counted_within_words() -> None:
    assert list(letter_grams("Die 2 Öfen!")) == [
        *("_di", "die", "ie_", "_die", "die_"),
        *("_öf", "öfe", "fen", "en_", "_öfe", "öfen", "fen_"),
    ]


def test_profiles_are_made_from_text(tmp_path) -> None:  # type: ignore[no-untyped-def]
    for name, column in (("de", 0), ("en", 1)):
        lines = [pair[column] + "\n" for pair in generate(300)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    made = tmp_path / "profiles.tsv"
    assert main([f"de={tmp_path / 'de'}", f"en={tmp_path / 'en'}", "--to", str(made)]) == 0
    languages, rows = read_profiles(made)
    assert languages == ["de", "en"]
    assert rows["_und"][0] > rows["_und"][1]
    assert all(value < 0 for row in rows.values() for value in row)
    assert profiles({}) == "gram\n"


def test_the_profiles_that_come_along_are_sound() -> None:
    languages, rows = read_profiles(PROFILES)
    assert {"de", "en"} <= set(languages)
    assert all(len(row) == len(languages) for row in rows.values())
