"""A text that is ready to be translated: its sentences, and what must be known of them afterwards."""

from dataclasses import dataclass

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.glossary import Match
from lexalign.markup.protection import MaskedText
from lexalign.translator.plan import SearchPlan, Sentence


@dataclass(frozen=True, kw_only=True)
class SourceSentence:
    """Offsets of constraints and matches count from the sentence's beginning."""

    span: Span  # in the text
    masked: MaskedText
    sentence: Sentence
    length: int  # in a batch; 0 where there is nothing to search, and the sentence is its own translation
    constraints: tuple[Constraint, ...] = ()
    matches: tuple[Match | None, ...] = ()  # of each constraint
    token_spans: tuple[Span, ...] = ()  # in the masked text; only where something is asked or aligned

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
