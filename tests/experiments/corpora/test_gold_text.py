"""Gold text written as the training text is, with as many words as before."""

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.corpora.gold_text import Familiar, join, main, quote, respell, rewrite
from lexalign.translator.word_aligner import read_words

TRAINING = (
    "Cand s-a intamplat, sunt cateva zile. Cand sunt cativa, raman intr-un loc. Cateva raman.",
    "S-a intamplat cand cativa cind. Mina e plina, mana e mana. Mina. Doua-trei-patru zile sunt bajbaieli.",
    "Bajbaieli. Bad, bad. Complacea.",
)
FAMILIAR = Familiar.read(TRAINING)


def _line(text: str, *, old_romanian: bool = True) -> str:
    return " ".join(rewrite(text.split(), FAMILIAR, old_romanian=old_romanian))


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("cind", "cand"),  # occurs once, as a misprint
        ("Cind", "Cand"),
        ("sint", "sunt"),
        ("citiva", "cativa"),  # one of two
        ("bijbiieli", "bajbaieli"),  # two at once
        ("mina", "mina"),  # occurs, and is another word
        ("complicea", "complicea"),  # the other spelling is a misprint itself
        ("BID", "BID"),  # no word of any spelling
        ("in", "in"),
        ("i", "i"),
        (",", ","),
    ],
)
def test_a_word_takes_the_spelling_that_occurs(word: str, written: str) -> None:
    assert respell(word, FAMILIAR) == written


def test_only_what_occurs_joined_is_joined() -> None:
    assert _line("s - a intimplat - o dash") == "S ￭-￭ a intamplat - o dash"
    assert _line("in doua - trei - patru zile") == "In doua ￭-￭ trei ￭-￭ patru zile"
    assert _line("- a") == "- A"


def test_an_apostrophe_on_its_own_is_no_quotation_mark() -> None:
    english = Familiar.read(["We'll see the citizens' rights."])
    assert join(["the", "papers", "'", "fault"], english) == ["the", "papers", "￭'", "fault"]
    assert join(["soon", "we", "'", "ll", "go"], english) == ["soon", "we", "￭'￭", "ll", "go"]
    assert join(["they", "say", "'", "yes", "'", "."], english) == ["they", "say", "'", "yes", "'", "."]
    assert join(["papers", "'"], english) == ["papers", "￭'"]
    assert join(["'", "papers"], english) == ["'", "papers"]


def test_quotation_marks_are_those_of_the_training_text() -> None:
    familiar = Familiar.read(
        ['Raspunsul este "nu”, ("poate” nu).'] * 9 + ["Un 'nu' si \"da\" (citizens' rights)."]
    )
    written = quote(["Un", '"', "nu", '"', ",", "(", '"', "da", '"', ")", "."], familiar)
    assert written == ["Un", '"￭', "nu", "￭”", ",", "(", '"￭', "da", "￭”", ")", "."]
    assert read_words(" ".join(written), "words").text == 'Un "nu”, ("da”).'
    assert quote(["5", '"'], familiar) == ["5", '"']
    assert quote(['"', "nu", '"'], Familiar()) == ['"', "nu", '"']


def test_a_quotation_mark_that_is_usual_stays() -> None:
    familiar = Familiar.read(["'kashiki' and 'toka'", 'and "higo" too'])
    assert quote(['"', "nu", '"'], familiar) == ['"', "nu", '"']


def test_a_word_that_ends_in_an_apostrophe_is_joined_where_it_occurs_so() -> None:
    french = Familiar.read(["Ce n'est qu'aujourd'hui."])
    assert join(["hier", "ou", "aujourd'", "hui"], french) == ["hier", "ou", "aujourd'￭", "hui"]
    assert join(["aujourd'", "nous"], french) == ["aujourd'", "nous"]


def test_hindi_words_are_whole() -> None:
    hindi = Familiar.read(["साथ-साथ चलते हैं", "नीति-निर्माण"])
    assert join(["नीति", "-", "निर्माण"], hindi) == ["नीति", "￭-￭", "निर्माण"]
    assert join(["त", "-", "न"], hindi) == ["त", "-", "न"]
    assert hindi.words["चलते"] == 1


def test_the_first_word_has_a_capital_and_text_of_other_languages_keeps_its_spelling() -> None:
    assert _line('( " sint "', old_romanian=False) == '( " Sint "'
    assert _line("2 zile") == "2 zile"


@given(st.lists(st.sampled_from(["cind", "s", "-", "a", "'", "(", "Doua", "trei", "sint", "7abc"])))
def test_no_word_is_lost(words: list[str]) -> None:
    written = rewrite(words, FAMILIAR, old_romanian=True)
    assert len(written) == len(words)
    assert len(read_words(" ".join(written), "words").words) == len(words)


def test_the_command_writes_the_lines_and_tells_what_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = tmp_path / "train.ro"
    train.write_text("\n".join(TRAINING), encoding="utf-8")
    output, told = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"cind s - a intimplat\n\nsint\n")))
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(sys, "stderr", told)
    assert main([str(train), "--old-romanian"]) == 0
    output.seek(0)
    assert output.read() == "Cand s ￭-￭ a intamplat\n\nSunt\n"
    known = "before: 2 of 5 words are familiar; after: 5 of 5 words are familiar"
    assert told.getvalue() == f"{known}; 4 words and marks were changed\n"
