"""A stream of sentences as batches of like lengths, and its results in the order of the sentences.

Sentences are read a window at a time. Inside a window they are sorted by length, so that batches hold little
padding, and the longest go first, so that no worker is left with them at the end. The next window is read
when the batches of the last one are handed out, but never more than one window ahead of the oldest sentence
without a result: memory stays flat however long the stream is.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

Sentence = TypeVar("Sentence")
Result = TypeVar("Result")


def plan_batches(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Every index once, in batches of at most `max_tokens` with padding, the longest sentences first.

    A sentence that is longer than that is a batch of its own.
    """
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        # The first of a batch is its longest, so its length is that of all when they are padded.
        if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= max_tokens:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches


def cut_windows(sentences: Iterable[Sentence], size: int) -> Iterator[list[Sentence]]:
    """The sentences, `size` at a time."""
    rest = iter(sentences)
    while window := list(islice(rest, size)):
        yield window


@dataclass(frozen=True, kw_only=True)
class Batch(Generic[Sentence]):
    """Sentences to be searched together; `numbers` are their places in the stream, from 0."""

    numbers: tuple[int, ...]
    sentences: tuple[Sentence, ...]


class OrderedStream(Generic[Sentence, Result]):
    """Hands out batches of a stream, takes in their results, and gives results in order.

    A window of the input is a sequence of sentences, each with its length; a length of 0 says that the
    sentence needs no search and its result is `blank`. An empty window says that the input pauses: all
    results are given before the next window is asked for, which may then block.
    """

    def __init__(
        self, windows: Iterable[Sequence[tuple[Sentence, int]]], *, max_tokens: int, blank: Result
    ) -> None:
        self._windows = iter(windows)
        self._max_tokens = max_tokens
        self._blank = blank
        self._waiting: deque[Batch[Sentence]] = deque()
        self._results: dict[int, Result] = {}
        self._num_read = self._num_given = self._window_start = 0
        self._paused = self._ended = False

    @property
    def finished(self) -> bool:
        """Whether the input has ended and all its results have been given."""
        return self._ended and self._num_given == self._num_read

    @property
    def num_waiting(self) -> int:
        """How many batches can be taken now."""
        return len(self._waiting)

    def read(self) -> None:
        """Read a window, if it is time."""
        must_be_given = self._num_read if self._paused else self._window_start
        if self._waiting or self._ended or self._num_given < must_be_given:
            return
        window = next(self._windows, None)
        if window is None:
            self._ended = True
            return
        self._paused = not window
        self._window_start = self._num_read
        self._num_read += len(window)
        self._plan(window)

    def take(self) -> Batch[Sentence]:
        """The next batch to search."""
        return self._waiting.popleft()

    def put(self, batch: Batch[Sentence], results: Iterable[Result]) -> None:
        """Take in what the search of a batch has found."""
        self._results.update(zip(batch.numbers, results, strict=True))

    def give(self) -> Iterator[Result]:
        """The results that are next in order."""
        while self._num_given in self._results:
            self._num_given += 1
            yield self._results.pop(self._num_given - 1)

    def _plan(self, window: Sequence[tuple[Sentence, int]]) -> None:
        start = self._window_start
        searched = [index for index, (_, length) in enumerate(window) if length]
        for index, (_, length) in enumerate(window):
            if not length:
                self._results[start + index] = self._blank
        for batch in plan_batches([window[index][1] for index in searched], self._max_tokens):
            members = [searched[place] for place in batch]
            self._waiting.append(
                Batch(
                    numbers=tuple(start + index for index in members),
                    sentences=tuple(window[index][0] for index in members),
                )
            )
