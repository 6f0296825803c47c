"""From posteriors to links between words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lexalign.alignment.statistical.hmm.bitext import Bitext, Indexes, read_bitext
from lexalign.alignment.statistical.hmm.options import HmmOptions
from lexalign.alignment.statistical.hmm.training import Both, HmmAligner, Say

_LEAST = 0.1  # what is less probable is no link, whatever the others are


@dataclass(frozen=True, eq=False)
class CorpusLinks:
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
) -> CorpusLinks:
    """Learn from sentence pairs in both directions, and link their words."""
    options = options or HmmOptions()
    text = read_bitext(pairs, options)
    say(f"{len(text):,} pairs of {text.source.vocabulary_size:,} and {text.target.vocabulary_size:,} words")
    aligner = HmmAligner(text, options, torch.device(device))
    say(f"{aligner.num_parameters:,} pairs of words occur together")
    aligner.train(say)
    likely = _likely(aligner, options.threshold or _LEAST)
    if options.threshold is None:
        likely = likely.above(best_threshold(likely.probabilities, likely.expected))
        say(f"links are at least {likely.probabilities.min(initial=1):.2f} probable")
    return _between_words(text, likely)


@dataclass(frozen=True, eq=False)
class _Likely:
    """Links of parts of words, those that are probable enough of all that are possible."""

    points: Indexes  # (links, 3) sentence, source part and target part
    probabilities: NDArray[np.float32]  # (links,)
    expected: float  # the sum of all probabilities: how many links there should be

    def above(self, threshold: float) -> "_Likely":
        kept = self.probabilities >= threshold
        return _Likely(self.points[kept], self.probabilities[kept], self.expected)


def _likely(aligner: HmmAligner, threshold: float) -> _Likely:
    points = [np.zeros((0, 3), dtype=np.int64)]
    probabilities = [np.zeros(0, dtype=np.float32)]
    expected = 0.0
    for batch, both in aligner.posteriors():
        means = mean_posteriors(both)
        row, target, source = (means >= threshold).nonzero(as_tuple=True)
        found = torch.stack([torch.from_numpy(batch.rows)[row.cpu()], source.cpu(), target.cpu()], dim=1)
        points.append(found.numpy())
        probabilities.append(means[row, target, source].cpu().numpy())
        expected += float(means.sum(dtype=torch.float64))
    return _Likely(np.concatenate(points), np.concatenate(probabilities), expected)


def best_threshold(probabilities: NDArray[np.float32], expected: float) -> float:
    """From where on links make the best F-measure, if they are as probable as is said.

    Of the k most probable links, as many as the sum of their probabilities are right, and as many as the sum
    of all probabilities, `expected`, there are: F = 2 sum_k / (k + sum_all). That is about where a link is
    half as probable as F is high, and so below a half.
    """
    if not len(probabilities):
        return 1.0
    ordered = np.sort(probabilities)[::-1]
    right = ordered.cumsum(dtype=np.float64)
    measure = 2 * right / (np.arange(1, len(ordered) + 1) + expected)
    return float(ordered[measure.argmax()])


def mean_posteriors(both: Both) -> torch.Tensor:
    """(B, T, S)"""
    return (both.forward.words + both.backward.words.transpose(1, 2)) / 2


def _between_words(text: Bitext, likely: _Likely) -> CorpusLinks:
    """Links of parts as links of words, each as probable as its most probable one."""
    points, probabilities = likely.points, likely.probabilities
    rows = points[:, 0]
    source = text.source.owners[text.source.starts[rows] + points[:, 1]]
    target = text.target.owners[text.target.starts[rows] + points[:, 2]]
    order = np.lexsort((-probabilities, target, source, rows))
    words = np.stack([rows, source, target], axis=1)[order]
    first = np.append(True, (words[1:] != words[:-1]).any(axis=1))[: len(words)]
    counts = np.bincount(words[first, 0], minlength=len(text))
    starts = np.concatenate([[0], counts.cumsum()]).astype(np.int64)
    return CorpusLinks(starts, words[first, 1:].astype(np.int32), probabilities[order][first])
