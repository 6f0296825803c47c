"""The words that may stand for the terms of a sentence: X1, X2, ... in tokens.

    Die (mäßige) Gallenblasenentfernung gelang.      Die (mäßige) X1 gelang.

A term may be exchanged if it must be met, translates whole words in one piece, and shares none of them with
another constraint. It is hardly known to the model if one of its words falls into many subwords, unless it is
a name of code, such as SetWindow, which models copy.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.text.longer_words import enclosing_word
from lexalign.text.subwords import Encoding, ModelTokenizer, SubwordTokenizer
from lexalign.translator.source_text import Ids, TermStandIn

# A word of so many subwords is hardly known to a model.
UNKNOWN_LENGTH = 5
_STAND_IN_LIKE = re.compile(r"X+(\d{1,6})")
_CODE = re.compile(r"[a-zß-ÿ][A-Z]")
# A character that no vocabulary joins with letters, so that what follows is split as behind a bracket.
_NO_LETTER = "\ufffc"
_Words = tuple[tuple[int, ...], tuple[int, ...]]  # behind a space, and behind a mark


class StandInFinder:
    def __init__(self, tokenizer: ModelTokenizer, limit: int) -> None:
        """A sentence with stand-ins has at most `limit` tokens."""
        self._source, self._target, self._limit = tokenizer.source, tokenizer.target, limit
        self._words: dict[int, tuple[_Words, _Words] | None] = {}

    def find(
        self,
        text: str,
        encoding: Encoding,
        constraints: Sequence[Constraint],
        tokens: Sequence[TokenConstraint],
    ) -> tuple[TermStandIn | None, ...]:
        """For each constraint, None where no word can stand for it; nothing at all if that is so for all.

        `tokens` are the constraints in tokens, and what else is asked of the sentence.
        """
        if not any(one.kind == "must" for one in constraints):
            return ()
        shared = Counter(place for one in tokens for place in one.source or ())
        numbers = _free_numbers(text)
        found = [
            self._stand_in(text, encoding, one, own, numbers)
            if all(shared[place] == 1 for place in own.source or ())
            else None
            for one, own in zip(constraints, tokens, strict=False)
        ]
        added = sum(len(one.source_ids) for one in found if one is not None)
        return tuple(found) if any(found) and len(encoding.ids) + added <= self._limit else ()

    def _stand_in(
        self,
        text: str,
        encoding: Encoding,
        constraint: Constraint,
        tokens: TokenConstraint,
        numbers: Iterator[int],
    ) -> TermStandIn | None:
        span, places = constraint.source, tokens.source
        if constraint.kind != "must" or span is None or not places or not all(tokens.alternatives):
            return None
        if enclosing_word(text, span) is not None or places[-1] - places[0] + 1 != len(places):
            return None
        words = self._word(next(numbers))
        if words is None:
            return None
        sources, targets = words
        after_mark = span[0] > 0 and not text[span[0] - 1].isspace()
        return TermStandIn(
            source_ids=sources[after_mark],
            after_space=targets[0],
            after_mark=targets[1],
            num_forms=len(constraint.targets),
            unknown=_CODE.search(text, *span) is None
            and _longest_word(text, [encoding.spans[place] for place in places]) >= UNKNOWN_LENGTH,
        )

    def _word(self, number: int) -> tuple[_Words, _Words] | None:
        """A stand-in in tokens of both sides; None where a vocabulary does not have it."""
        if number not in self._words:
            pair = tuple(_tokens_of(f"X{number}", side) for side in (self._source, self._target))
            self._words[number] = (pair[0], pair[1]) if all(map(all, pair)) else None
        return self._words[number]


def _tokens_of(word: str, tokenizer: SubwordTokenizer) -> _Words:
    encoded = tokenizer.encode_with_offsets(_NO_LETTER + word)
    after_mark = [one for one, (start, _) in zip(encoded.ids, encoded.spans, strict=True) if start > 0]
    return _known(tokenizer.encode_inside(word), tokenizer), _known(after_mark, tokenizer)


def _known(ids: Ids, tokenizer: SubwordTokenizer) -> tuple[int, ...]:
    return () if tokenizer.unk_id in ids else tuple(ids)


def _free_numbers(text: str) -> Iterator[int]:
    """Numbers of stand-ins that the text does not have already."""
    taken = {int(match[1]) for match in _STAND_IN_LIKE.finditer(text)}
    return (number for number in count(1) if number not in taken)


def _longest_word(text: str, pieces: Sequence[Span]) -> int:
    """The number of subwords with letters of that word among neighbouring pieces which has the most."""
    lengths = [0]
    for start, end in pieces:
        if not any(map(str.isalpha, text[start:end])):
            lengths.append(0)
            continue
        if text[start].isspace() or text[start - 1 : start].isspace():
            lengths.append(0)
        lengths[-1] += 1
    return max(lengths)
