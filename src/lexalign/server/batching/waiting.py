"""Who waits, and who goes next.

A worker that becomes free takes a batch at once: the one that has waited longest, and those of the same work
whose lengths are nearest to its own, as many as fit into a budget of tokens without much padding. Nobody
waits for a batch to fill; batches fill while all workers are busy.

A request of many sentences does not hold up those that come after it: each of its tokens is taken to have
come a moment after the one before.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from lexalign.server.batching.work import Payload, Work

# About what a core needs for a token.
_SECONDS_PER_TOKEN = 0.001
# To have waited a second longer makes up for so many tokens of difference. Both figures come from a
# simulation of 64 clients with a guessed cost of a step, not from a server.
_TOKENS_PER_SECOND = 1.0
_MOST_PADDING = 2.0  # times the tokens; sentences that are done leave their batch, so it costs little
# Of those that wait; with more to choose from, batches would be no fuller, and the server would be at it for
# longer than it takes to answer.
_MOST_COMPARED = 2_000


@dataclass(kw_only=True, eq=False)
class Item:
    """One thing to be done; `due` is when it is taken to have come."""

    work: Work
    payload: Payload
    length: int
    due: float = 0.0


class WaitingRoom:
    def __init__(self) -> None:
        self._items: list[Item] = []  # by when they are taken to have come
        self.tokens = 0

    def __len__(self) -> int:
        return len(self._items)

    def add(self, items: Iterable[Item], now: float) -> None:
        before = 0
        for item in items:
            item.due = now + before * _SECONDS_PER_TOKEN
            before += item.length
            self._items.append(item)
            self.tokens += item.length
        self._items.sort(key=_due)

    def discard(self, items: Iterable[Item]) -> None:
        gone = set(items)
        if not gone or not self._items:
            return
        self._items = [item for item in self._items if item not in gone]
        self.tokens = sum(item.length for item in self._items)

    def take(self, max_tokens: int, num_free: int = 1) -> list[Item]:
        """The next batch, of which there may be one for each of the free workers; a long text goes alone."""
        if not self._items:
            return []
        first = self._items[0]
        alike = self._alike(first)
        alike.sort(key=lambda item: abs(item.length - first.length) + _TOKENS_PER_SECOND * item.due)
        total = first.length + sum(item.length for item in alike)
        budget = max_tokens if num_free == 1 else min(max_tokens, -(-total // num_free))
        batch = _fitting(first, alike, budget)
        self.discard(batch)
        return batch

    def _alike(self, first: Item) -> list[Item]:
        """Whoever could go with the first."""
        return [item for item in self._items[1:_MOST_COMPARED] if item.work == first.work]


def _due(item: Item) -> float:
    return item.due


def _fitting(first: Item, alike: Iterable[Item], budget: int) -> list[Item]:
    batch, longest, tokens = [first], first.length, first.length
    for item in alike:
        padded = (len(batch) + 1) * max(longest, item.length)
        if padded > budget:
            break
        if padded <= _MOST_PADDING * (tokens + item.length):
            batch.append(item)
            longest, tokens = max(longest, item.length), tokens + item.length
    return batch
