"""What every hypothesis has met of its sentence's constraints, in tensors.

A hypothesis is at a node of its sentence's automaton and has a mask of constraints that are met for good. For
the constraints `5 6 7` (bit 1) and `6` (bit 2), whose token 7 may be continued by 9 within a word:

    text         -    5    5 6    5 6 7      5 6 7 9     5 6 7 4
    node         0    1    2      3          0           0
    met          0    0    0      2          2           3
    effective    0    0    2      3          2           3
    worth        0    1    2+1    4          1           4

A constraint that is to be a whole word or words is met in effect where it ends, and for good when the next
token, or the end of sentence, does not continue its last word. What a hypothesis is worth are the tokens of
the constraints that it has met, and those of the one that it is furthest in.

Constraints of a chain are met one after another, without overlap, and only the next one of them counts; so
the same constraint given twice asks for two occurrences. Different constraints may share tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lexalign.decoding.constraints.automaton import Automata, build_automata
from lexalign.decoding.constraints.records import SentenceTensors, upload
from lexalign.decoding.constraints.requests import Goal
from lexalign.decoding.constraints.trie import ranks_within

Chains = Sequence[Sequence[int]]
_LONG_AGO = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Where hypotheses (B, C) stand."""

    node: Tensor  # (B, C)
    met: Tensor  # (B, C), masks: met for good
    effective: Tensor  # (B, C), masks: met if no token follows that continues a word
    age: Tensor  # (B, C, R), for R chains: tokens since they last met a constraint

    @staticmethod
    def read(facts: Tensor) -> "Standing":
        """All of it in one tensor (B, C, 3 + R), so that hypotheses move in one operation."""
        return Standing(node=facts[..., 0], met=facts[..., 1], effective=facts[..., 2], age=facts[..., 3:])

    def write(self) -> Tensor:
        facts = torch.stack([self.node, self.met, self.effective], dim=2)
        return torch.cat([facts, self.age], dim=2) if self.age.shape[2] else facts


@dataclass(kw_only=True)
class Aims(SentenceTensors):
    """What the sentences ask for; constraints are bits of masks."""

    automata: Automata
    everything: Tensor  # (B,), masks
    partial: Tensor  # (B,), masks: constraints that need not be whole words
    chains: Tensor  # (B, R), masks
    price: Tensor  # (B, G), what a constraint is worth


