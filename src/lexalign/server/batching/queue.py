"""The queue of jobs, and how the next batch is chosen from it.

A worker that becomes free takes a batch at once: the job that has waited longest, and jobs of the same work
whose lengths are nearest to its own, as many as fit into a budget of tokens without much padding. No worker
waits for a batch to fill; batches fill while all workers are busy.

A request of many sentences does not block those that come after it: each of its tokens counts as if it had
arrived a moment after the one before.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lexalign.server.batching.work import Payload, Work

# About the time that a core needs for a token.
_SECONDS_PER_TOKEN = 0.001
# A second of waiting outweighs a difference of so many tokens in length. Both figures come from a
# simulation of 64 clients with a guessed cost of a step, not from a server.
_TOKENS_PER_SECOND = 1.0
_MAX_PADDED_RATIO = 2.0  # padded tokens to tokens; finished sentences leave their batch, so it costs little
# Jobs that are compared; with more to choose from, batches would be no fuller, and choosing would take
# longer than translating.
_MAX_COMPARED = 2_000


@dataclass(kw_only=True, eq=False)
class Job:
    """A sentence or text for a worker, or of length 0 for none; the queue is sorted by `due`.

    One that a worker may have died of is to be `alone` in its batch.
    """

    work: Work
    payload: Payload
    length: int
    due: float = 0.0
    alone: bool = False


class JobQueue:
    def __init__(self) -> None:
        self._jobs: list[Job] = []  # sorted by `due`
        self.tokens = 0

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, jobs: Iterable[Job], now: float) -> None:
        before = 0
        for job in jobs:
            job.due = now + before * _SECONDS_PER_TOKEN
            before += job.length
            self._jobs.append(job)
            self.tokens += job.length
        self._jobs.sort(key=_due)

    def put_back(self, jobs: Iterable[Job]) -> None:
        """Jobs that were taken and not done; they are where they were before."""
        self._jobs.extend(jobs)
        self._jobs.sort(key=_due)
        self.tokens = sum(job.length for job in self._jobs)

    def discard(self, jobs: Iterable[Job]) -> None:
        removed = set(jobs)
        if not removed or not self._jobs:
            return
        self._jobs = [job for job in self._jobs if job not in removed]
        self.tokens = sum(job.length for job in self._jobs)

    def take(self, max_tokens: int, num_free: int = 1) -> list[Job]:
        """The next batch; free workers share what waits, and a long text is a batch of its own."""
        if not self._jobs:
            return []
        first = self._jobs[0]
        candidates = self._candidates(first)
        candidates.sort(key=lambda job: abs(job.length - first.length) + _TOKENS_PER_SECOND * job.due)
        total = first.length + sum(job.length for job in candidates)
        budget = max_tokens if num_free == 1 else min(max_tokens, -(-total // num_free))
        batch = _fill_batch(first, candidates, budget)
        self.discard(batch)
        return batch

    def _candidates(self, first: Job) -> list[Job]:
        """The jobs that can be in one batch with the first."""
        if first.alone:
            return []
        return [job for job in self._jobs[1:_MAX_COMPARED] if job.work == first.work and not job.alone]


def _due(job: Job) -> float:
    return job.due


def _fill_batch(first: Job, candidates: Iterable[Job], budget: int) -> list[Job]:
    batch, longest, tokens = [first], first.length, first.length
    for job in candidates:
        padded = (len(batch) + 1) * max(longest, job.length)
        if padded > budget:
            break
        if padded <= _MAX_PADDED_RATIO * (tokens + job.length):
            batch.append(job)
            longest, tokens = max(longest, job.length), tokens + job.length
    return batch
