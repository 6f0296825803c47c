"""An automaton over tokens that loses no match (Aho and Corasick 1975), one for each sentence of a batch.

Its nodes are the beginnings of phrases; a hypothesis is at the longest one that it ends with. In a batch of
one sentence, for the phrases `5 6 7` and `6 8`:

    node      0    1     2    3       4       5
    is        -    5     6    5 6     6 8     5 6 7
    falls to       0     0    2       0       0

After `5 6` the token 8 leads on to node 4, by way of node 2: what was begun inside of a match is not
forgotten when the match breaks. So a node has the moves of all nodes that it falls to, the root's among them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lexalign.decoding.constraints.records import SentenceTensors, upload
from lexalign.decoding.constraints.requests import Phrase
from lexalign.decoding.constraints.trie import Numbers, Phrases, Tries, grow_tries, list_phrases, ranks_within

NO_TOKEN = -1


@dataclass(kw_only=True)
class Automata(SentenceTensors):
    """The automata of a batch: N nodes in all, M moves of a node, G constraints, which are bits of masks."""

    root: Tensor  # (B,), where hypotheses begin; less than all other nodes
    # (N, 3, M): the tokens of moves, NO_TOKEN where there are fewer, their targets and the targets' reach
    table: Tensor
    ends: Tensor  # (N,), the constraints of which a phrase ends here
    # (N, G, D): how many tokens fewer a constraint needs here, if no more than 0, 1, ... tokens count for it,
    # and what that is worth
    begun: Tensor
    shortest: Tensor  # (N, G), the length of the shortest phrase of a constraint that ends here

    def go(self, node: Tensor, token_ids: Tensor) -> Tensor:
        """The nodes (B, C) that tokens (B, C) lead to."""
        tokens, nodes, _ = self.moves(node)
        return torch.where(tokens == token_ids[:, :, None], nodes, self.root[:, None, None]).amax(dim=2)

    def moves(self, node: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Tokens (B, C, M) that lead somewhere from nodes (B, C), each listed once, where, and its reach.

        The reach are the constraints (masks) that a phrase belongs to which is begun there.
        """
        tokens, nodes, reach = self.table[node].unbind(dim=2)
        return tokens, nodes, reach

    def keep(self, sentence_index: Tensor) -> None:
        """The nodes of other sentences stay; nobody comes there."""
        self.root = self.root[sentence_index]


def build_automata(
    constraints: Sequence[Sequence[Sequence[Phrase]]],
    rates: npt.NDArray[np.float32],
    device: torch.device,
    static: bool,
) -> Automata:
    """Of the phrases of each sentence's constraints, of which tokens are worth `rates` (B, G).

    If they are to be `static`, their sizes are those of few layouts.
    """
    phrases = list_phrases(constraints)
    tries = grow_tries(phrases)
    size = _size(len(tries.falls), 256, static)
    ends, reach = _masks(phrases, tries, size)
    gain, shortest = _counts(phrases, tries, (size, rates.shape[1]), static)
    _inherit(tries, ends, reach, gain, shortest)
    begun = np.zeros(gain.shape, dtype=np.float32)
    begun[: len(tries.falls)] = gain[: len(tries.falls)] * rates[tries.sentence][:, :, None]
    np.maximum.accumulate(begun, axis=2, out=begun)
    root = np.arange(len(constraints))
    tensors = upload((root, _list_moves(tries, reach, static), ends, begun, shortest), device)
    return Automata(
        root=tensors[0],
        table=tensors[1],
        ends=tensors[2],
        begun=tensors[3],
        shortest=tensors[4],
    )


def _masks(phrases: Phrases, tries: Tries, size: int) -> tuple[Numbers, Numbers]:
    """Of the constraints whose phrases end at nodes (N,), and of those whose phrases pass there."""
    ends, reach = np.zeros((2, size), dtype=np.int64)
    bits = np.left_shift(1, phrases.constraint)
    np.bitwise_or.at(ends, _last_nodes(phrases, tries), bits)
    np.bitwise_or.at(reach, tries.path, np.repeat(bits, phrases.lengths))
    return ends, reach


def _counts(phrases: Phrases, tries: Tries, shape: tuple[int, int], static: bool) -> tuple[Numbers, Numbers]:
    """By nodes and constraints (N, G), what the phrases that pass there gain and how long they are.

    Gains are also by the tokens (D) that have been passed.
    """
    shortest = np.zeros(shape, dtype=np.int64)
    gain = np.zeros((*shape, _size(int(phrases.lengths.max(initial=0)), 4, static)), dtype=np.int64)
    fewest = np.full((phrases.num_sentences, shape[1]), 1 << 30)
    np.minimum.at(fewest, (phrases.sentence, phrases.constraint), phrases.lengths)
    own = np.repeat(np.arange(len(phrases.lengths)), phrases.lengths)  # the phrase of each token
    passed = ranks_within(phrases.lengths) + 1
    left = phrases.lengths[own] - passed
    gained = fewest[phrases.sentence[own], phrases.constraint[own]] - left
    within = left > 0
    places = tries.path[within], phrases.constraint[own][within], passed[within]
    np.maximum.at(gain, places, gained[within])
    shortest[_last_nodes(phrases, tries), phrases.constraint] = phrases.lengths
    return gain, shortest


def _inherit(tries: Tries, ends: Numbers, reach: Numbers, gain: Numbers, shortest: Numbers) -> None:
    """Give every node what the nodes have that it falls to."""
    for first, last in pairwise(tries.levels[1:]):
        level, falls = slice(first, last), tries.falls[first:last]
        ends[level] |= ends[falls]
        reach[level] |= reach[falls]
        gain[level] = np.maximum(gain[level], gain[falls])
        shortest[level] = np.where(shortest[falls] > 0, shortest[falls], shortest[level])


def _list_moves(tries: Tries, reach: Numbers, static: bool) -> Numbers:
    """(N, 3, M)"""
    nodes, tokens, targets = tries.moves()
    counts = np.bincount(nodes, minlength=len(reach))
    table = np.zeros((len(reach), 3, _size(int(counts.max(initial=0)), 4, static)), dtype=np.int64)
    table[:, 0] = NO_TOKEN
    places = ranks_within(counts)
    for column, values in enumerate((tokens, targets, reach[targets])):
        table[nodes, column, places] = values
    return table


def _last_nodes(phrases: Phrases, tries: Tries) -> Numbers:
    """Where phrases (P,) end."""
    nodes: Numbers = tries.path[phrases.firsts + phrases.lengths - 1]
    return nodes


def _size(largest: int, least: int, static: bool) -> int:
    """The largest; or, for layouts to be few, `least` times a power of two that holds it."""
    if not static:
        return max(largest, 1)
    while least < largest:
        least *= 2
    return least
