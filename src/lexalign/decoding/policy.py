"""The seam between the beam-search loop and what it searches for.

A policy is what a caller asks for, and holds nothing of a search; for each batch it makes a selector. A step
of the search passes values through four stages, the second of which is the model's:

    prepare    what needs no scores of this step             Prepared
    score      the model scores every continuation           Step
    select     which continuations go on, and which end      Selection
    commit     those that go on are now the hypotheses

All that a selector knows of its hypotheses is in its `state`, which only `commit` changes. Unless its policy
is not recordable, a selector works without a loop over sentences or hypotheses and without a transfer to the
host, and changes its tensors in place, so that a step can be recorded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from torch import Tensor

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.model import DecoderOutput, EncodedSource, Vocabulary
from lexalign.contracts.sentence_tensors import SentenceTensors
from lexalign.contracts.shortlist import Shortlist
from lexalign.cuda_graphs import SideWork
from lexalign.decoding.candidates import Candidates
from lexalign.decoding.constraints.sentence_constraints import (
    Matching,
    SentenceConstraints,
    sort_constraints,
)
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.decoding.scores import TokenScores
from lexalign.decoding.stopping import StoppingBound

LookAhead = Callable[[Tensor, Tensor], DecoderOutput]
Prepared = TypeVar("Prepared")
Update = TypeVar("Update")


@dataclass(frozen=True, kw_only=True)
class SearchBatch:
    """What is to be translated, and how."""

    constraints: Sequence[Sequence[TokenConstraint]]  # of each sentence
    source_ids: Tensor  # (B, S)
    source: EncodedSource
    limits: Sequence[int]  # tokens, end of sentence included
    vocabulary: Vocabulary
    beam: int
    length_penalty: float
    exact: bool = False  # whether the search goes on as long as something better is possible
    static: bool = False  # its shapes are to be those of many batches
    # What must be on a sentence's shortlist: what is asked of it, or what is left to the model.
    listed: Sequence[Sequence[TokenConstraint]] | None = None

    @property
    def num_top(self) -> int:
        """How many of the best continuations are looked at: ends of sentence may take half of them."""
        return 2 * self.beam if self.beam > 1 else 1

    def select(self, shortlist: LexicalShortlist | None) -> Shortlist | None:
        """The sentences' shortlists, with the tokens of their constraints."""
        if shortlist is None:
            return None
        listed = self.constraints if self.listed is None else self.listed
        return shortlist.select(self.source_ids, listed, self.vocabulary)

    def sort_constraints(self, matching: Matching) -> Sequence[SentenceConstraints]:
        """Each sentence's constraints by kind, without those that nothing could meet."""
        return [
            sort_constraints(constraints, self.vocabulary, matching.continuing, matching.ordered, limit - 1)
            for constraints, limit in zip(self.constraints, self.limits, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of the loop, after the model has scored it."""

    scores: TokenScores
    output: DecoderOutput
    clock: Tensor  # (1,), tokens generated so far
    look_ahead: LookAhead  # what the next step gives if (B, K) rows go on with (B, K) tokens
    beside: SideWork


@dataclass(frozen=True, kw_only=True)
class Selection(Generic[Update]):
    """Hypotheses that go on (B, K), and hypotheses `ended` (B, C), of which those in `ends` count."""

    going: Candidates
    ended: Candidates
    ends: Tensor  # (B, C)
    update: Update  # what `commit` needs to know of them


class Selector(Protocol[Prepared, Update]):
    """Chooses for one batch."""

    @property
    def constraints(self) -> Sequence[SentenceConstraints]:
        """What is asked of each sentence; empty where nothing is."""

    @property
    def state(self) -> SentenceTensors:
        """All tensors of the batch; a selector of the same layout can take over another's."""

    @property
    def stopping_bound(self) -> StoppingBound:
        """What bounds the final scores of the present hypotheses."""

    @property
    def may_stall(self) -> bool:
        """Whether a sentence can have no continuation at all."""

    def prepare(self, rows: int, clock: Tensor) -> Prepared:
        """Work out for the present hypotheses what needs no scores.

        A GPU does this, and later `commit`, beside the rest of a step.
        """

    def select(self, step: Step, prepared: Prepared) -> Selection[Update]:
        """Choose the next hypotheses."""

    def force_finish(
        self, step: Step, prepared: Prepared, selection: Selection[Update], any_finished: Tensor
    ) -> Candidates:
        """Every hypothesis as it ends when it must end now; -inf for those that are not to be kept.

        `any_finished` are the sentences (B,) that have something finished.
        """

    def commit(self, selection: Selection[Update]) -> None:
        """Make what was selected the present hypotheses.

        Leaves alone what `select` and `force_finish` have given out, which may be in use meanwhile.
        """


AnySelector = Selector[Any, Any]


class Policy(Protocol):
    @property
    def attention_layer(self) -> int | None:
        """The decoder layer whose cross-attention the policy needs."""

    @property
    def recordable(self) -> bool: ...

    @property
    def guarantees_constraints(self) -> bool:
        """Whether it brings about that constraints are met, rather than wait for an occasion."""

    def begin(self, batch: SearchBatch) -> AnySelector: ...
