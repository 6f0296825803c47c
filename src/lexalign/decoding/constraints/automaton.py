"""An automaton over tokens that loses no match (Aho and Corasick 1975), one for each sentence of a batch.

Its nodes are the beginnings of phrases; a hypothesis is at the longest one that it ends with. In a batch of
one sentence, for the phrases `5 6 7` and `6 8`:

    node      0    1     2    3       4       5
    is        -    5     6    5 6     6 8     5 6 7
    falls to       0     0    2       0       0

After `5 6` the token 8 leads on to node 4, by way of node 2: what was begun inside of a match is not
forgotten when the match breaks. So a node has the moves of all nodes that it falls to, the root's among them.

The tries of a whole batch are grown level by level. Nodes are numbered through the batch: first the roots,
one for each sentence, then the nodes of one token, of two, and so on. Node `num_roots + e` is where edge e
leads; edges are sorted by the node that they leave and their token, so that an edge is found by bisection.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from lexalign.contracts.sentence_tensors import SentenceTensors, upload
from lexalign.decoding.constraints.sentence_constraints import Phrase

Numbers = npt.NDArray[np.int64]

NO_TOKEN = -1


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """The phrases of a batch, and their tokens one after another."""

    num_sentences: int
    sentence: Numbers  # (P,)
    constraint: Numbers  # (P,), of its sentence
    lengths: Numbers  # (P,)
    tokens: Numbers  # (T,)

    @property
    def firsts(self) -> Numbers:
        """Where each one's tokens begin."""
        return np.cumsum(self.lengths) - self.lengths


def list_phrases(constraints: Sequence[Sequence[Sequence[Phrase]]]) -> Phrases:
    """Of each sentence's constraints, any of whose phrases will do."""
    phrases = [phrase for ours in constraints for forms in ours for phrase in forms]
    of_sentence = np.array([len(ours) for ours in constraints], dtype=np.int64)
    of_constraint = np.array([len(forms) for ours in constraints for forms in ours], dtype=np.int64)
    sentence = np.repeat(np.arange(len(constraints)), of_sentence)  # of each constraint
    constraint = ranks_within(of_sentence)
    return Phrases(
        num_sentences=len(constraints),
        sentence=np.repeat(sentence, of_constraint),
        constraint=np.repeat(constraint, of_constraint),
        lengths=np.array([len(phrase) for phrase in phrases], dtype=np.int64),
        tokens=np.array([token for phrase in phrases for token in phrase], dtype=np.int64),
    )


@dataclass(frozen=True, kw_only=True)
class Tries:
    num_roots: int
    span: int  # of the numbers that stand for tokens
    keys: Numbers  # (E,), node * span + token
    levels: list[int]  # the first node of every level, and of one more
    sentence: Numbers  # (N,)
    falls: Numbers  # (N,), the longest node that is an end of this one; a root falls to itself
    path: Numbers  # (T,), the node that each token of a phrase leads to

    def moves(self) -> tuple[Numbers, Numbers, Numbers, npt.NDArray[np.bool_]]:
        """Node, token and target of all moves; a node has those of all nodes that it falls to.

        The last says which of them go on with what has been begun, rather than with an end of it.
        """
        nodes, at = np.arange(len(self.falls)), np.arange(len(self.falls))
        keys, targets = [], []
        while len(nodes):
            first = np.searchsorted(self.keys, at * self.span)
            count = np.searchsorted(self.keys, (at + 1) * self.span) - first
            edges = np.repeat(first, count) + ranks_within(count)
            keys.append(np.repeat(nodes, count) * self.span + self.keys[edges] % self.span)
            targets.append(edges + self.num_roots)
            falling = at >= self.num_roots
            nodes, at = nodes[falling], self.falls[at[falling]]
        # Of moves with one token the first counts: it leads the furthest.
        found, places = np.unique(np.concatenate(keys), return_index=True)
        nodes, tokens = found // self.span, found % self.span
        own = (places < len(keys[0])) & (nodes >= self.num_roots)
        return nodes, tokens, np.concatenate(targets)[places], own


