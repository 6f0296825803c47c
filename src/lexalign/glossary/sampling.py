"""Constraints sampled from gold alignments, as in the paper's experiments (section 4.3).

Up to three constraints of up to three words each, phrase pairs that are consistent with the gold alignment
(Koehn et al. 2003): no word of either side is linked outside the pair, and something is linked inside.

    Er gab gestern auf .     He gave up yesterday .     0-0 1-1 1-2 2-3 3-1 3-2 4-4

    Er / He, gestern / yesterday, gab gestern auf / gave up yesterday      consistent
    gab / gave up                                                          inconsistent: "auf" is linked too

Pairs that a baseline already translates correctly, that is, whose target words occur in its output, are left
out, and so are pairs of punctuation only. The constraints of a sentence share no word on either side.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.alignment import Link, Span, spans_overlap
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.metrics.occurrences import find_phrase
from lexalign.metrics.words import forms, is_punctuation, split_words
from lexalign.text.spacing import without_joiners
from lexalign.text.words import words_of


@dataclass(frozen=True, kw_only=True)
class SamplingOptions:
    """`edges` tells whether the first and last words of a pair must be linked."""

    max_constraints: int = 3
    max_words: int = 3
    links: Literal["all", "sure"] = "all"
    edges: Literal["linked", "any"] = "linked"

    def __post_init__(self) -> None:
        if self.max_constraints < 1 or self.max_words < 1:
            raise LexalignError("sampling needs at least 1 constraint per sentence, of at least 1 word")


@dataclass(frozen=True, kw_only=True)
class GoldSentence:
    """A sentence pair with its gold links, and a baseline's translation of the source."""

    source: str
    target: str
    links: Sequence[Link]
    baseline: str = ""


@dataclass(frozen=True, order=True, slots=True)
class PhrasePair:
    """Spans of words on both sides: the first, and the last + 1."""

    source: Span
    target: Span

    def overlaps(self, other: "PhrasePair") -> bool:
        return spans_overlap(self.source, other.source) or spans_overlap(self.target, other.target)


def sample_constraints(
    sentence: GoldSentence, generator: random.Random, options: SamplingOptions | None = None
) -> tuple[Constraint, ...]:
    """Sampled constraints of a sentence, in the order of its source; both texts are split at spaces."""
    options = options or SamplingOptions()
    source_spans, target_spans = words_of(sentence.source)[1], words_of(sentence.target)[1]
    translated = forms(split_words(sentence.baseline))
    candidates = []
    for pair in phrase_pairs(len(source_spans), len(target_spans), sentence.links, options):
        phrase = forms(split_words(without_joiners(_text(sentence.target, target_spans, pair.target))))
        if not all(is_punctuation(word) for word in phrase) and not find_phrase(phrase, translated):
            candidates.append(pair)
    return tuple(
        Constraint(
            targets=(_text(sentence.target, target_spans, pair.target),),
            source=(source_spans[pair.source[0]][0], source_spans[pair.source[1] - 1][1]),
        )
        for pair in sorted(_choose(candidates, options.max_constraints, generator))
    )


def sample_corpus(
    sentences: Iterable[GoldSentence], seed: int, options: SamplingOptions | None = None
) -> list[tuple[str, tuple[Constraint, ...]]]:
    """The sources and their constraints, which depend on the seed and the sentence's number alone."""
    return [
        (sentence.source, sample_constraints(sentence, random.Random(f"{seed}:{index}"), options))
        for index, sentence in enumerate(sentences)
    ]


def phrase_pairs(
    num_source: int, num_target: int, links: Iterable[Link], options: SamplingOptions
) -> list[PhrasePair]:
    """All consistent phrase pairs of at most `max_words` words on either side, in order."""
    kept = [link for link in links if link.sure or options.links == "all"]
    sources: list[set[int]] = [set() for _ in range(num_target)]  # linked to each target word
    targets: list[set[int]] = [set() for _ in range(num_source)]
    for link in kept:
        sources[link.target].add(link.source)
        targets[link.source].add(link.target)
    pairs = []
    for start in range(num_target):
        for end in range(start + 1, min(start + options.max_words, num_target) + 1):
            if options.edges == "linked" and not (sources[start] and sources[end - 1]):
                continue
            for source in _source_spans((start, end), sources, targets, options):
                pairs.append(PhrasePair(source, (start, end)))
    return sorted(pairs)


def _source_spans(
    target: Span, sources: Sequence[set[int]], targets: Sequence[set[int]], options: SamplingOptions
) -> list[Span]:
    """The source spans that are consistent with a target span."""
    linked = set().union(*sources[slice(*target)])
    if not linked:
        return []
    first, last = min(linked), max(linked) + 1
    back = set().union(*targets[first:last])
    if not all(target[0] <= index < target[1] for index in back):
        return []
    starts, ends = [first], [last]
    if options.edges == "any":
        while starts[-1] > 0 and not targets[starts[-1] - 1]:
            starts.append(starts[-1] - 1)
        while ends[-1] < len(targets) and not targets[ends[-1]]:
            ends.append(ends[-1] + 1)
    return [(start, end) for start in starts for end in ends if end - start <= options.max_words]


def _choose(pairs: Sequence[PhrasePair], count: int, generator: random.Random) -> list[PhrasePair]:
    """Random pairs that do not overlap; only `random()` gives the same in every version of Python."""
    chosen: list[PhrasePair] = []
    for pair in sorted(pairs, key=lambda _: generator.random()):
        if len(chosen) == count:
            break
        if not any(pair.overlaps(other) for other in chosen):
            chosen.append(pair)
    return chosen


def _text(text: str, spans: Sequence[Span], words: Span) -> str:
    return text[spans[words[0]][0] : spans[words[1] - 1][1]]
