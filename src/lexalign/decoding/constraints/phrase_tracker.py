"""What every hypothesis has met of its sentence's constraints, in tensors.

A hypothesis is at a node of its sentence's automaton and has a mask of constraints that are met for good. For
the constraints `5 6 7` (bit 1) and `6` (bit 2), whose token 7 may be continued by 9 within a word:

    text         -    5    5 6    5 6 7      5 6 7 9     5 6 7 4
    node         0    1    2      3          0           0
    met          0    0    0      2          2           3
    effective    0    0    2      3          2           3
    tokens       0    1    2+1    4          1           4

A constraint that is to be a whole word or words is met in effect where it ends, and for good when the next
token, or the end of sentence, does not continue its last word. The tokens that count
for a hypothesis are those of the constraints that it has met, and of the one that it is furthest in.

Constraints of a chain are met one after another, without overlap, and only the next one of them counts; so
the same constraint given twice asks for two occurrences. Different constraints may share tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import torch
from torch import Tensor

from lexalign.contracts.sentence_tensors import SHARED, SentenceTensors, upload
from lexalign.decoding.constraints.automaton import Automata, build_automata, ranks_within
from lexalign.decoding.constraints.sentence_constraints import RequiredPhrase

Chains = Sequence[Sequence[int]]
_LONG_AGO = 1 << 30


@dataclass(frozen=True, kw_only=True)
class ConstraintState:
    """Where hypotheses (B, C) are on the way to their constraints."""

    node: Tensor  # (B, C), of the automaton
    met: Tensor  # (B, C), masks: met for good
    effective: Tensor  # (B, C), masks: met if no token follows that continues a word
    age: Tensor  # (B, C, R), for R chains: tokens since they last met a constraint

    @staticmethod
    def unpack(packed: Tensor) -> "ConstraintState":
        """All of it in one tensor (B, C, 3 + R), so that hypotheses move in one operation."""
        node, met, effective = packed[..., 0], packed[..., 1], packed[..., 2]
        return ConstraintState(node=node, met=met, effective=effective, age=packed[..., 3:])

    def pack(self) -> Tensor:
        packed = torch.stack([self.node, self.met, self.effective], dim=2)
        return torch.cat([packed, self.age], dim=2) if self.age.shape[2] else packed


@dataclass(kw_only=True)
class ConstraintSet(SentenceTensors):
    """The constraints of the sentences; they are bits of masks."""

    automata: Automata
    everything: Tensor  # (B,), masks
    partial: Tensor  # (B,), masks: constraints that need not be whole words
    chains: Tensor  # (B, R), masks
    value: Tensor  # (B, G), the tokens of a constraint, or what it adds to a rank


@dataclass(kw_only=True)
class PhraseTracker(SentenceTensors):
    """What the hypotheses of a beam have met of a set of constraints."""

    constraints: ConstraintSet
    packed: Tensor  # (B, K, 3 + R), a `ConstraintState`
    continues_word: Tensor | None = field(metadata=SHARED)  # (V,)

    @classmethod
    def start(cls, constraints: ConstraintSet, beam: int, continues_word: Tensor | None) -> "PhraseTracker":
        node = constraints.automata.root[:, None].repeat(1, beam)
        age = node.new_full((*node.shape, constraints.chains.shape[1]), _LONG_AGO)
        nothing = torch.zeros_like(node)
        return cls(
            constraints=constraints,
            packed=ConstraintState(node=node, met=nothing, effective=nothing, age=age).pack(),
            continues_word=continues_word,
        )

    def node_after(self, token_id: int | None) -> Tensor:
        """Where the automata (B,) are after one token; -1 where no constraint begins with it."""
        automata = self.constraints.automata
        if token_id is None:
            return torch.full_like(automata.root, -1)
        node = automata.go(automata.root[:, None], torch.full_like(automata.root, token_id)[:, None])[:, 0]
        return torch.where(node == automata.root, -1, node)

    def first(self, count: int) -> ConstraintState:
        """The state of the first hypotheses of each sentence."""
        return ConstraintState.unpack(self.packed[:, :count])

    def follow(self, rows: Tensor, token_ids: Tensor, may_serve: Tensor | None = None) -> ConstraintState:
        """The state of the hypotheses (B, C) of these rows after these tokens.

        Where tokens may not serve a constraint, they begin and continue nothing.
        """
        own, before = self.constraints, ConstraintState.unpack(pick(self.packed, rows))
        met = self._settle(before.met, before.effective, token_ids)
        node = own.automata.go(before.node, token_ids)
        if may_serve is not None:
            node = torch.where(may_serve, node, own.automata.root[:, None])
        ended, age = own.automata.ends[node], before.age
        if own.chains.shape[1]:
            age = self._renew(before.age, met & ~before.met) + 1
            ended = self._count(ended, node, met, age)
            age = self._renew(age, ended & own.partial[:, None])
        effective = met | ended
        return ConstraintState(
            node=node, met=met | ended & own.partial[:, None], effective=effective, age=age
        )

    def next_tokens(self, state: ConstraintState) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens (B, K, C) that begin or continue unmet constraints, and the constraints (masks) they serve.

        They serve none where the list is but filled up. The last masks are of the constraints that they
        continue.
        """
        tokens, _, reach, continued = self.constraints.automata.moves(state.node)
        tokens = tokens.clamp(min=0)
        met = self._settle(state.met[:, :, None], state.effective[:, :, None], tokens)
        served = self.wanted(met) & reach
        return tokens, served, served & continued

    def wanted(self, met: Tensor) -> Tensor:
        """Constraints (B, ...) that may be met next where those of a mask are met."""
        unmet = ~met & _expand(self.constraints.everything, met)
        for chain in self.constraints.chains.unbind(dim=1):
            of_chain = unmet & _expand(chain, met)
            unmet = unmet ^ of_chain | _lowest(of_chain)
        return unmet

    def value(self, state: ConstraintState) -> tuple[Tensor, Tensor]:
        """The value (B, C) of the constraints that are met, and of what is begun of the best unmet one."""
        own = self.constraints
        met = members(state.effective, own.value.shape[1])  # (B, C, G)
        if own.chains.shape[1]:
            begun = self._begun_in_chains(state)
        else:
            begun = own.automata.begun[:, :, -1][state.node]
        # In float64: how many constraints the other sentences have is not to be seen in the last digits.
        value = torch.where(met, own.value[:, None], 0.0).sum(dim=2, dtype=torch.float64).float()
        return value, begun.masked_fill(met, 0.0).amax(dim=2)

    def commit(self, state: ConstraintState, index: Tensor) -> None:
        """Of candidates, those (B, K) that an index names are now the hypotheses of the beam."""
        self.packed.copy_(pick(state.pack(), index))

    def _settle(self, met: Tensor, effective: Tensor, token_ids: Tensor) -> Tensor:
        """What is met for good when these tokens follow."""
        if self.continues_word is None:
            return effective
        return torch.where(self.continues_word[token_ids], met, effective)

    def _count(self, ended: Tensor, node: Tensor, met: Tensor, age: Tensor) -> Tensor:
        """Of constraints in chains that end (B, C), only those that are next and do not overlap the last."""
        shortest = self.constraints.automata.shortest[node]  # (B, C, G)
        for index, chain in enumerate(self.constraints.chains.unbind(dim=1)):
            ahead = _lowest(~met & _expand(chain, met))
            clear = (shortest > 0) & (shortest <= age[:, :, index, None])
            counts = ((_bits(shortest.shape[2], met.device) == ahead[:, :, None]) & clear).any(dim=2)
            ended = ended & ~_expand(chain, ended) | torch.where(counts, ahead, 0)
        return ended

    def _renew(self, age: Tensor, met: Tensor) -> Tensor:
        """Chains that have just met a constraint (masks) are young again."""
        return age.masked_fill((met[:, :, None] & self.constraints.chains[:, None]) != 0, 0)

    def _begun_in_chains(self, state: ConstraintState) -> Tensor:
        """What is begun (B, C, G) of constraints that are next, without overlapping the last of its chain."""
        own, begun = self.constraints, self.constraints.automata.begun
        age = self._renew(state.age, state.effective & ~state.met)
        member = members(own.chains, own.value.shape[1])  # (B, R, G)
        free = torch.where(member[:, None], age[..., None], _LONG_AGO).amin(dim=2)
        wanted = members(self.wanted(state.effective), own.value.shape[1])
        fresh = free.clamp(max=begun.shape[2] - 1)
        return torch.where(wanted, begun[state.node].gather(3, fresh[..., None])[..., 0], 0.0)


