"""What every engine translates: sentences of token ids, sorted by length into batches."""

import random
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lexalign.text.subwords import SubwordTokenizer

# The first ids are padding, end, unknown and begin of sentence, then come 256 bytes.
_FIRST_WORD_ID = 260
_AROUND = 0.2  # of a length that is asked for


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Sources, each with its end of sentence; all translations get `target_length` tokens and an end."""

    source_ids: list[list[int]]
    target_length: int

    @property
    def num_steps(self) -> int:
        """Decoder steps, and so tokens of a translation with its end."""
        return self.target_length + 1


@dataclass(frozen=True, kw_only=True)
class Case:
    """One column of the results."""

    beam: int
    batch: int

    def __str__(self) -> str:
        return f"beam {self.beam} batch {self.batch}"


def draw_sentences(
    num_sentences: int, vocabulary_size: int, seed: int, longest: int, length: int | None = None
) -> list[list[int]]:
    """Random tokens in lengths like those of subwords in news text, with a mean of 30, or around a length."""
    generator = random.Random(seed)
    lengths = [min(max(round(generator.lognormvariate(3.3, 0.5)), 4), longest) for _ in range(num_sentences)]
    if length is not None:
        lengths = [round(length * generator.uniform(1 - _AROUND, 1 + _AROUND)) for _ in lengths]
    return [
        [generator.randrange(_FIRST_WORD_ID, vocabulary_size) for _ in range(length)] for length in lengths
    ]


def read_sentences(
    path: Path, num_sentences: int, tokenizer: SubwordTokenizer, length: int | None = None
) -> list[list[int]]:
    """The first sentences, or the first of about so many tokens."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if length is None:
        return tokenizer.encode_batch(lines[:num_sentences])
    near = (ids for ids in tokenizer.encode_batch(lines) if abs(len(ids) - length) <= _AROUND * length)
    return list(islice(near, num_sentences))


def make_batches(sentences: list[list[int]], size: int, eos_id: int, target_multiple: int = 1) -> list[Batch]:
    """Batches, the longest first so that workers end together; targets are as long as the longest source."""
    ordered = sorted(sentences, key=len, reverse=True)
    chunks = [ordered[first : first + size] for first in range(0, len(ordered), size)]
    return [
        Batch(
            source_ids=[[*ids, eos_id] for ids in chunk],
            target_length=-(-len(chunk[0]) // target_multiple) * target_multiple,
        )
        for chunk in chunks
    ]
