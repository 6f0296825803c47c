"""Constraints in text as constraints in tokens.

A target is split into subwords as the model would write it at the start of a word, so that "dog" is met by
`▁dog` and not in `▁hot dog`; what may follow it is for the search, by `continues_word`.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.text.subwords import Encoding, SubwordTokenizer
from lexalign.text.surface import SPACE_MARK


def token_constraints(
    tokenizer: SubwordTokenizer, source: Encoding, constraints: Sequence[Constraint]
) -> tuple[TokenConstraint, ...]:
    """In the same order; `tokenizer` is the target's, `source` the sentence that they belong to."""
    return tuple(
        TokenConstraint(
            alternatives=tuple(
                tuple(tokenizer.encode_inside(target.strip())) for target in constraint.targets
            ),
            source=None if constraint.source is None else touched(source.spans, constraint.source),
            kind=constraint.kind,
            bonus=constraint.bonus,
        )
        for constraint in constraints
    )


def touched(pieces: Sequence[Span], span: Span) -> tuple[int, ...]:
    """The pieces that share a character with a stretch of the text."""
    return tuple(index for index, (start, end) in enumerate(pieces) if start < span[1] and span[0] < end)


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
