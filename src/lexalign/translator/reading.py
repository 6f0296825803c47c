"""From text to what is searched."""

from collections.abc import Sequence
from dataclasses import dataclass

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Match, Matcher
from lexalign.text.tokenizer import Encoding, Tokenizer
from lexalign.translator.constraint_tokens import token_constraints
from lexalign.translator.glossaries import ask
from lexalign.translator.plan import SearchPlan, Sentence

Text = str | tuple[str, Sequence[Constraint]]  # a sentence, alone or with what is asked of its translation


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
    def __init__(self, tokenizer: Tokenizer, limit: int, length_multiple: int) -> None:
        self._tokenizer, self._limit, self._multiple = tokenizer, limit, length_multiple

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
            encoding = self._tokenizer.encode_with_offsets(text)
            reading = Reading(constraints=constraints, matches=matches, spans=tuple(encoding.spans))
            asked = self._ask(text, number, encoding, constraints)
        # With the end of sentence.
        return Sentence(ids, asked), -(-(len(ids) + 1) // self._multiple) * self._multiple, reading

    def encode(self, text: str, number: int, limit: int | None = None) -> list[int]:
        """Token ids; none at all for a text without a word."""
        if "\0" in text:
            raise LexalignError(f"sentence {number} contains a NUL character; is it text?")
        try:
            ids = self._tokenizer.encode(text) if text.strip() else []
        except LexalignError as error:
            raise LexalignError(f"sentence {number}: {error}") from None
        if len(ids) > (limit := self._limit if limit is None else limit):
            raise LexalignError(
                f"sentence {number} has {len(ids)} tokens, over the model's limit of {limit}; split it"
            )
        return ids

    def _ask(
        self, text: str, number: int, encoding: Encoding, constraints: Sequence[Constraint]
    ) -> tuple[TokenConstraint, ...]:
        for constraint in constraints:
            start, end = constraint.source or (0, len(text))
            if not 0 <= start < end <= len(text):
                raise LexalignError(
                    f"sentence {number}: the source {start} to {end} of a constraint lies outside of the "
                    f"text, which has {len(text)} characters"
                )
        return token_constraints(self._tokenizer, encoding, constraints)
