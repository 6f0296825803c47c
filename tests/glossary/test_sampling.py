"""Phrase pairs against their definition, and what is sampled from them."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.alignment import Link, Span
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary.sampling import (
    GoldSentence,
    SamplingOptions,
    phrase_pairs,
    sample_constraints,
    sample_corpus,
)

SOURCE, TARGET = "Er gab gestern auf .", "He gave up yesterday ."
LINKS = [Link(*pair) for pair in ((0, 0), (1, 1), (1, 2), (2, 3), (3, 1), (3, 2), (4, 4))]
LINK = st.builds(
    lambda s, t, sure: Link(s, t, sure=sure), st.integers(0, 4), st.integers(0, 4), st.booleans()
)


def by_definition(size: int, links: list[Link], options: SamplingOptions) -> list[tuple[Span, Span]]:
    """Try all spans of both sides."""
    kept = {(link.source, link.target) for link in links if link.sure or options.links == "all"}
    spans = [(i, j) for i in range(size) for j in range(i + 1, min(i + options.max_words, size) + 1)]
    found = []
    for source in spans:
        for target in spans:
            inside = [
                (source[0] <= s < source[1], target[0] <= t < target[1]) for s, t in kept
            ]  # of each link, both ends
            consistent = (True, True) in inside and all(here == there for here, there in inside)
            edges = [{s for s, _ in kept} >= {source[0], source[1] - 1}]
            edges.append({t for _, t in kept} >= {target[0], target[1] - 1})
            if consistent and (options.edges == "any" or all(edges)):
                found.append((source, target))
    return sorted(found)


@given(
    st.lists(LINK, max_size=8),
    st.builds(
        SamplingOptions,
        max_words=st.integers(1, 4),
        links=st.sampled_from(["all", "sure"]),
        edges=st.sampled_from(["linked", "any"]),
    ),
)
def test_pairs_are_the_consistent_ones(links: list[Link], options: SamplingOptions) -> None:
    found = [(pair.source, pair.target) for pair in phrase_pairs(5, 5, links, options)]
    assert found == by_definition(5, links, options)


def test_the_example() -> None:
    pairs = phrase_pairs(5, 5, LINKS, SamplingOptions())
    assert [(pair.source, pair.target) for pair in pairs] == [
        ((0, 1), (0, 1)),
        ((1, 4), (1, 4)),
        ((2, 3), (3, 4)),
        ((4, 5), (4, 5)),
    ]


def covered(source: str, constraint: Constraint) -> str:
    assert constraint.source is not None
    return source[slice(*constraint.source)]


def sample(seed: int = 1, **options: Any) -> list[tuple[str, str]]:
    baseline = str(options.pop("baseline", ""))
    sentence = GoldSentence(source=SOURCE, target=TARGET, links=LINKS, baseline=baseline)
    found = sample_constraints(sentence, random.Random(seed), SamplingOptions(**options))
    return [(covered(SOURCE, constraint), constraint.targets[0]) for constraint in found]


def test_spans_are_characters_of_the_source() -> None:
    assert set(sample(max_words=1)) == {("Er", "He"), ("gestern", "yesterday")}


def test_what_the_baseline_has_is_left_out() -> None:
    assert sample(max_words=1, baseline="They quit yesterday.") == [("Er", "He")]
    assert sample(max_words=1, baseline="All our yesterdays.") == [("Er", "He"), ("gestern", "yesterday")]


def test_marks_of_joined_words_do_not_hide_what_the_baseline_has() -> None:
    links = [Link(0, 0), Link(0, 1), Link(0, 2)]
    for baseline, number in (("A low-down trick.", 0), ("A low trick.", 1)):
        sentence = GoldSentence(source="mizerabil", target="low ￭-￭ down", links=links, baseline=baseline)
        assert len(sample_constraints(sentence, random.Random(1))) == number


def test_no_more_than_asked_for() -> None:
    assert {len(sample(seed, max_words=1, max_constraints=1)) for seed in range(9)} == {1}


def test_the_seed_decides() -> None:
    samples = [tuple(sample(seed, max_constraints=1)) for seed in range(20)]
    assert samples == [tuple(sample(seed, max_constraints=1)) for seed in range(20)]
    assert len(set(samples)) > 1


@given(st.lists(LINK, max_size=10), st.integers())
def test_samples_are_pairs_that_share_no_word(links: list[Link], seed: int) -> None:
    source, target = "a b c d e", "v w x y z"
    sentence = GoldSentence(source=source, target=target, links=links)
    chosen = sample_constraints(sentence, random.Random(seed))
    allowed = {
        (
            source[2 * pair.source[0] : 2 * pair.source[1] - 1],
            target[2 * pair.target[0] : 2 * pair.target[1] - 1],
        )
        for pair in phrase_pairs(5, 5, links, SamplingOptions())
    }
    texts = [(covered(source, constraint), constraint.targets[0]) for constraint in chosen]
    assert len(chosen) <= 3
    assert set(texts) <= allowed
    for side in zip(*texts, strict=True):
        words = " ".join(side).split()
        assert len(words) == len(set(words))


def test_sentences_do_not_depend_on_their_neighbours() -> None:
    sentence = GoldSentence(source=SOURCE, target=TARGET, links=LINKS)
    other = GoldSentence(source="x", target="y", links=[Link(0, 0)])
    assert sample_corpus([sentence, sentence], 1)[1] == sample_corpus([other, sentence], 1)[1]


def test_nothing_to_sample_from() -> None:
    assert sample_corpus([GoldSentence(source="", target="", links=[])], seed=1) == [("", ())]
    with pytest.raises(LexalignError, match="at least 1"):
        SamplingOptions(max_words=0)