def grow_tries(phrases: Phrases) -> Tries:
    """Tokens must not be negative."""
    roots, firsts, lengths = phrases.num_sentences, phrases.firsts, phrases.lengths
    span = int(phrases.tokens.max(initial=0)) + 1
    at, path = phrases.sentence.copy(), np.zeros_like(phrases.tokens)
    sentence, levels = [np.arange(roots)], [roots]
    keys: list[Numbers] = []
    longer = np.flatnonzero(lengths > 0)
    while len(longer):
        places = firsts[longer] + len(keys)
        level, index = np.unique(at[longer] * span + phrases.tokens[places], return_inverse=True)
        at[longer] = path[places] = levels[-1] + index
        of_level = np.empty(len(level), dtype=np.int64)
        of_level[index] = phrases.sentence[longer]
        sentence.append(of_level)
        keys.append(level)
        levels.append(levels[-1] + len(level))
        longer = longer[lengths[longer] > len(keys)]
    all_keys = np.concatenate([*keys, np.zeros(0, dtype=np.int64)])
    sentences = np.concatenate(sentence)
    return Tries(
        num_roots=roots,
        span=span,
        keys=all_keys,
        levels=levels,
        sentence=sentences,
        falls=_find_falls(roots, span, all_keys, levels, sentences),
        path=path,
    )


def ranks_within(counts: Numbers) -> Numbers:
    """0, 1, ... within each of several groups of these sizes."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def _find_falls(roots: int, span: int, keys: Numbers, levels: Sequence[int], sentence: Numbers) -> Numbers:
    """A child falls to where its token leads from the first node on the way down that knows it."""
    falls = sentence.copy()
    for first, last in pairwise(levels[1:]):
        parents, tokens = np.divmod(keys[first - roots : last - roots], span)
        at = falls[parents]
        while True:
            wanted = at * span + tokens
            edges = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            found = keys[edges] == wanted
            if (found | (at < roots)).all():
                break
            at = np.where(found, at, falls[at])
        falls[first:last] = np.where(found, edges + roots, at)
    return falls


@dataclass(kw_only=True)
class Automata(SentenceTensors):
    """The automata of a batch: N nodes in all, M moves of a node, G constraints, which are bits of masks."""

    root: Tensor  # (B,), where hypotheses begin; less than all other nodes
    # (N, 4, M): the tokens of moves, NO_TOKEN where there are fewer, their targets, the targets' reach, and
    # the part of it that is continued
    table: Tensor
    ends: Tensor  # (N,), the constraints of which a phrase ends here
    # (N, G, D): how many tokens fewer a constraint needs here, if no more than 0, 1, ... tokens count for it,
    # and the value of that
    begun: Tensor
    shortest: Tensor  # (N, G), the length of the shortest phrase of a constraint that ends here

    def go(self, node: Tensor, token_ids: Tensor) -> Tensor:
        """The nodes (B, C) that tokens (B, C) lead to."""
        tokens, nodes, *_ = self.moves(node)
        return torch.where(tokens == token_ids[:, :, None], nodes, self.root[:, None, None]).amax(dim=2)

    def moves(self, node: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Tokens (B, C, M) that lead somewhere from nodes (B, C), each listed once, where, and its reach.

        The reach are the constraints (masks) that a phrase belongs to which is begun there; the last are
        those that are continued, so that nothing of what has been begun is broken off.
        """
        tokens, nodes, reach, continued = self.table[node].unbind(dim=2)
        return tokens, nodes, reach, continued

    def keep(self, sentence_index: Tensor) -> None:
        """The nodes of other sentences stay; nobody comes there."""
        self.root = self.root[sentence_index]


def build_automata(
    constraints: Sequence[Sequence[Sequence[Phrase]]],
    token_value: npt.NDArray[np.float32],
    device: torch.device,
    static: bool,
) -> Automata:
    """The automata of the phrases of each sentence's constraints, whose tokens have a value (B, G).

    If they are to be `static`, their sizes are those of few layouts.
    """
    phrases = list_phrases(constraints)
    tries = grow_tries(phrases)
    size = _size(len(tries.falls), 256, static)
    ends, reach = _masks(phrases, tries, size)
    gain, shortest = _counts(phrases, tries, (size, token_value.shape[1]), static)
    passing = reach.copy()
    _inherit(tries, ends, reach, gain, shortest)
    begun = np.zeros(gain.shape, dtype=np.float32)
    begun[: len(tries.falls)] = gain[: len(tries.falls)] * token_value[tries.sentence][:, :, None]
    np.maximum.accumulate(begun, axis=2, out=begun)
    root = np.arange(len(constraints))
    tensors = upload((root, _list_moves(tries, reach, passing, static), ends, begun, shortest), device)
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


def _list_moves(tries: Tries, reach: Numbers, passing: Numbers, static: bool) -> Numbers:
    """(N, 4, M)"""
    nodes, tokens, targets, own = tries.moves()
    counts = np.bincount(nodes, minlength=len(reach))
    table = np.zeros((len(reach), 4, _size(int(counts.max(initial=0)), 4, static)), dtype=np.int64)
    table[:, 0] = NO_TOKEN
    places = ranks_within(counts)
    continued = np.where(own, passing[targets], 0)
    for column, values in enumerate((tokens, targets, reach[targets], continued)):
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
