"""A text that is ready to be translated: its sentences, and what must be known of them afterwards."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Match
from lexalign.markup.protection import MaskedText
from lexalign.text.surface import check_unicode
from lexalign.translator.options import SearchPlan

Ids = Sequence[int]
Text = str | tuple[str, Sequence[Constraint]]  # alone, or with what is asked of its translation


@dataclass(frozen=True, kw_only=True)
class TermStandIn:
    """A word that may stand for a term (`stand_ins.py`), in tokens of the sentence and of its translation."""

    source_ids: tuple[int, ...]
    after_space: tuple[int, ...]
    after_mark: tuple[int, ...]
    num_forms: int  # of the term's alternatives, the first ones, which are whole words
    unknown: bool  # whether the model hardly knows the term


@dataclass(frozen=True)
class Sentence:
    """Source tokens, without end of sentence, and what is asked of their translation.

    It is all that a search must know, and is sent to other processes. `stand_ins` are words that stand for
    untranslatables and must be copied; `align` asks for alignments of this sentence, whether or not they are
    asked for of all. `term_stand_ins` are words that may stand for each of the constraints, if any.
    """

    ids: Ids
    constraints: tuple[TokenConstraint, ...] = ()
    stand_ins: tuple[TokenConstraint, ...] = ()
    align: bool = False
    term_stand_ins: tuple[TermStandIn | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SourceSentence:
    """Offsets of constraints and matches count from the sentence's beginning."""

    span: Span  # in the text
    masked: MaskedText
    sentence: Sentence
    length: int  # in a batch; 0 where there is nothing to search, and the sentence is its own translation
    constraints: tuple[Constraint, ...] = ()
    matches: tuple[Match | None, ...] = ()  # of each constraint
    token_spans: Sequence[Span] = ()  # in the masked text
    capitals: bool = False  # it is in capitals, and searched in small letters

    @property
    def text(self) -> str:
        return self.masked.source


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """At least one sentence, which may be empty; what stands between them is white space.

    `constraints` are those of the caller, by offsets into the text.
    """

    text: str
    sentences: tuple[SourceSentence, ...]
    constraints: tuple[Constraint, ...] = ()
    note: str | None = None  # for people


@dataclass(frozen=True, kw_only=True)
class Task:
    """A text for those who make batches of their own: each sentence of it is searched with the plan."""

    source: SourceText
    plan: SearchPlan


class RefusedError(LexalignError):
    """A text that cannot be translated; `reason` says why without naming it."""

    def __init__(self, number: int, reason: str, *, link: str = " ") -> None:
        super().__init__(f"text {number}{link}{reason}")
        self.reason, self._link = reason, link


Refuse = Callable[[int, RefusedError], None]  # gets the index of a text in the stream


def check_text(text: str, number: int, given: Sequence[Constraint] = ()) -> None:
    """Refuse what cannot be translated."""
    if "\0" in text:
        raise RefusedError(number, "contains a NUL character; is it text?")
    try:
        check_unicode(text)
    except LexalignError as error:
        raise RefusedError(number, str(error), link=": ") from None
    for start, end in (one.source for one in given if one.source is not None):
        if not 0 <= start < end <= len(text):
            raise RefusedError(
                number,
                f"the source {start} to {end} of a constraint lies outside of the text, which has "
                f"{len(text)} characters",
                link=": ",
            )
