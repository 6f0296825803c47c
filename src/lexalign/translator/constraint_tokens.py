"""Constraints in text as constraints in tokens.

A target is split into subwords as the model would write it at the start of a word, so that "dog" is met by
`▁dog` and not in `▁hot dog`; what may follow it is for the search, by `continues_word`.
"""

from collections.abc import Sequence

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.text.subwords import Encoding, SubwordTokenizer


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
