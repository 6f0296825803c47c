"""A shard's texts with their links, and its examples as they are read again for the terms that are listed."""

from collections.abc import Sequence
from typing import IO

import numpy as np

from lexalign.alignment.statistical.hmm import CorpusLinks, align_by_agreement
from lexalign.glossary.entries import Place
from lexalign.terminology.alignment import UnitAligner
from lexalign.terminology.extraction.candidates import Example
from lexalign.terminology.extraction.shards import WorkFolder, read_line
from lexalign.terminology.extraction.text_words import TextWords
from lexalign.terminology.extraction.translations import AlignedTexts, ExamplePlace
from lexalign.terminology.units import Unit

_EXAMPLE_CHARACTERS = 300
_MAX_OPEN = 256  # files


def align_texts(
    sources: Sequence[str],
    targets: Sequence[str],
    aligner: UnitAligner | None,
    places: Sequence[ExamplePlace],
) -> AlignedTexts:
    """Texts of single spaces with their links; without an aligner, by an HMM that learns from them."""
    words = TextWords.read(sources), TextWords.read(targets)
    if aligner is None:
        links = align_by_agreement(zip(words[0].lists(), words[1].lists(), strict=True))
    else:
        pairs = zip(sources, targets, strict=True)
        links = _links(aligner, [Unit(*pair, Place("", row)) for row, pair in enumerate(pairs)])
    return AlignedTexts(
        sources=sources,
        targets=targets,
        source_words=words[0],
        target_words=words[1],
        links=links,
        places=places,
    )


def _links(aligner: UnitAligner, units: Sequence[Unit]) -> CorpusLinks:
    found = [unit.links for unit in aligner.align(units)]
    links = [link for unit in found for link in unit]
    return CorpusLinks(
        np.cumsum([0, *map(len, found)]),
        np.array([(link.source, link.target) for link in links], dtype=np.int32).reshape(-1, 2),
        np.array([1.0 if one.probability is None else one.probability for one in links], dtype=np.float64),
    )


class ExampleReader:
    """Reads examples from the units of shards, of whose files some stay open."""

    def __init__(self, folder: WorkFolder) -> None:
        self._folder = folder
        self._files: dict[int, IO[bytes]] = {}

    def __enter__(self) -> "ExampleReader":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files.values():
            file.close()

    def read(self, place: ExamplePlace) -> Example:
        shard, start = place
        file = self._open(shard)
        file.seek(start)
        unit = read_line(file.readline().decode())
        return str(unit.place), _excerpt(unit.source), _excerpt(unit.target)

    def _open(self, shard: int) -> IO[bytes]:
        if shard not in self._files:
            if len(self._files) >= _MAX_OPEN:
                self._files.pop(next(iter(self._files))).close()
            self._files[shard] = self._folder.units_path(shard).open("rb")
        return self._files[shard]


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXAMPLE_CHARACTERS else text[: _EXAMPLE_CHARACTERS - 1] + "…"
