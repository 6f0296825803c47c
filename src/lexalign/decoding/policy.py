"""The seam between the beam-search loop and what it searches for.

A policy is what a caller asks for, and holds nothing of a search; for each batch it makes a selector, which
holds what must be known of every hypothesis. Unless its policy is not recordable, a selector works without a
loop over sentences or hypotheses and without a transfer to the host, and changes its tensors in place, so
that a step can be recorded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.model import DecoderOutput, EncodedSource, Vocabulary
from lexalign.cuda_graphs import SideWork
from lexalign.decoding.constraints.requests import Request
from lexalign.decoding.prospects import Prospects
from lexalign.decoding.scores import Candidates, TokenScores

LookAhead = Callable[[Tensor, Tensor], DecoderOutput]


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


@dataclass(frozen=True, kw_only=True)
class Step:
    """A step of the loop, after the model has had its turn."""

    scores: TokenScores
    output: DecoderOutput
    clock: Tensor  # (1,), tokens generated so far
    look_ahead: LookAhead  # what the next step gives if (B, K) rows go on with (B, K) tokens
    beside: SideWork


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Hypotheses that go on (B, K), and hypotheses `ended` (B, C), of which those in `ends` count."""

    going: Candidates
    ended: Candidates
    ends: Tensor  # (B, C)


class Selector(Protocol):
    """Chooses for one batch."""

    @property
    def requests(self) -> Sequence[Request]:
        """What was asked of each sentence; empty where nothing was."""

    @property
    def bias(self) -> Tensor | None:
        """What the ranks (B, K) have beyond log-probabilities."""

    @property
    def prospects(self) -> Prospects:
        """What may still become of the present hypotheses."""

    @property
    def advantage(self) -> Tensor | None:
        """What hypotheses (B, K) have beyond their ranks when their continuations are listed."""

    @property
    def may_stall(self) -> bool:
        """Whether a sentence can have no continuation at all."""

    @property
    def layout(self) -> object:
        """Names the shapes of the tensors: a selector can be restarted with another of the same layout."""

    def foresee(self, rows: int, clock: Tensor) -> None:
        """Work out for the present hypotheses what needs no scores, before each step.

        A GPU does this, and later `take`, beside the rest of a step.
        """

    def choose(self, step: Step) -> Choice:
        """The next hypotheses."""

    def take(self) -> None:
        """What was chosen last are now the present hypotheses.

        Leaves alone what `choose` and `close` have given out, which may be in use meanwhile.
        """

    def close(self, step: Step, any_finished: Tensor) -> Candidates:
        """Every hypothesis as it ends when it must end now; -inf for those that are not worth it.

        Called after `choose` of the same step, with the sentences (B,) that have something finished.
        """

    def keep(self, sentence_index: Tensor) -> None:
        """Forget all sentences but these."""

    def restart(self, other: "Selector") -> None:
        """Take up the batch of another, just made, selector in the same tensors."""


class Policy(Protocol):
    @property
    def attention_layer(self) -> int | None:
        """The decoder layer whose cross-attention the policy needs."""

    @property
    def recordable(self) -> bool: ...

    @property
    def passive(self) -> bool:
        """Whether it waits for an occasion to meet a constraint, which may not come."""

    def begin(self, batch: SearchBatch) -> Selector: ...
