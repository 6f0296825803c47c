"""Subwords that continue a word, in several scripts."""

from dataclasses import dataclass
from typing import cast

import pytest
from torch import Tensor

from lexalign.text.subwords import SubwordTokenizer
from lexalign.text.word_starts import word_continuation_mask

LATIN = ["▁the", "▁dog", "▁"] * 4


@dataclass(frozen=True)
class Vocabulary:
    pieces: list[str]

    @property
    def vocabulary_size(self) -> int:
        return len(self.pieces)

    def piece(self, index: int) -> str:
        return self.pieces[index]


def continuation_mask(pieces: list[str]) -> Tensor:
    """The mask of a vocabulary, of which nothing but the pieces is read."""
    return word_continuation_mask(cast(SubwordTokenizer, Vocabulary(pieces)))


@pytest.mark.parametrize("piece", ["ing", "7", "ß", "ठोस", "ी", "ों", "्री", "\u200dष", "<0x41>", "\u0301a"])
def test_letters_marks_and_bytes_continue_a_word(piece: str) -> None:
    assert continuation_mask([*LATIN, piece]).tolist() == [False] * len(LATIN) + [True]


@pytest.mark.parametrize("piece", ["▁ठोस", "-", ",", "।", "", "</s>", "犬", "は", "ー", "は犬", "ก"])
def test_word_starts_punctuation_and_scripts_without_spaces_do_not(piece: str) -> None:
    assert not continuation_mask([*LATIN, piece]).any()


def test_a_vocabulary_without_marked_starts_has_no_continuations() -> None:
    assert not continuation_mask(["▁a", *(f"b{index}" for index in range(30))]).any()
