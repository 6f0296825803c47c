"""From posteriors to links between words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lexalign.alignment.hmm.bitext import Bitext, Indexes, read_bitext
from lexalign.alignment.hmm.options import HmmOptions
from lexalign.alignment.hmm.training import Both, HmmAligner, Say


@dataclass(frozen=True, eq=False)
class FoundLinks:
    """Links of many sentences in little memory; those of sentence i from `starts[i]` to `starts[i + 1]`."""

    starts: Indexes
    points: NDArray[np.int32]  # (links, 2) source and target words
    probabilities: NDArray[np.float32]  # (links,)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> list[tuple[int, int, float]]:
        part = slice(self.starts[index], self.starts[index + 1])
        points, probabilities = self.points[part].tolist(), self.probabilities[part].tolist()
        return [(s, t, p) for (s, t), p in zip(points, probabilities, strict=True)]


def align_by_agreement(
    pairs: Iterable[tuple[Sequence[str], Sequence[str]]],
    options: HmmOptions | None = None,
    *,
    device: torch.device | str = "cpu",
    say: Say = lambda _: None,
) -> FoundLinks:
    """Learn from sentence pairs in both directions, and link their words."""
    options = options or HmmOptions()
    text = read_bitext(pairs, options)
    say(f"{len(text):,} pairs of {text.source.vocabulary_size:,} and {text.target.vocabulary_size:,} words")
    aligner = HmmAligner(text, options, torch.device(device))
    say(f"{aligner.num_parameters:,} pairs of words occur together")
    aligner.train(say)
    return found_links(text, _likely(aligner, options.threshold))


def _likely(aligner: HmmAligner, threshold: float) -> Iterator[tuple[Indexes, NDArray[np.float32]]]:
    """Sentence, source part and target part (links, 3), with probabilities."""
    for batch, both in aligner.posteriors():
        means = mean_posteriors(both)
        row, target, source = (means >= threshold).nonzero(as_tuple=True)
        points = torch.stack([torch.from_numpy(batch.rows)[row.cpu()], source.cpu(), target.cpu()], dim=1)
        yield points.numpy(), means[row, target, source].cpu().numpy()


def mean_posteriors(both: Both) -> torch.Tensor:
    """(B, T, S)"""
    return (both.forward.words + both.backward.words.transpose(1, 2)) / 2


def found_links(text: Bitext, found: Iterable[tuple[Indexes, NDArray[np.float32]]]) -> FoundLinks:
    """Links of parts as links of words, each as probable as its most probable one."""
    parts = list(found)
    points = np.concatenate([np.zeros((0, 3), dtype=np.int64), *(each for each, _ in parts)])
    probabilities = np.concatenate([np.zeros(0, dtype=np.float32), *(each for _, each in parts)])
    rows = points[:, 0]
    source = text.source.owners[text.source.starts[rows] + points[:, 1]]
    target = text.target.owners[text.target.starts[rows] + points[:, 2]]
    order = np.lexsort((-probabilities, target, source, rows))
    words = np.stack([rows, source, target], axis=1)[order]
    first = np.append(True, (words[1:] != words[:-1]).any(axis=1))[: len(words)]
    counts = np.bincount(words[first, 0], minlength=len(text))
    starts = np.concatenate([[0], counts.cumsum()]).astype(np.int64)
    return FoundLinks(starts, words[first, 1:].astype(np.int32), probabilities[order][first])
