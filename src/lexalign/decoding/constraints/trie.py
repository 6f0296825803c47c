"""The tries of a whole batch, grown level by level, with the links that let no match be lost.

Nodes are numbered through the batch: first the roots, one for each sentence, then the nodes of one token, of
two, and so on. Node `num_roots + e` is where edge e leads; edges are sorted by the node that they leave and
their token, so that an edge is found by bisection.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lexalign.decoding.constraints.requests import Phrase

Numbers = npt.NDArray[np.int64]


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

    def moves(self) -> tuple[Numbers, Numbers, Numbers]:
        """Node, token and target of all moves; a node has those of all nodes that it falls to."""
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
        return found // self.span, found % self.span, np.concatenate(targets)[places]


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
