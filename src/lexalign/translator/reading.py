"""From text to what is searched."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Match, Matcher
from lexalign.text.subwords import Encoding, ModelTokenizer, SubwordTokenizer
from lexalign.translator.constraint_tokens import token_constraints
from lexalign.translator.glossaries import ask
from lexalign.translator.plan import SearchPlan, Sentence

Text = str | tuple[str, Sequence[Constraint]]  # a sentence, alone or with what is asked of its translation


class RefusedError(LexalignError):
    """A sentence that cannot be translated; `reason` says why without naming it."""

    def __init__(self, number: int, reason: str, *, link: str = " ") -> None:
        super().__init__(f"sentence {number}{link}{reason}")
        self.reason, self._link = reason, link

    def of(self, number: int) -> "RefusedError":
        """The same of another sentence."""
        return RefusedError(number, self.reason, link=self._link)


Refuse = Callable[[int, RefusedError], None]  # is told the place of a sentence in the stream, from 0


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What must be known of a text when its translation comes."""

    constraints: tuple[Constraint, ...] = ()
    matches: tuple[Match | None, ...] = ()  # of each constraint
    spans: tuple[Span, ...] = ()  # of the source tokens; only where something is asked or aligned


@dataclass(frozen=True, kw_only=True)
class Task:
    """A text that is ready to be searched, for those who make batches of their own."""

    sentence: Sentence
    length: int  # of the sentence in a batch; 0 where there is nothing to search
    plan: SearchPlan
    reading: Reading


class SourceReader:
    def __init__(self, tokenizer: ModelTokenizer, limit: int, length_multiple: int) -> None:
        self._source, self._target = tokenizer.source, tokenizer.target
        self._limit, self._multiple = limit, length_multiple

    def read(
        self, text: Text, number: int, plan: SearchPlan, matcher: Matcher | None = None
    ) -> tuple[Sentence, int, Reading]:
        """The sentence, its length for planning (0 where there is nothing to search), and the rest."""
        text, given = (text, ()) if isinstance(text, str) else text
        ids = self.encode(text, number)
        found = ask(text, given, matcher)
        constraints, matches = tuple(one for one, _ in found), tuple(match for _, match in found)
        if not ids:
            return Sentence(ids), 0, Reading(constraints=constraints, matches=matches)
        asked: tuple[TokenConstraint, ...] = ()
        reading = Reading()
        if constraints or plan.align:
            encoding = self._source.encode_with_offsets(text)
            reading = Reading(constraints=constraints, matches=matches, spans=tuple(encoding.spans))
            asked = self._ask(text, number, encoding, constraints)
        # With the end of sentence.
        return Sentence(ids, asked), -(-(len(ids) + 1) // self._multiple) * self._multiple, reading

    def encode(self, text: str, number: int) -> list[int]:
        """Token ids of a source; none at all for a text without a word."""
        return self._encode(self._source, text, number, self._limit)

    def count(self, text: str) -> int:
        """Tokens of a source, however many."""
        return len(self._encode(self._source, text, 1, sys.maxsize))

    def encode_target(self, text: str, number: int, limit: int) -> list[int]:
        return self._encode(self._target, text, number, limit)

    def _encode(self, tokenizer: SubwordTokenizer, text: str, number: int, limit: int) -> list[int]:
        if "\0" in text:
            raise RefusedError(number, "contains a NUL character; is it text?")
        try:
            ids = tokenizer.encode(text) if text.strip() else []
        except LexalignError as error:
            raise RefusedError(number, str(error), link=": ") from None
        if len(ids) > limit:
            raise RefusedError(
                number,
                f"has {len(ids)} tokens, over the model's limit of {limit}; split it, or let it be split "
                "(--split)",
            )
        return ids

    def _ask(
        self, text: str, number: int, encoding: Encoding, constraints: Sequence[Constraint]
    ) -> tuple[TokenConstraint, ...]:
        for constraint in constraints:
            start, end = constraint.source or (0, len(text))
            if not 0 <= start < end <= len(text):
                raise RefusedError(
                    number,
                    f"the source {start} to {end} of a constraint lies outside of the text, which has "
                    f"{len(text)} characters",
                    link=": ",
                )
        return token_constraints(self._target, encoding, constraints)
