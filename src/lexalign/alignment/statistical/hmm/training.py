"""IBM model 1, then the HMM, both directions together (Liang, Taskar and Klein 2006, Alignment by Agreement).

Each iteration computes the posteriors of every word pair in both directions. By agreement, the expected
counts of translations are the same for both: the geometric mean of the two posteriors, so that a link which
only one direction supports is not learnt. The paper takes their product, which was worse on a small
development set.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor

from lexalign.alignment.statistical.hmm.batches import BitextBatch, make_batches
from lexalign.alignment.statistical.hmm.bitext import PADDING, Bitext
from lexalign.alignment.statistical.hmm.options import HmmOptions
from lexalign.alignment.statistical.hmm.parameters import Jumps, Lexicon, normalized, uniform_lexicon
from lexalign.alignment.statistical.hmm.posteriors import Posteriors, hmm_posteriors, ibm1_posteriors

Say = Callable[[str], None]
Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class BidirectionalPosteriors:
    """The posteriors of both directions: forward (B, T, S), backward (B, S, T)."""

    forward: Posteriors
    backward: Posteriors


@dataclass(frozen=True, eq=False)
class _Counts:
    """Expected counts of translations (W,)."""

    forward: Tensor
    backward: Tensor


class HmmAligner:
    """An HMM that is trained on a text and aligns its sentences."""

    def __init__(self, text: Bitext, options: HmmOptions, device: torch.device) -> None:
        self._options, self._device = options, device
        self._cells = make_batches(text, options.batch_cells, device)
        self._sources, self._targets = self._cells.sources.to(device), self._cells.targets.to(device)
        self._sizes = text.source.vocabulary_size, text.target.vocabulary_size
        self.lexicon = uniform_lexicon(text, len(self._sources), device)
        self.jumps: tuple[Jumps, Jumps] | None = None  # None while it is IBM model 1

    @property
    def num_parameters(self) -> int:
        return len(self._sources)

    def train(self, say: Say) -> None:
        options = self._options
        for index in range(options.ibm1_iterations):
            say(f"IBM 1, iteration {index + 1}: log-likelihoods {_format_likelihoods(self.run_iteration())}")
        if options.hmm_iterations:
            self.start_hmm()
        for index in range(options.hmm_iterations):
            say(f"HMM, iteration {index + 1}: log-likelihoods {_format_likelihoods(self.run_iteration())}")

    def start_hmm(self) -> None:
        longest = self._options.longest_jump
        self.jumps = Jumps(longest, self._device), Jumps(longest, self._device)

    def run_iteration(self) -> tuple[float, float]:
        """Run one iteration of EM, and return the log-likelihoods of both directions before it."""
        counts = _Counts(*(torch.zeros_like(self.lexicon.forward) for _ in range(2)))
        totals = torch.zeros(2, dtype=torch.float64, device=self._device)
        for batch, both in self.posteriors(learn=True):
            self._add_counts(counts, batch, both)
            totals[0] += both.forward.log_likelihood
            totals[1] += both.backward.log_likelihood
            for jumps, side in zip(self.jumps or (), (both.forward, both.backward), strict=False):
                assert side.jumps is not None
                jumps.add(*side.jumps)
        self._maximise(counts)
        for jumps in self.jumps or ():
            jumps.update()
        forward, backward = totals.tolist()
        return forward, backward

    def posteriors(self, *, learn: bool = False) -> Iterator[tuple[BitextBatch, BidirectionalPosteriors]]:
        compute = partial(self._batch_posteriors, learn=learn)
        batches = self._cells.batches
        return map_in_threads(compute, batches) if self._device.type == "cpu" else map(compute, batches)

    def _batch_posteriors(
        self, batch: BitextBatch, *, learn: bool
    ) -> tuple[BitextBatch, BidirectionalPosteriors]:
        moved = batch.to(self._device)
        with flush_denormals():
            return moved, self._both_directions(moved, learn=learn)

    def _both_directions(self, batch: BitextBatch, *, learn: bool) -> BidirectionalPosteriors:
        lexicon, shape, cells = self.lexicon, batch.cells.shape, _wide(batch.cells)
        masks = batch.source != PADDING, batch.target != PADDING
        forward, back = (
            one.index_select(0, batch.parameters).index_select(0, cells).view(shape)
            for one in (lexicon.forward, lexicon.backward)
        )
        return BidirectionalPosteriors(
            self._direction(0, forward, _nulls(lexicon.target_nulls, batch.target), *masks, learn),
            self._direction(
                1, back.transpose(1, 2), _nulls(lexicon.source_nulls, batch.source), *masks[::-1], learn
            ),
        )

    def _direction(
        self, which: int, emissions: Tensor, nulls: Tensor, given: Tensor, explained: Tensor, learn: bool
    ) -> Posteriors:
        null = self._options.null
        if self.jumps is None:
            return ibm1_posteriors(emissions, nulls, given, explained, null)
        return hmm_posteriors(emissions, nulls, given, explained, self.jumps[which], null, learn=learn)

    def _add_counts(self, counts: "_Counts", batch: BitextBatch, both: BidirectionalPosteriors) -> None:
        forward, backward = both.forward.words, both.backward.words.transpose(1, 2)
        if self._options.agreement:
            _add_cells(counts.forward, batch, (forward * backward).sqrt_())
        else:
            _add_cells(counts.forward, batch, forward)
            _add_cells(counts.backward, batch, backward)

    def _maximise(self, counts: "_Counts") -> None:
        lexicon = self.lexicon
        back = counts.forward if self._options.agreement else counts.backward
        self.lexicon = Lexicon(
            forward=normalized(counts.forward, self._sources, self._sizes[0]),
            backward=normalized(back, self._targets, self._sizes[1]),
            target_nulls=lexicon.target_nulls,
            source_nulls=lexicon.source_nulls,
        )


def _add_cells(counts: Tensor, batch: BitextBatch, values: Tensor) -> None:
    """Add values (B, T, S) to the counts (W,) of their parameters."""
    sums = torch.zeros(len(batch.parameters), device=counts.device)
    sums.scatter_add_(0, _wide(batch.cells), values.flatten())
    counts.index_add_(0, batch.parameters, sums)


def _wide(cells: Tensor) -> Tensor:
    """Indexes of 64 bits, by which a CPU gathers and adds in half the time; to keep them takes too much."""
    return cells.flatten().long()


def _nulls(nulls: Tensor, words: Tensor) -> Tensor:
    return nulls.index_select(0, words.flatten()).view(words.shape)


def _format_likelihoods(likelihoods: tuple[float, float]) -> str:
    return f"{likelihoods[0]:,.0f}, {likelihoods[1]:,.0f}"


def map_in_threads(compute: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The results in the order of the items, with each item on one of as many threads as torch has.

    The recursions are many small operations. Shared among cores, each of them waits for the slowest core, and
    on a busy machine that takes ten times as long as on one core.
    """
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # here, and in threads that begin from now on
    try:
        with ThreadPoolExecutor(num_threads) as pool:
            waiting: deque[Future[Result]] = deque()
            for item in items:
                waiting.append(pool.submit(compute, item))
                if len(waiting) > num_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        torch.set_num_threads(num_threads)


@contextmanager
def flush_denormals() -> Iterator[None]:
    """Flush subnormal numbers to zero: a processor computes with them a hundred times slower."""
    already = float(torch.tensor(1e-39) * 1) == 0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(already)
