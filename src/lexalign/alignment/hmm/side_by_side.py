"""Batches on all cores of a CPU, each batch on one.

The recursions are many small operations. Shared among cores, each of them waits for the slowest core, and on
a machine that has other work to do that takes ten times as long as it would on one core.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Found = TypeVar("Found")


def side_by_side(compute: Callable[[Item], Found], items: Iterable[Item]) -> Iterator[Found]:
    """Results in the order of the items, by as many threads as torch has; no more of them are kept."""
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # here, and in threads that begin from now on
    try:
        with ThreadPoolExecutor(num_threads) as pool:
            waiting: deque[Future[Found]] = deque()
            for item in items:
                waiting.append(pool.submit(compute, item))
                if len(waiting) > num_threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    finally:
        torch.set_num_threads(num_threads)
