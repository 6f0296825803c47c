"""The tokenizer of BLEU."""

import pytest

from lexalign.metrics.quality import bleu

JAPANESE = "足利義満は室町幕府の第3代征夷大将軍である。"


def test_without_spaces_characters_are_counted() -> None:
    found = bleu([JAPANESE.replace("征夷大", "")], [JAPANESE])
    assert "tok:char" in found.signature
    assert 50 < found.value < 100


@pytest.mark.parametrize("text", ["Der Name 義満 ist japanisch.", "1987 - 2004", "", "हिन्दी में एक वाक्य है।"])
def test_with_spaces_words_are_counted(text: str) -> None:
    assert "tok:13a" in bleu([text], [text]).signature
