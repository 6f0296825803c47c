"""Subwords that begin or continue a word."""

import torch
from torch import Tensor

from lexalign.characters import continues_word
from lexalign.text.subwords import SubwordTokenizer
from lexalign.text.surface import SPACE_MARK


def word_continuation_mask(tokenizer: SubwordTokenizer) -> Tensor:
    """The vocabulary entries (V,) that continue a word: they start inside of one, or are bytes.

    In scripts without spaces, such as Japanese, every token counts as a word. So do all tokens of a
    vocabulary that hardly ever marks the beginning of a word.
    """
    pieces = [tokenizer.piece(index) for index in range(tokenizer.vocabulary_size)]
    spelled = [piece for piece in pieces if not _is_byte(piece)]
    starts = sum(piece.startswith(SPACE_MARK) for piece in spelled)
    if starts < len(spelled) / 20:
        return torch.zeros(len(pieces), dtype=torch.bool)
    return torch.tensor([_is_byte(piece) or continues_word(piece) for piece in pieces])


def word_boundary_id(tokenizer: SubwordTokenizer) -> int | None:
    """The vocabulary entry that is nothing but the beginning of a word."""
    pieces = (index for index in range(tokenizer.vocabulary_size) if tokenizer.piece(index) == SPACE_MARK)
    return next(pieces, None)


def _is_byte(piece: str) -> bool:
    return piece.startswith("<0x") and piece.endswith(">")
