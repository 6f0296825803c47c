"""A list that is learnt from a language of word-for-word translations has each word's translation."""

import random
from collections.abc import Sequence

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.training.shortlist import ShortlistOptions, TokenPair, learn_shortlist, recall

EOS = 1
FIRST, WORDS = 10, 60  # source words FIRST.. become target words WORDS higher


def make_pairs(count: int, seed: int) -> list[TokenPair]:
    generator = random.Random(seed)
    sources = [
        [FIRST + generator.randrange(WORDS) for _ in range(generator.randint(3, 9))] for _ in range(count)
    ]
    return [(source, [token + WORDS for token in source]) for source in sources]


def learn(pairs: Sequence[TokenPair], options: ShortlistOptions) -> tuple[float, list[set[int]]]:
    sizes = (FIRST + WORDS, FIRST + 2 * WORDS)
    found = learn_shortlist(pairs, sizes=sizes, eos_id=EOS, shared=False, options=options)
    found.check(*sizes)
    lists = [set(found.targets(token).tolist()) for token in range(sizes[0])]
    return recall(found, make_pairs(50, seed=2), EOS), lists


def test_every_word_has_its_translation() -> None:
    share, lists = learn(make_pairs(400, seed=1), ShortlistOptions(frequent=3, per_token=2))
    assert share == 1.0
    assert all(token + WORDS in lists[token] for token in range(FIRST, FIRST + WORDS))
    assert max(map(len, lists)) == 3


def test_all_sentences_have_the_most_frequent_tokens() -> None:
    pairs = [([*source], [*target, 5]) for source, target in make_pairs(200, seed=1)]
    assert learn(pairs, ShortlistOptions(frequent=1, per_token=2))[1][EOS] == {5}


def test_words_that_were_never_seen_are_missed() -> None:
    pairs = [pair for pair in make_pairs(400, seed=1) if FIRST not in pair[0]]
    share, lists = learn(pairs, ShortlistOptions(frequent=3, per_token=2))
    assert 0.9 < share < 1.0
    assert not lists[FIRST]


def test_no_pairs_are_an_error() -> None:
    with pytest.raises(LexalignError, match="no sentence pairs"):
        learn([], ShortlistOptions())
