"""Sentences, and the white space between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.text.sentences import halves, sentence_spans


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Ida kam am 3. Mai.", "„Gut!“ sagte sie.", "Er ging."],
        ["He met Mr. Smith at 5 p.m. on Nov. 3rd.", "They left."],
        ["Siehe Nr. 5 und z. B. Abs. 2 bzw. Art. 7 GG.", "Das gilt."],
        ["It grew in 2009.", "Then it fell.", "Why?", "Nobody knows!"],
        ["He said no.", "See No. 5."],
        ["Version 2.5 kostet 3.000 Euro.", "(Ja.)", "– Nein."],
        ["“Stop.”", "She left…", "Übrigens."],
        ["Das ist usw. und so fort, d.h. alles."],
        ["eine kleine. schrift"],
    ],
)
def test_examples(sentences: list[str]) -> None:
    text = "  ".join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


def test_scripts_without_spaces() -> None:
    text = "これは。それは！「何？」यह है। वह है।"
    found = [text[start:end] for start, end in sentence_spans(text)]
    assert found == ["これは。", "それは！", "「何？」", "यह है।", "वह है।"]


def test_line_breaks_and_given_breaks() -> None:
    assert sentence_spans("a b\nc  d", [6]) == [(0, 3), (4, 5), (7, 8)]


@given(st.text(alphabet="aB. !?\n\t\u00a0。\"'", max_size=50), st.lists(st.integers(0, 50), max_size=3))
def test_nothing_but_white_space_lies_between(text: str, breaks: list[int]) -> None:
    spans = sentence_spans(text, [place for place in breaks if place <= len(text)])
    position = 0
    for start, end in spans:
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


@given(st.text(alphabet="ab, .\n", max_size=30))
def test_halves_are_shorter_and_lose_nothing(text: str) -> None:
    parts = halves(text.strip())
    if parts is None:
        assert len(text.split()) <= 1
    else:
        assert [word for start, end in parts for word in text.strip()[start:end].split()] == text.split()
        assert all(start < end for start, end in parts)
