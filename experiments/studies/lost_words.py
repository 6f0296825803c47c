"""Are words that a translation lacks found? Words are deleted on purpose, and looked for by coverage.

    python -m experiments.studies.lost_words --source de --target en --input held-out.de --json lost.json

The plain translation of every sentence is aligned; then one to four neighbouring words of it are deleted, and
what is left is aligned again. A source word is lost if the surest links of its subwords all lead to deleted
words. Told of every threshold:

words      precision and recall of source words that nothing seems to come from
warnings   of cases in which source words of at least twelve letters in all are lost, the share with a warning
false      of the translations as they were, the share with a warning, which may be right all the same
"""

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lexalign.bundled import find_model
from lexalign.contracts.alignment import Span
from lexalign.data.reader import read_lines
from lexalign.storage import write_text
from lexalign.translator import TranslateOptions, Translator, WordAligner
from lexalign.translator.coverage import LOST_LETTERS, UNCOVERED, find_uncovered
from lexalign.translator.word_aligner import AlignedPair, read_words


@dataclass(frozen=True, kw_only=True)
class Case:
    """The words of a source, which of them are lost, and how probably nothing comes from each."""

    words: tuple[Span, ...]
    lost: frozenset[int]
    nothing: tuple[float, ...]

    @property
    def lost_letters(self) -> int:
        return sum(end - start for start, end in (self.words[index] for index in self.lost))

    def warned(self) -> bool:
        return any(one.lost for one in find_uncovered(self.words, self.nothing))


def main() -> None:
    options = parse()
    translator = Translator.load(find_model(options.source, options.target))
    aligner, generator = translator.word_aligner(), random.Random(options.seed)
    lines = [line for line in read_lines(options.input) if 8 <= len(line.split()) <= 40]
    lines = lines[: options.sentences]
    plain = [one.text for one in translator.translate(lines, TranslateOptions().verbatim())]
    whole = align(aligner, lines, plain)
    cut = [delete_words(text, generator) for text in plain]
    shortened = align(aligner, lines, [text for text, _ in cut])
    untouched = [case_of(pair, frozenset()) for pair in whole]
    cases = [
        case_of(after, lost_words(before, deleted))
        for before, after, (_, deleted) in zip(whole, shortened, cut, strict=True)
    ]
    results = [figures(cases, untouched, threshold) for threshold in options.thresholds]
    for row in results:
        print("  ".join(f"{name} {value:.3f}" for name, value in row.items()))
    if options.json:
        write_text(options.json, json.dumps(results, indent=2) + "\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", default="de")
    parser.add_argument("--target", default="en")
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--thresholds", type=float, nargs="+", default=[0.5, 0.6, UNCOVERED, 0.8, 0.9])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def align(aligner: WordAligner, sources: Sequence[str], targets: Sequence[str]) -> list[AlignedPair]:
    pairs = [(read_words(one), read_words(other)) for one, other in zip(sources, targets, strict=True)]
    return list(aligner.align(pairs))


def delete_words(text: str, generator: random.Random) -> tuple[str, frozenset[int]]:
    """A text without one to four neighbouring words, and the positions of these."""
    words = text.split()
    number = min(generator.randint(1, 4), len(words) - 1)
    first = generator.randrange(len(words) - number)
    kept = words[:first] + words[first + number :]
    return " ".join(kept), frozenset(range(first, first + number))


def lost_words(pair: AlignedPair, deleted: frozenset[int]) -> frozenset[int]:
    """Source words of which every link leads to a deleted word."""
    links: dict[int, list[int]] = {}
    for link in pair.words.links:
        links.setdefault(link.source, []).append(link.target)
    return frozenset(source for source, targets in links.items() if deleted.issuperset(targets))


def case_of(pair: AlignedPair, lost: frozenset[int]) -> Case:
    probabilities = pair.subwords.probabilities.double()  # (T, S)
    covered = 1.0 - (1.0 - probabilities.clamp(0.0, 1.0)).prod(dim=0)
    nothing = [1.0] * len(pair.source.spans)
    for span, one in zip(pair.source_spans, covered.tolist(), strict=False):
        for index, (start, end) in enumerate(pair.source.spans):
            if span[0] < end and start < span[1]:
                nothing[index] *= 1.0 - one
    return Case(words=pair.source.spans, lost=lost, nothing=tuple(nothing))


def figures(cases: Sequence[Case], untouched: Sequence[Case], threshold: float) -> dict[str, float]:
    told = [{index for index, one in enumerate(case.nothing) if one >= threshold} for case in cases]
    right = sum(len(found & case.lost) for found, case in zip(told, cases, strict=True))
    content = [case for case in cases if case.lost_letters >= LOST_LETTERS]
    return {
        "threshold": threshold,
        "precision": right / max(1, sum(map(len, told))),
        "recall": right / max(1, sum(len(case.lost) for case in cases)),
        "warnings": sum(case.warned() for case in content) / max(1, len(content)),
        "false": sum(case.warned() for case in untouched) / len(untouched),
    }


if __name__ == "__main__":
    main()
