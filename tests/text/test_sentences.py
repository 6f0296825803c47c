"""Sentences, and the white space between them."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lexalign.text.sentences import sentence_spans

# Each is a text whose sentences are told apart by two spaces.
EXAMPLES = """
Das Haus ist alt.  Der Hund ist groß.  Ich gehe nach Hause.  Es regnet heute sehr stark in Berlin.
Dr. Ida kam am 3. Mai.  „Gut!“ sagte sie.  Er ging.
He met Mr. Smith at 5 p.m. on Nov. 3rd.  They left.
Siehe Nr. 5 und z. B. Abs. 2 bzw. Art. 7 GG.  Das gilt.
It grew in 2009.  Then it fell.  Why?  Nobody knows!
He said no.  See No. 5.
Version 2.5 kostet 3.000 Euro.  (Ja.)  – Nein.
“Stop.”  She left…  Übrigens.
Das ist usw. und so fort, d.h. alles.
eine kleine. schrift
Der 2. Weltkrieg endete im 20. Jahrhundert.  Danach wurde es ruhig.
Er wurde 19.  Danach ging er fort.
Es gibt Birnen, Äpfel usw.  Die Äpfel sind rot.
Der Turnverein Berlin e.V. lädt ein.  Kommen Sie?
Kaiser Wilhelm II. Friedrich war im Jahr 44 v. Chr. Konsul?  Nein!
Vgl. hierzu § 5 Abs. 2 S. 1 BGB.  § 6 gilt nicht.
They use e.g. Paris, i.e. France, etc.  The U.S. Army left the U.S.  It was late.
J. R. R. Tolkien wrote it.  So did I.  It was plan B.  The end
See example.com.  Next, open main.py.  Version 1.2.3 came out.
"Really?" he asked.  "Really?" John asked.  He said "No."  Then he left.
Well... I don't know.  Wait!!!  What?!  Oh.
1. Erstens 2. Zweitens
a) One b) two.  (That is all.)  Done.
Great! 😀  Next one. 👩‍💻🇩🇪  Last one.
¿Qué?  ¡No!  ¿Cómo está el Sr. López?  Bien.
Il est né av. J.-C. à Rome.  M. Dupont est là.  C’est tout !  « Oui. »  Non.
Что это?  Это т. е. дом.  А. С. Пушкин жил в XIX в. в России.
Τι είναι αυτό;  Δεν ξέρω.
هل هذا صحيح؟  نعم، هو كذلك.  قال د. خالد ذلك.
Սա տուն է։  Այո։
ეს სახლია.  კარგია.
That is so (!) Great and [...] New.
The sum was high.[1]  Later it fell.
The iPhone came.  iPhones sold well.
"""


@pytest.mark.parametrize("line", EXAMPLES.strip().splitlines())
def test_examples(line: str) -> None:
    sentences = line.split("  ")
    for space in ("  ", " ", "\t", "\u00a0 "):
        text = space.join(sentences)
        assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        ("de", ["Das ist seine Art.", "Siehe Art. 5.", "Am 3. Tag kam er."]),
        ("en", ["She was 12.", "John was 13.", "It was World War II.", "Soldiers came."]),
        ("en", ["1. Open the file.", "2. Close it."]),
        ("deu_Latn", ["Er ging mit Dir.", "Hans blieb.", "Der 100. Geburtstag war schön."]),
        ("pt-BR", ["Ele disse que não.", "O Sr. Silva e a Dra. Costa vieram."]),
        ("nl", ["De heer dhr. Jansen kwam bijv. Maandag."]),
        ("sw", ["Habari ya Dr. Juma.", "Nzuri sana."]),
    ],
)
def test_languages(language: str, sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text, language=language)] == sentences


def test_a_language_decides_what_is_an_abbreviation() -> None:
    text = "He changed his mind. Peter did not."
    assert len(sentence_spans(text, language="en")) == 2
    assert len(sentence_spans("Es kostet mind. Hunderte Euro.", language="de")) == 1


@pytest.mark.parametrize(
    "sentences",
    [
        ["これは。", "それは！", "「何？」", "यह है।", "वह है।"],
        ["「何？」と言った。", "はい!", "いいえ。"],
        ["你好！", "价格是３．５元。", "他说：“好。”", "走吧。"],
        ["ይህ ነው።", "እሺ።"],
        ["ဒါကောင်းတယ်။", "ဟုတ်တယ်။"],
        ["یہ ٹھیک ہے۔", "ہاں۔"],
    ],
)
def test_scripts_without_spaces(sentences: list[str]) -> None:
    text = "".join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


def test_line_breaks_and_given_breaks() -> None:
    assert sentence_spans("a b\nc  d", [6]) == [(0, 3), (4, 5), (7, 8)]
    assert sentence_spans("a b", [0, 3, 99, -1]) == [(0, 3)]


_CHARACTERS = "aBä1.!?…。！।؟;:,\"'“”«»()[]-– \n\t\u00a0\u2028😀🇩\u0301\u200d\u200bक्のا"
_WORDS = "Dr.|z. B.|The |No. 5|etc. |J. | I. |1. |Mr|... |e.g|. »|3.5|Der|.[1]|said |U.S. ".split("|")  # noqa: SIM905
_UNITS = st.sampled_from([*_CHARACTERS, *_WORDS])
_RUNS = st.lists(st.tuples(_UNITS, st.integers(1, 12)), max_size=12).map(
    lambda runs: "".join(unit * count for unit, count in runs)
)
_LANGUAGES = st.sampled_from([None, "de", "en", "fr", "ja", "el", "cs"])


@example(text="So said I. I.", breaks=[12], language="en")
@given(_RUNS, st.lists(st.integers(0, 80), max_size=3), _LANGUAGES)
@settings(max_examples=400, deadline=None)
def test_nothing_but_white_space_lies_between(text: str, breaks: list[int], language: str | None) -> None:
    spans = sentence_spans(text, breaks, language)
    position = 0
    for start, end in spans:
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        assert not any(start < place < end for place in breaks)
        assert "\n" not in text[start:end]
        position = end
    assert not text[position:].strip()
    for start, end in spans:
        assert sentence_spans(text[start:end], language=language) == [(0, end - start)]


def _least_seconds(text: str) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        sentence_spans(text)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize(
    "unit",
    [
        ".",
        ". ",
        ".)",
        '"',
        "(",
        "a",
        " ",
        ".\n",
        "a. ",
        "A.",
        "1.",
        "1. ",
        "。",
        "\u0301",
        '. "',
        "! 😀",
        ". »",
    ],
)
def test_time_grows_with_the_length_alone(unit: str) -> None:
    """Sixteen times the text takes about sixteen times as long; in quadratic time it would take 256 times."""
    small, large = (unit * (size // len(unit)) for size in (10_000, 160_000))
    assert _least_seconds(large) < 100 * _least_seconds(small) + 0.05
