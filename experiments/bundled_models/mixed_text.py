"""The text that a student without a teacher learns from: human corpora, cleaned, mixed and augmented.

Parts of as many pairs are made by several processes, each part with random numbers of its own, so that the
text depends on nothing but the corpora, the recipe and the seed.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import TypeVar

from experiments.bundled_models.augmentation import AugmentationOptions, augment
from experiments.bundled_models.cleaning import Pair, clean, modern_spelling
from experiments.bundled_models.corpora import Corpora, Corpus
from experiments.bundled_models.mixture_recipe import MixtureRecipe
from experiments.paper.pipeline.stage import digest
from lexalign.data.reader import ParallelText, read_lines
from lexalign.storage import new_folder

_PART = 40_000  # pairs
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class Part:
    """Some pairs of a corpus, and what becomes of them."""

    corpus: Corpus
    languages: tuple[str, str]  # source first
    first: int
    time: int  # the number of this copy of the corpus
    share: float  # of its pairs that are taken
    stand_ins: float
    augmentation: AugmentationOptions
    seed: int

    @property
    def name(self) -> str:
        return f"{self.corpus.name}-{self.time}-{self.first:08}"


def mixed_text(
    corpora: Corpora,
    recipe: MixtureRecipe,
    languages: tuple[str, str],
    folder: Path,
    *,
    seed: int,
    workers: int | None = None,
) -> list[ParallelText]:
    """The parts in `folder`, made unless they are there."""
    parts = list(plan(corpora, recipe, languages, seed=seed))
    sizes = {corpus.name: corpus.size for corpus in corpora.parallel}
    place = folder / digest([sizes, asdict(recipe), languages, seed])
    if not place.exists():
        with new_folder(place) as new:
            for_each(parts, partial(write_part, new), workers)
    source, target = languages
    return [ParallelText(place / f"{part.name}.{source}", place / f"{part.name}.{target}") for part in parts]


def plan(corpora: Corpora, recipe: MixtureRecipe, languages: tuple[str, str], *, seed: int) -> Iterator[Part]:
    for corpus in corpora.parallel:
        size = sum(1 for _ in read_lines(corpus.files[languages[0]]))
        left, time = recipe.times_of(corpus.name, "-".join(languages)), 0
        while left > 0:
            for first in range(0, size, _PART):
                yield Part(
                    corpus=corpus,
                    languages=languages,
                    first=first,
                    time=time,
                    share=min(left, 1.0),
                    stand_ins=recipe.stand_ins.get(corpus.name, 0.0),
                    augmentation=recipe.augmentation,
                    seed=seed,
                )
            left, time = left - 1, time + 1


def write_part(folder: Path, part: Part) -> None:
    pairs = list(pairs_of(part))
    for side, language in enumerate(part.languages):
        text = "".join(pair[side] + "\n" for pair in pairs)
        (folder / f"{part.name}.{language}").write_text(text, encoding="utf-8", newline="\n")


def pairs_of(part: Part) -> Iterator[Pair]:
    random = Random(f"{part.seed} {part.name}")
    read = islice(part.corpus.pairs(*part.languages).read(), part.first, part.first + _PART)
    kept = clean((pair for pair in read if random.random() < part.share), part.languages)
    # Old spelling may be read, and is not to be written.
    if part.languages[1] == "de":
        kept = ((source, modern_spelling(target)) for source, target in kept)
    return augment(kept, part.augmentation, part.stand_ins, source=part.languages[0], random=random)


def for_each(items: Iterable[Item], work: Callable[[Item], None], workers: int | None) -> None:
    """Do the work in so many processes (None: one for each core); a single one is this process."""
    if workers == 1:
        for item in items:
            work(item)
        return
    # A fork would share the locks of this process' threads.
    with ProcessPoolExecutor(workers or os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for _ in pool.map(work, items):
            pass
