"""Two synthetic languages whose word alignment is known by construction.

A sentence names a few ideas; the target names the same ones in another order, each three of them shuffled. A
word is the stem of its idea and an ending for two marks. Every idea has a mark that only its source word
shows and one that only its target word shows; the other mark of a word is that of the idea before it:

    ideas      A B C               with the marks   A 0/1   B 1/0   C 1/1      (source/target)
    source     A-0- B-11 C-10 .                     its own mark, and the target mark of the idea before
    target     C-1- A-11 B-00 .                     its own mark, and the source mark of the idea before

So nothing tells which word comes next before it is there, and NaiveATT cannot know its origin. But to find
the ending a decoder has to look back at the origin of the word before, which is what ShiftATT sees. Some
ideas have two stems in the target, one of them common: the other is what a glossary might ask for.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

from lexalign.alignment.formats import talp_line
from lexalign.contracts.alignment import Link
from lexalign.storage import write_text
from lexalign.text.spacing import space_words

_CONSONANTS, _ENDINGS = "bdfghklmnprstvz", "aeio"
_COMMON = 0.75  # how often the first of two stems is taken


@dataclass(frozen=True, kw_only=True)
class SyntheticSizes:
    train: int = 4_000
    valid: int = 150
    gold: int = 100
    terms: int = 60
    ideas: int = 12
    seed: int = 1


@dataclass(frozen=True)
class Idea:
    source: str
    targets: tuple[str, ...]

    def translate(self, random: Random) -> str:
        return self.targets[0] if random.random() < _COMMON else self.targets[-1]


Sentence = tuple[list[str], list[str], list[Link]]


class Languages:
    """The stems of all ideas, by seed."""

    def __init__(self, ideas: int, seed: int) -> None:
        random = Random(f"stems {seed}")
        taken: set[str] = set()
        self.ideas = [_new_idea(random, taken) for _ in range(ideas)]

    def sentence(self, random: Random) -> Sentence:
        ideas = random.sample(self.ideas, random.randint(3, 9))
        marks = [(random.randrange(2), random.randrange(2)) for _ in ideas]
        order = _shuffled(len(ideas), random)
        source = _with_endings([idea.source for idea in ideas], marks)
        turned = [(marks[index][1], marks[index][0]) for index in order]
        target = _with_endings([ideas[index].translate(random) for index in order], turned)
        links = [Link(origin, place) for place, origin in enumerate([*order, len(ideas)])]
        return [*source, "."], [*target, "."], links


def _shuffled(count: int, random: Random) -> list[int]:
    order = list(range(count))
    for start in range(0, count, 3):
        block = order[start : start + 3]
        random.shuffle(block)
        order[start : start + 3] = block
    return order


def _with_endings(stems: list[str], marks: list[tuple[int, int]]) -> list[str]:
    """Add endings to stems; marks are a word's own, and what it passes on to the next."""
    before = [0, *(passed for _, passed in marks)]
    return [
        stem + _ENDINGS[2 * own + before[place]]
        for place, (stem, (own, _)) in enumerate(zip(stems, marks, strict=True))
    ]


def write_synthetic(folder: Path, languages: tuple[str, str], sizes: SyntheticSizes) -> None:
    """Write the files that a real pair has: train, valid and gold, and terms for the other direction."""
    words = Languages(sizes.ideas, sizes.seed)
    for part in ("train", "valid", "gold"):
        random = Random(f"{part} {sizes.seed}")
        sentences = [words.sentence(random) for _ in range(getattr(sizes, part))]
        spaced = part != "gold"
        for column, language in enumerate(languages):
            lines = [_line(sentence[column], spaced) for sentence in sentences]  # type: ignore[arg-type]
            write_text(folder / f"{part}.{language}", "\n".join(lines) + "\n")
        if not spaced:
            talp = [talp_line(links) for _, _, links in sentences]
            write_text(folder / "gold.talp", "\n".join(talp) + "\n")
    random = Random(f"terms {sizes.seed}")
    terms = [_term_line(words.sentence(random)) for _ in range(sizes.terms)]
    write_text(folder / "terms" / "synthetic.jsonl", "\n".join(terms) + "\n")


def _term_line(sentence: Sentence) -> str:
    """A sentence that asks for a word, in the form of Dinu et al.'s sets, from the target to the source."""
    target, source, links = sentence
    link = next(link for link in links if link.source == 1)
    text, spans = space_words(source)
    term = {"src": source[link.target], "tgt": target[1], "src_char": spans[link.target][0]}
    return json.dumps({"src": text, "ref": space_words(target)[0], "terms": [term]}, ensure_ascii=False)


def _new_idea(random: Random, taken: set[str]) -> Idea:
    stems = [_spelling(random, taken) for _ in range(3)]
    return Idea(stems[0], tuple(stems[1:] if random.random() < 0.4 else stems[1:2]))


def _spelling(random: Random, taken: set[str]) -> str:
    while True:
        found = random.choice(_CONSONANTS) + random.choice(_ENDINGS) + random.choice(_CONSONANTS)
        if found not in taken:
            taken.add(found)
            return found


def _line(words: list[str], spaced: bool) -> str:
    return space_words(words)[0] if spaced else " ".join(words)