class Progress:
    """Of the hypotheses of a beam."""

    def __init__(self, aims: Aims, beam: int, continues_word: Tensor | None) -> None:
        self.aims = aims
        batch, device = len(aims.everything), aims.everything.device
        node = aims.automata.root[:, None].repeat(1, beam)
        age = node.new_full((batch, beam, aims.chains.shape[1]), _LONG_AGO)
        nothing = torch.zeros_like(node)
        self._facts = Standing(node=node, met=nothing, effective=nothing, age=age).write()
        self._continues_word = continues_word  # (V,)
        self._bits = 1 << torch.arange(aims.price.shape[1], device=device)  # (G,)

    @property
    def standing(self) -> Standing:
        return Standing.read(self._facts)

    def first(self, count: int) -> Standing:
        """Of the first hypotheses of each sentence."""
        return Standing.read(self._facts[:, :count])

    def follow(self, rows: Tensor, token_ids: Tensor, advance: Tensor | None = None) -> Standing:
        """Where the hypotheses (B, C) of these rows stand after these tokens.

        Where they do not `advance`, the tokens begin and continue nothing.
        """
        aims, before = self.aims, Standing.read(pick(self._facts, rows))
        met = self._settle(before.met, before.effective, token_ids)
        node = aims.automata.go(before.node, token_ids)
        if advance is not None:
            node = torch.where(advance, node, aims.automata.root[:, None])
        ended, age = aims.automata.ends[node], before.age
        if aims.chains.shape[1]:
            age = self._renew(before.age, met & ~before.met) + 1
            ended = self._count(ended, node, met, age)
            age = self._renew(age, ended & aims.partial[:, None])
        effective = met | ended
        return Standing(node=node, met=met | ended & aims.partial[:, None], effective=effective, age=age)

    def moves(self, standing: Standing) -> tuple[Tensor, Tensor]:
        """Tokens (B, K, C) that hypotheses (B, K) may go on with, and the wanted constraints they serve.

        They serve none where the list is but filled up.
        """
        automata = self.aims.automata
        tokens, _, reach = automata.moves(standing.node)
        tokens = tokens.clamp(min=0)
        met = self._settle(standing.met[:, :, None], standing.effective[:, :, None], tokens)
        return tokens, self.wanted(met) & reach

    def wanted(self, met: Tensor) -> Tensor:
        """Constraints (B, ...) that may be met next where those of a mask are met."""
        unmet = ~met & _spread(self.aims.everything, met)
        for chain in self.aims.chains.unbind(dim=1):
            of_chain = unmet & _spread(chain, met)
            unmet = unmet ^ of_chain | _lowest(of_chain)
        return unmet

    def members(self, masks: Tensor) -> Tensor:
        """The constraints (..., G) of masks (...)."""
        return (masks[..., None] & self._bits) != 0

    def value(self, standing: Standing) -> tuple[Tensor, Tensor]:
        """What the constraints that are met are worth (B, C), and what the best of those begun is."""
        aims = self.aims
        met = self.members(standing.effective)  # (B, C, G)
        if aims.chains.shape[1]:
            begun = self._begun_in_chains(standing)
        else:
            begun = aims.automata.begun[:, :, -1][standing.node]
        # In float64: how many constraints the other sentences have is not to be seen in the last digits.
        worth = torch.where(met, aims.price[:, None], 0.0).sum(dim=2, dtype=torch.float64).float()
        return worth, begun.masked_fill(met, 0.0).amax(dim=2)

    def take(self, standing: Standing, index: Tensor | None = None) -> None:
        """These hypotheses are now those of the beam; of more of them, those (B, K) that an index names."""
        facts = standing.write()
        self._facts.copy_(facts if index is None else pick(facts, index))

    def keep(self, sentence_index: Tensor) -> None:
        self.aims.keep(sentence_index)
        self._facts = self._facts[sentence_index]

    def restart(self, other: "Progress") -> None:
        self.aims.copy_(other.aims)
        self._facts.copy_(other._facts)

    def _settle(self, met: Tensor, effective: Tensor, token_ids: Tensor) -> Tensor:
        """What is met for good when these tokens follow."""
        if self._continues_word is None:
            return effective
        return torch.where(self._continues_word[token_ids], met, effective)

    def _count(self, ended: Tensor, node: Tensor, met: Tensor, age: Tensor) -> Tensor:
        """Of constraints in chains that end (B, C), only those that are next and do not overlap the last."""
        shortest = self.aims.automata.shortest[node]  # (B, C, G)
        for index, chain in enumerate(self.aims.chains.unbind(dim=1)):
            ahead = _lowest(~met & _spread(chain, met))
            clear = (shortest > 0) & (shortest <= age[:, :, index, None])
            counts = ((self._bits == ahead[:, :, None]) & clear).any(dim=2)
            ended = ended & ~_spread(chain, ended) | torch.where(counts, ahead, 0)
        return ended

    def _renew(self, age: Tensor, met: Tensor) -> Tensor:
        """Chains that have just met a constraint (masks) are young again."""
        return age.masked_fill((met[:, :, None] & self.aims.chains[:, None]) != 0, 0)

    def _begun_in_chains(self, standing: Standing) -> Tensor:
        """What is begun (B, C, G) of constraints that are next, without overlapping the last of its chain."""
        aims, begun = self.aims, self.aims.automata.begun
        age = self._renew(standing.age, standing.effective & ~standing.met)
        member = self.members(aims.chains)  # (B, R, G)
        free = torch.where(member[:, None], age[..., None], _LONG_AGO).amin(dim=2)
        wanted = self.members(self.wanted(standing.effective))
        fresh = free.clamp(max=begun.shape[2] - 1)
        return torch.where(wanted, begun[standing.node].gather(3, fresh[..., None])[..., 0], 0.0)


def aim(
    goals: Sequence[Sequence[Goal]],
    chains: Sequence[Chains],
    device: torch.device,
    *,
    static: bool = False,
    paid: bool = False,
) -> Aims:
    """At the goals of each sentence; a token of one is worth 1, or its bonus if it is to be `paid`."""
    most = max(map(len, goals), default=0)
    num_constraints = max(1, most if not static else -(-most // 4) * 4)
    num_chains = max(map(len, chains), default=0)
    num_chains = num_chains if not static else -(-num_chains // 2) * 2
    price, rate = np.zeros((2, len(goals), num_constraints), dtype=np.float32)
    whole = np.zeros((len(goals), num_constraints), dtype=np.int64)
    counts = np.array([len(ours) for ours in goals])
    flat = [goal for ours in goals for goal in ours]
    at = np.repeat(np.arange(len(goals)), counts), ranks_within(counts)
    rate[at] = [goal.bonus for goal in flat] if paid else 1.0
    price[at] = [goal.shortest for goal in flat]
    whole[at] = [goal.whole for goal in flat]
    masks = np.zeros((len(goals), num_chains), dtype=np.int64)
    for sentence, ours in enumerate(chains):
        for index, chain in enumerate(ours):
            masks[sentence, index] = sum(1 << member for member in chain)
    everything = np.left_shift(1, counts) - 1
    partial = ~np.left_shift(whole, np.arange(num_constraints)).sum(axis=1)
    automata = build_automata([[goal.forms for goal in ours] for ours in goals], rate, device, static)
    tensors = upload((everything, partial, masks, price * rate), device)
    return Aims(
        automata=automata,
        everything=tensors[0],
        partial=tensors[1],
        chains=tensors[2],
        price=tensors[3],
    )


def pick(values: Tensor, index: Tensor) -> Tensor:
    """Of values (B, C, F) those (B, K, F) that an index (B, K) names."""
    return values.gather(1, index[:, :, None].expand(-1, -1, values.shape[2]))


def _spread(per_sentence: Tensor, like: Tensor) -> Tensor:
    """(B,) to the dimensions of (B, ...)."""
    return per_sentence.view(-1, *[1] * (like.dim() - 1))


def _lowest(mask: Tensor) -> Tensor:
    return mask & -mask
