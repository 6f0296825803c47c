"""Learning a lexical shortlist from sentence pairs.

Subwords are aligned by the HMM of `alignment/statistical`, and each link counts as much as it is probable. A
source token has the target tokens that it is linked to most; all sentences have the most frequent target
tokens, which are the list of the source's end of sentence:

    pairs    das Haus </s> | the house     die Tür </s> | the door     list of "Haus"    house
             das Haus </s> | a house                                   list of </s>      the, house, a, door
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lexalign.alignment.statistical.hmm import CorpusLinks, HmmOptions, align_by_agreement
from lexalign.contracts.errors import LexalignError
from lexalign.decoding.lexical_shortlist import LexicalShortlist

TokenPair = tuple[Sequence[int], Sequence[int]]  # a source and a target, without ends of sentence

_LEAST_PROBABLE = 0.02  # links below are noise, and many


@dataclass(frozen=True, kw_only=True)
class ShortlistOptions:
    frequent: int = 100  # most frequent target tokens, which are on every list
    per_token: int = 100  # target tokens of a source token, at most

    def __post_init__(self) -> None:
        if min(self.frequent, self.per_token) < 1:
            raise LexalignError("a shortlist needs at least one frequent token, and one for each token")


def learn_shortlist(
    pairs: Sequence[TokenPair],
    *,
    sizes: tuple[int, int],
    eos_id: int,
    shared: bool,
    options: ShortlistOptions,
    say: Callable[[str], None] = lambda _: None,
) -> LexicalShortlist:
    """The list for vocabularies of these sizes; `shared` if source tokens are target tokens too."""
    if not pairs:
        raise LexalignError("there are no sentence pairs to learn a shortlist from")
    words = [([str(one) for one in source], [str(one) for one in target]) for source, target in pairs]
    hmm = HmmOptions(split=False, stem=0, threshold=_LEAST_PROBABLE)
    sources, targets, counts = _count_links(pairs, align_by_agreement(words, hmm, say=say), sizes[1])
    kept = _best_of_each(sources, counts, options.per_token)
    sources, targets = sources[kept], targets[kept]
    used = np.bincount(_flat([target for _, target in pairs]), minlength=sizes[1])
    frequent = np.argsort(-used, kind="stable")[: options.frequent]
    frequent = frequent[used[frequent] > 0]
    sources = np.concatenate([sources, np.full(len(frequent), eos_id)])
    targets = np.concatenate([targets, frequent])
    order = np.argsort(sources, kind="stable")
    offsets = np.searchsorted(sources[order], np.arange(sizes[0] + 1))
    return LexicalShortlist(offsets=offsets, token_ids=targets[order], frequent=0, shared=shared)


def recall(shortlist: LexicalShortlist, pairs: Sequence[TokenPair], eos_id: int) -> float:
    """The share of the target tokens of other pairs that are on the lists of their sentences."""
    found = total = 0
    for source, target in pairs:
        listed = {int(one) for token in (*source, eos_id) for one in shortlist.targets(token)}
        if shortlist.shared:
            listed |= set(source)
        found += sum(token in listed for token in target)
        total += len(target)
    return found / max(total, 1)


def _count_links(
    pairs: Sequence[TokenPair], links: CorpusLinks, target_size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The linked pairs of tokens, and the probabilities of their links, summed."""
    sentence = np.repeat(np.arange(len(pairs)), np.diff(links.starts))
    first = [np.concatenate([[0], np.cumsum([len(pair[side]) for pair in pairs])])[:-1] for side in (0, 1)]
    tokens = [_flat([pair[side] for pair in pairs]) for side in (0, 1)]
    source, target = (tokens[side][first[side][sentence] + links.points[:, side]] for side in (0, 1))
    keys, places = np.unique(source * target_size + target, return_inverse=True)
    counts = np.bincount(places, links.probabilities, len(keys)).astype(np.float64)
    return keys // target_size, keys % target_size, counts


def _best_of_each(sources: NDArray[np.int64], counts: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """The indexes of the pairs with the highest counts of each source token."""
    order = np.lexsort((-counts, sources))
    ranked = sources[order]
    starts = np.searchsorted(ranked, ranked)
    return order[np.arange(len(ranked)) - starts < most]


def _flat(sentences: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    return np.fromiter((token for sentence in sentences for token in sentence), dtype=np.int64)
