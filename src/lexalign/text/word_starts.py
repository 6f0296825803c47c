"""Which subwords begin a word."""

import torch
from torch import Tensor

from lexalign.text.subwords import SubwordTokenizer
from lexalign.text.surface import SPACE_MARK


def continues_word(tokenizer: SubwordTokenizer) -> Tensor:
    """Which vocabulary entries (V,) go on with a word: they start with a letter or a digit, or are bytes.

    Japanese and its like have no mark between words, and there every token could be said to go on; a
    vocabulary in which hardly any word-start is marked therefore marks nothing.
    """
    pieces = [tokenizer.piece(index) for index in range(tokenizer.vocabulary_size)]
    found = [bool(piece) and (piece[0].isalnum() or _is_byte(piece)) for piece in pieces]
    spelled = [piece for piece in pieces if not _is_byte(piece)]
    starts = sum(piece.startswith(SPACE_MARK) for piece in spelled)
    if starts < len(spelled) / 20:
        return torch.zeros(len(pieces), dtype=torch.bool)
    return torch.tensor(found)


def _is_byte(piece: str) -> bool:
    return piece.startswith("<0x") and piece.endswith(">")
