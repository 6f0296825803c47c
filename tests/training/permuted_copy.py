"""A pair of made-up languages in which every word is known to come from one word.

The source names ideas in some order, the target in another: each three of them are shuffled. A word is one
letter, which stands for an idea and two marks. Every idea has a mark that only its source word shows and one
that only its target word shows; the other mark of a word is that of the idea before it.

    ideas      A B C                 with the marks   A 0/1   B 1/0   C 1/1    (source/target)
    source     A(0,-) B(1,1) C(1,0)                   its own mark, and the target mark of the idea before
    target     C(1,-) A(1,1) B(0,0)                   its own mark, and the source mark of the idea before

So nothing tells which word comes next before it is there, and NaiveATT cannot know its origin. But to mark it
a decoder has to look back at the origin of the word before, which is what ShiftATT sees.
"""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lexalign.contracts.alignment import Link
from lexalign.data.reader import ParallelText
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.options import TrainingOptions
from lexalign.training.recipe import Recipe

NUM_IDEAS = 12
_SOURCE, _TARGET = ord("Ā"), ord("Ѐ")
MODEL: dict[str, Any] = {
    "width": 48,
    "feedforward_width": 96,
    "encoder_layers": 1,
    "decoder_layers": 3,
    "encoder_heads": 2,
    "decoder_heads": 2,
    "max_positions": 32,
    "dropout": 0.0,
}


class Pair(NamedTuple):
    source: str
    target: str
    links: list[Link]


def pairs(count: int, seed: int = 1, *, num_ideas: int = NUM_IDEAS) -> list[Pair]:
    generator = random.Random(seed)
    return [_pair(generator, num_ideas) for _ in range(count)]


def _pair(generator: random.Random, num_ideas: int) -> Pair:
    ideas = generator.sample(range(num_ideas), generator.randint(3, min(9, num_ideas)))
    order = list(range(len(ideas)))
    for start in range(0, len(order), 3):
        block = order[start : start + 3]
        generator.shuffle(block)
        order[start : start + 3] = block
    marks = [(generator.randint(0, 1), generator.randint(0, 1)) for _ in ideas]
    source = _words(_SOURCE, ideas, range(len(ideas)), marks, own=0)
    target = _words(_TARGET, ideas, order, marks, own=1)
    return Pair(source, target, [Link(origin, index) for index, origin in enumerate(order)])


def _words(first: int, ideas: list[int], order: Any, marks: list[tuple[int, int]], own: int) -> str:
    before = 0
    letters = []
    for index in order:
        letters.append(chr(first + 4 * ideas[index] + 2 * marks[index][own] + before))
        before = marks[index][1 - own]
    return " ".join(letters)


def write(path: Path, some: list[Pair], *, turned: bool = False) -> ParallelText:
    lines = [(pair.target, pair.source) if turned else (pair.source, pair.target) for pair in some]
    path.write_text("".join(f"{source}\t{target}\n" for source, target in lines), encoding="utf-8")
    return ParallelText(path)


def write_links(path: Path, some: list[Pair], base: int = 0) -> Path:
    lines = (" ".join(f"{link.source + base}-{link.target + base}" for link in pair.links) for pair in some)
    path.write_text("".join(line + "\n" for line in lines))
    return path


def tokenizer_options(num_ideas: int = NUM_IDEAS) -> TokenizerOptions:
    # Bytes, control symbols, a space, and each letter alone and after a space.
    size = 256 + 4 + 1 + 2 * 2 * 4 * num_ideas
    return TokenizerOptions(vocabulary_size=size, character_coverage=1.0)


def recipe(updates: int, seed: int) -> Recipe:
    return Recipe(
        model=MODEL,
        training=TrainingOptions(
            updates=updates,
            batch_tokens=600,
            learning_rate=3e-3,
            warmup=100,
            log_every=100,
            validate_every=updates,
            validate_bleu=False,
            save_every=20,
            average=3,
            seed=seed,
        ),
        tokenizer=tokenizer_options(),
    )


def small_recipe(updates: int, seed: int, num_ideas: int) -> Recipe:
    """Few ideas are learnt in seconds, by a smaller model and at a higher rate."""
    usual = recipe(updates, seed)
    return Recipe(
        model={**MODEL, "decoder_layers": 2},
        training=replace(usual.training, learning_rate=5e-3, warmup=50),
        tokenizer=tokenizer_options(num_ideas),
    )
