"""Marks that end a sentence. Attention rests on a source's final mark when it has nothing to say."""

from lexalign.text.tokenizer import Tokenizer

_MARKS = frozenset(".!?。！？।")


def final_marks(tokenizer: Tokenizer) -> tuple[int, ...]:
    """The entries of a vocabulary that are such a mark."""
    return tuple(
        index for index in range(tokenizer.vocabulary_size) if tokenizer.piece(index).lstrip("▁") in _MARKS
    )
