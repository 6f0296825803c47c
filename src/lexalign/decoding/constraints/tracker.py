"""All that is known of a batch's hypotheses: what they have met, what they have preferred and avoided."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from lexalign.contracts.sentence_tensors import SHARED, SentenceTensors
from lexalign.decoding.constraints.automaton import Automata, build_automata
from lexalign.decoding.constraints.phrase_tracker import (
    ConstraintState,
    PhraseTracker,
    constraint_set,
    pick,
)
from lexalign.decoding.constraints.sentence_constraints import Matching, SentenceConstraints
from lexalign.decoding.scores import TokenScores

_COMPLETE, _TO_BE_CONTINUED = 1, 2  # bits


@dataclass(frozen=True, kw_only=True)
class CandidateState:
    """What is known of candidates (B, C), or of the hypotheses themselves."""

    constraints: ConstraintState
    unfinished: Tensor  # whether something is not met, even if nothing but an end of sentence followed
    num_met_tokens: Tensor  # constraint tokens that are there
    num_complete_tokens: Tensor  # those of constraints that are met
    preferred: ConstraintState | None
    bonus: Tensor | None
    kept_bonus: Tensor | None  # what is left of the bonus if nothing begun is continued
    avoided_node: Tensor | None
    may_end: Tensor | None  # without completing a phrase to avoid; None: all


@dataclass(kw_only=True)
class AvoidedPhrases(SentenceTensors):
    """Phrases that must not be there: the token that would complete one is forbidden.

    A phrase of whole words, "dog", is complete only when its last word is; so its last token may be
    generated, but then nothing except a token that continues the word, as in "dogma".
    """

    automata: Automata
    node: Tensor  # (B, K)
    any_whole: bool = field(metadata=SHARED)
    continues_word: Tensor | None = field(metadata=SHARED)  # (V,)

    @classmethod
    def start(
        cls,
        constraints: Sequence[SentenceConstraints],
        beam: int,
        continues_word: Tensor | None,
        device: torch.device,
        *,
        static: bool = False,
    ) -> "AvoidedPhrases | None":
        """None where no sentence avoids anything."""
        if not any(ours.avoid for ours in constraints):
            return None
        words = continues_word is not None
        phrases = [[(phrase, whole and words) for phrase, whole in ours.avoid] for ours in constraints]
        by_kind = [
            [[phrase for phrase, whole in ours if whole is kind] for kind in (False, True)]
            for ours in phrases
        ]
        automata = build_automata(by_kind, np.zeros((len(phrases), 2), dtype=np.float32), device, static)
        return cls(
            automata=automata,
            node=automata.root[:, None].repeat(1, beam),
            any_whole=any(whole for ours in phrases for _, whole in ours),
            continues_word=continues_word,
        )

    @property
    def layout(self) -> tuple[object, ...]:
        return *super().layout, self.any_whole

    def forbid(self, scores: TokenScores) -> None:
        node = self.node[:, : scores.rows]
        tokens, nodes, *_ = self.automata.moves(node)
        complete = (self.automata.ends[nodes] & _COMPLETE) != 0
        scores.forbid(tokens.clamp(min=0), complete & (tokens >= 0))
        if self.any_whole and self.continues_word is not None:
            scores.allow_only(self.continues_word, self.must_continue(node))

    def follow(self, rows: Tensor, token_ids: Tensor) -> Tensor:
        """The nodes (B, C) of rows that go on with tokens."""
        return self.automata.go(self.node.gather(1, rows), token_ids)

    def must_continue(self, node: Tensor) -> Tensor:
        """Whether an end of sentence here (B, C) would complete a phrase."""
        return (self.automata.ends[node] & _TO_BE_CONTINUED) != 0

    def commit(self, node: Tensor) -> None:
        self.node.copy_(node)


@dataclass(kw_only=True)
class ConstraintTracker(SentenceTensors):
    """What is known of the hypotheses (B, K) of a beam; what no sentence of the batch asks for is None."""

    must: PhraseTracker
    prefer: PhraseTracker | None
    avoid: AvoidedPhrases | None
    num_tokens: Tensor  # (B, K, 2), of constraints that are met, and of all that is met or begun

    @classmethod
    def start(
        cls,
        constraints: Sequence[SentenceConstraints],
        beam: int,
        matching: Matching,
        device: torch.device,
        *,
        static: bool = False,
    ) -> "ConstraintTracker":
        words = None if matching.continues_word is None else matching.continues_word.to(device)
        must = constraint_set(
            [ours.must for ours in constraints], [ours.chains for ours in constraints], device, static=static
        )
        prefer = None
        if any(ours.prefer for ours in constraints):
            wishes, chains = [ours.prefer for ours in constraints], [()] * len(constraints)
            prefer = PhraseTracker.start(
                constraint_set(wishes, chains, device, static=static, with_bonus=True), beam, words
            )
        return cls(
            must=PhraseTracker.start(must, beam, words),
            prefer=prefer,
            avoid=AvoidedPhrases.start(constraints, beam, words, device, static=static),
            num_tokens=torch.zeros(len(constraints), beam, 2, device=device),
        )

    def present(self, rows: int) -> CandidateState:
        """The state of the first rows as they are; its numbers of tokens outlast `commit`."""
        return self._state(
            self.must.first(rows),
            None if self.prefer is None else self.prefer.first(rows),
            None if self.avoid is None else self.avoid.node[:, :rows],
            self.num_tokens[:, :rows].clone(),
        )

    def follow(self, rows: Tensor, token_ids: Tensor, may_serve: Tensor | None = None) -> CandidateState:
        """The state of rows (B, C) that go on with tokens, where these may serve a constraint."""
        return self._state(
            self.must.follow(rows, token_ids, may_serve),
            None if self.prefer is None else self.prefer.follow(rows, token_ids),
            None if self.avoid is None else self.avoid.follow(rows, token_ids),
        )

    def commit(self, state: CandidateState, index: Tensor) -> None:
        """The candidates (B, K) that an index names are now the hypotheses."""
        self.must.commit(state.constraints, index)
        num_tokens = torch.stack([state.num_complete_tokens, state.num_met_tokens], dim=2)
        self.num_tokens.copy_(pick(num_tokens, index))
        if self.prefer is not None and state.preferred is not None:
            self.prefer.commit(state.preferred, index)
        if self.avoid is not None and state.avoided_node is not None:
            self.avoid.commit(state.avoided_node.gather(1, index))

    def _state(
        self,
        constraints: ConstraintState,
        preferred: ConstraintState | None,
        avoided_node: Tensor | None,
        num_tokens: Tensor | None = None,
    ) -> CandidateState:
        bonus = kept_bonus = may_end = None
        if self.prefer is not None and preferred is not None:
            kept_bonus, begun = self.prefer.value(preferred)
            bonus = kept_bonus + begun
        if self.avoid is not None and avoided_node is not None:
            may_end = ~self.avoid.must_continue(avoided_node)
        if num_tokens is None:
            complete, begun = self.must.value(constraints)
            met = complete + begun
        else:
            complete, met = num_tokens.unbind(dim=2)
        return CandidateState(
            constraints=constraints,
            unfinished=constraints.effective != self.must.constraints.everything[:, None],
            num_met_tokens=met,
            num_complete_tokens=complete,
            preferred=preferred,
            bonus=bonus,
            kept_bonus=kept_bonus,
            avoided_node=avoided_node,
            may_end=may_end,
        )
