"""Training on a parallel text, and links between words where the posteriors are high enough."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from lexalign.alignment.statistical.hmm.bitext import Bitext, Indexes, read_bitext
from lexalign.alignment.statistical.hmm.options import HmmOptions
from lexalign.alignment.statistical.hmm.training import BidirectionalPosteriors, HmmAligner, Say

_MIN_THRESHOLD = 0.1  # links below are never considered


@dataclass(frozen=True, eq=False)
class CorpusLinks:
    """Links of a corpus with their probabilities; sentence i has the links `starts[i]` to `starts[i + 1]`."""

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
    """Train on sentence pairs in both directions, and link their words."""
    options = options or HmmOptions()
    text = read_bitext(pairs, options)
    say(f"{len(text):,} pairs of {text.source.vocabulary_size:,} and {text.target.vocabulary_size:,} words")
    aligner = HmmAligner(text, options, torch.device(device))
    say(f"{aligner.num_parameters:,} pairs of words occur together")
    aligner.train(say)
    candidates = _candidate_links(aligner, options.threshold or _MIN_THRESHOLD)
    if options.threshold is None:
        candidates = candidates.above(best_threshold(candidates.probabilities, candidates.expected))
        say(f"links are at least {candidates.probabilities.min(initial=1):.2f} probable")
    return _word_links(text, candidates)


@dataclass(frozen=True, eq=False)
class _CandidateLinks:
    """Links between parts of words, above a threshold."""

    points: Indexes  # (links, 3) sentence, source part and target part
    probabilities: NDArray[np.float32]  # (links,)
    expected: float  # number of links: the sum of all posteriors

    def above(self, threshold: float) -> "_CandidateLinks":
        kept = self.probabilities >= threshold
        return _CandidateLinks(self.points[kept], self.probabilities[kept], self.expected)


def _candidate_links(aligner: HmmAligner, threshold: float) -> _CandidateLinks:
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
    return _CandidateLinks(np.concatenate(points), np.concatenate(probabilities), expected)


def best_threshold(probabilities: NDArray[np.float32], expected: float) -> float:
    """The threshold that maximises the expected F-measure, given calibrated probabilities.

    The expected number of correct links among the k most probable ones is the sum of their probabilities, and
    that of all links is `expected`: F = 2 sum_k / (k + sum_all). The threshold is about F / 2, so below 0.5.
    """
    if not len(probabilities):
        return 1.0
    ordered = np.sort(probabilities)[::-1]
    correct = ordered.cumsum(dtype=np.float64)
    measure = 2 * correct / (np.arange(1, len(ordered) + 1) + expected)
    return float(ordered[measure.argmax()])


def mean_posteriors(both: BidirectionalPosteriors) -> torch.Tensor:
    """The mean (B, T, S) of both directions."""
    return (both.forward.words + both.backward.words.transpose(1, 2)) / 2


def _word_links(text: Bitext, candidates: _CandidateLinks) -> CorpusLinks:
    """Links between words, each with the highest probability of the links between its parts."""
    points, probabilities = candidates.points, candidates.probabilities
    rows = points[:, 0]
    source = text.source.word_indexes[text.source.starts[rows] + points[:, 1]]
    target = text.target.word_indexes[text.target.starts[rows] + points[:, 2]]
    order = np.lexsort((-probabilities, target, source, rows))
    words = np.stack([rows, source, target], axis=1)[order]
    first = np.append(True, (words[1:] != words[:-1]).any(axis=1))[: len(words)]
    counts = np.bincount(words[first, 0], minlength=len(text))
    starts = np.concatenate([[0], counts.cumsum()]).astype(np.int64)
    return CorpusLinks(starts, words[first, 1:].astype(np.int32), probabilities[order][first])