def constraint_set(
    required: Sequence[Sequence[RequiredPhrase]],
    chains: Sequence[Chains],
    device: torch.device,
    *,
    static: bool = False,
    with_bonus: bool = False,
) -> ConstraintSet:
    """The constraints of each sentence; a token of one counts as 1, or `with_bonus` as its bonus."""
    most = max(map(len, required), default=0)
    num_constraints = max(1, most if not static else -(-most // 4) * 4)
    num_chains = max(map(len, chains), default=0)
    num_chains = num_chains if not static else -(-num_chains // 2) * 2
    num_tokens, token_value = np.zeros((2, len(required), num_constraints), dtype=np.float32)
    whole = np.zeros((len(required), num_constraints), dtype=np.int64)
    counts = np.array([len(ours) for ours in required])
    flat = [one for ours in required for one in ours]
    at = np.repeat(np.arange(len(required)), counts), ranks_within(counts)
    token_value[at] = [one.bonus for one in flat] if with_bonus else 1.0
    num_tokens[at] = [one.shortest for one in flat]
    whole[at] = [one.whole for one in flat]
    masks = np.zeros((len(required), num_chains), dtype=np.int64)
    for sentence, ours in enumerate(chains):
        for index, chain in enumerate(ours):
            masks[sentence, index] = sum(1 << member for member in chain)
    everything = np.left_shift(1, counts) - 1
    partial = ~np.left_shift(whole, np.arange(num_constraints)).sum(axis=1)
    automata = build_automata([[one.forms for one in ours] for ours in required], token_value, device, static)
    tensors = upload((everything, partial, masks, num_tokens * token_value), device)
    return ConstraintSet(
        automata=automata,
        everything=tensors[0],
        partial=tensors[1],
        chains=tensors[2],
        value=tensors[3],
    )


def members(masks: Tensor, count: int) -> Tensor:
    """Which of so many constraints are in masks (...), as (..., G)."""
    return (masks[..., None] & _bits(count, masks.device)) != 0


# Made once, and never given up: a recorded step goes on using it.
@cache
def _bits(count: int, device: torch.device) -> Tensor:
    return 1 << torch.arange(count, device=device)


def pick(values: Tensor, index: Tensor) -> Tensor:
    """Of values (B, C, F) those (B, K, F) that an index (B, K) names."""
    return values.gather(1, index[:, :, None].expand(-1, -1, values.shape[2]))


def _expand(per_sentence: Tensor, like: Tensor) -> Tensor:
    """(B,) to the dimensions of (B, ...)."""
    return per_sentence.view(-1, *[1] * (like.dim() - 1))


def _lowest(mask: Tensor) -> Tensor:
    return mask & -mask
