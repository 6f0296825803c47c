"""Marks that end a sentence. Attention rests on a source's final mark when it has nothing to say."""

from lexalign.text.subwords import SubwordTokenizer

_MARKS = frozenset(".!?。！？।")


def sentence_final_ids(side: SubwordTokenizer) -> tuple[int, ...]:
    """The entries of a side's vocabulary that are such a mark."""
    return tuple(index for index in range(side.vocabulary_size) if side.piece(index).lstrip("▁") in _MARKS)
