"""Sentences with terms: read, sampled from references, or made of words that a model would not say."""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.studies.foreign_words import places_of
from lexalign.bundled import find_model
from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import read_lines
from lexalign.glossary.sampling import GoldSentence, SamplingOptions, sample_constraints
from lexalign.translator import TranslateOptions, Translator
from lexalign.translator.mutual_alignment import symmetrized
from lexalign.translator.word_aligner import read_words


@dataclass(frozen=True, kw_only=True)
class Case:
    source: str
    reference: str
    constraints: tuple[Constraint, ...]


def read_cases(path: Path) -> list[Case]:
    rows: list[dict[str, Any]] = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [_read_dinu(row) if "src" in row else _read_case(row) for row in rows]


def _read_case(row: dict[str, Any]) -> Case:
    constraints = tuple(
        Constraint(targets=(one["target"],), source=tuple(one["source"])) for one in row["constraints"]
    )
    return Case(source=row["text"], reference=row["reference"], constraints=constraints)


def _read_dinu(row: dict[str, Any]) -> Case:
    constraints = tuple(
        Constraint(targets=(one["tgt"],), source=(one["src_char"], one["src_char"] + len(one["src"])))
        for one in row["terms"]
    )
    return Case(source=row["src"], reference=row["ref"], constraints=constraints)


def read_pairs(source: Path, target: Path) -> list[tuple[str, str]]:
    pairs = zip(read_lines(source), read_lines(target), strict=True)
    return [(one, other) for one, other in pairs if 8 <= len(one.split()) <= 30]


class Sampler:
    """Phrases of references that are aligned to phrases of the sources, by both bundled directions."""

    def __init__(
        self, translator: Translator, options: argparse.Namespace, pairs: Sequence[tuple[str, str]]
    ) -> None:
        self._options, self._pairs = options, pairs
        words = [(read_words(one), read_words(other)) for one, other in pairs]
        back = Translator.load(find_model(options.target, options.source)).word_aligner()
        ahead = translator.word_aligner().align(words)
        reverse = back.align([(target, source) for source, target in words])
        self._links = [
            symmetrized(one.words, other.words, "mean").links
            for one, other in zip(ahead, reverse, strict=True)
        ]
        plain = translator.translate([one for one, _ in pairs], TranslateOptions().verbatim())
        self._plain = [one.text for one in plain]

    def cases(self, number: int) -> list[Case]:
        """Sentences with at least half as many phrases as are asked for."""
        found = []
        for index, (source, target) in enumerate(self._pairs):
            sentence = GoldSentence(
                source=source, target=target, links=self._links[index], baseline=self._plain[index]
            )
            generator = random.Random(f"{self._options.seed}:{index}")
            asked = sample_constraints(sentence, generator, SamplingOptions(max_constraints=number))
            asked = tuple(filter(None, (_without_marks(one, source) for one in asked)))
            if 2 * len(asked) >= number:
                found.append(Case(source=source, reference=target, constraints=asked))
        return found[: self._options.sentences]


def _without_marks(constraint: Constraint, text: str) -> Constraint | None:
    """Words stand between spaces here, so what belongs to the sentence stands at their edges."""
    (target,), (start, end) = constraint.targets, constraint.source or (0, 0)
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    target = target.strip("\"'.,;:!?()[]„“”‘’«»–-… ")
    return Constraint(targets=(target,), source=(start, end)) if target and start < end else None


def read_lexicon(path: Path) -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in read_lines(path)]
    return [(source, target) for source, target in rows]


def unknown_terms(
    translator: Translator,
    lines: list[str],
    number: int,
    seed: int,
    lexicon: Sequence[tuple[str, str]] | None = None,
) -> list[Case]:
    """Sentences with as many exchanged words as there are, but at least half of `number`."""
    generator = random.Random(seed)
    plain = translator.translate(lines, TranslateOptions(align="post-aln").verbatim())
    found = []
    for line, translation in zip(lines, plain, strict=True):
        places = dict(places_of(line, translation))
        places = {noun: word for noun, word in places.items() if list(places.values()).count(word) == 1}
        if len(places) * 2 >= number:
            chosen = sorted(generator.sample(sorted(places), min(number, len(places))))
            found.append((line, translation.text, [(noun, places[noun]) for noun in chosen]))
    if lexicon is not None:
        return [_insert(line, text, chosen, lexicon, generator) for line, text, chosen in found]
    words = [text[slice(*word)] for _, text, chosen in found for _, word in chosen]
    return [_exchange(line, text, chosen, words, generator) for line, text, chosen in found]


def _exchange(
    line: str,
    text: str,
    chosen: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    words: Sequence[str],
    generator: random.Random,
) -> Case:
    constraints: list[Constraint] = []
    reference = text
    for noun, word in sorted(chosen, key=lambda pair: -pair[1][0]):
        taken = [*(one.targets[0] for one in constraints), reference]
        foreign = generator.choice([other for other in words if not any(other in one for one in taken)])
        constraints.append(Constraint(targets=(foreign,), source=noun))
        reference = reference[: word[0]] + foreign + reference[word[1] :]
    constraints.sort(key=lambda one: one.source or (0, 0))
    return Case(source=line, reference=reference, constraints=tuple(constraints))


def _insert(
    line: str,
    text: str,
    chosen: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    lexicon: Sequence[tuple[str, str]],
    generator: random.Random,
) -> Case:
    terms = generator.sample(list(lexicon), len(chosen))
    pairs = list(zip(chosen, terms, strict=True))
    reference, source = text, ""
    constraints: list[Constraint] = []
    for (_, word), (_, target) in sorted(pairs, key=lambda pair: -pair[0][1][0]):
        reference = reference[: word[0]] + target + reference[word[1] :]
    position = 0
    for (noun, _), (term, target) in sorted(pairs, key=lambda pair: pair[0][0][0]):
        source += line[position : noun[0]]
        constraints.append(Constraint(targets=(target,), source=(len(source), len(source) + len(term))))
        source, position = source + term, noun[1]
    return Case(source=source + line[position:], reference=reference, constraints=tuple(constraints))
