"""Tiny calls run at once; others wait for threads, in bounded queues, and end when their client leaves."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.server.batching.errors import BusyError
from lexalign.server.batching.thread_pools import BoundedThreadPool, ThreadPools, checkpoint, size_of

TINY, SHORT, LONG = 10, 5_000, 500_000
WAIT = 30  # seconds after which something hangs


@pytest.fixture
def threads() -> Iterator[ThreadPools]:
    made = ThreadPools()
    yield made
    made.close()


@pytest.fixture
def pool() -> Iterator[BoundedThreadPool]:
    made = BoundedThreadPool("test", threads=1, max_calls=3, max_characters=100)
    yield made
    made.close()


@pytest.mark.parametrize("size", [TINY, SHORT, LONG])
def test_only_tiny_work_is_done_on_the_event_loop(threads: ThreadPools, size: int) -> None:
    here = threading.get_ident()
    assert (asyncio.run(threads.run(size, threading.get_ident)) == here) is (size == TINY)
    assert asyncio.run(threads.read(size, threading.get_ident)) != here
    assert asyncio.run(threads.write(size, threading.get_ident)) != here


@pytest.mark.parametrize("size", [TINY, SHORT, LONG])
def test_errors_come_back(threads: ThreadPools, size: int) -> None:
    def fail() -> None:
        raise LexalignError("no such thing")

    with pytest.raises(LexalignError, match="no such thing"):
        asyncio.run(threads.run(size, fail))


def test_a_sentence_is_tiny_and_many_of_anything_are_not(threads: ThreadPools) -> None:
    here = threading.get_ident()

    def on_the_loop(size: int) -> bool:
        return asyncio.run(threads.run(size, threading.get_ident)) == here

    assert on_the_loop(size_of(200, num_terms=3))
    assert not on_the_loop(size_of(20_000))
    assert not on_the_loop(size_of(1_000, num_texts=1_000))
    assert not on_the_loop(size_of(200, num_terms=1_000))


def test_short_work_passes_long_work(threads: ThreadPools) -> None:
    gate = threading.Event()

    async def run() -> None:
        waiting = [asyncio.create_task(threads.run(LONG, gate.wait, WAIT)) for _ in range(5)]
        for _ in range(10):
            await threads.run(SHORT, str)
        assert not any(task.done() for task in waiting)
        gate.set()
        assert all(await asyncio.gather(*waiting))

    asyncio.run(run())


@pytest.mark.parametrize(("sizes", "refused"), [([1, 1, 1], 1), ([60, 30], 20)])
def test_what_waits_is_bounded(pool: BoundedThreadPool, sizes: list[int], refused: int) -> None:
    gate = threading.Event()

    async def run() -> None:
        waiting = [asyncio.create_task(pool.run(size, lambda: gate.wait(WAIT))) for size in sizes]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await pool.run(refused, str)
        gate.set()
        await asyncio.gather(*waiting)
        while pool.num_calls:  # a thread says that it is done just after its result came
            await asyncio.sleep(0.001)
        await pool.run(1_000, str)  # alone, anything may come in

    asyncio.run(run())


def test_who_leaves_stops_the_work(pool: BoundedThreadPool) -> None:
    started, num_steps = threading.Event(), 0

    def work() -> None:
        nonlocal num_steps
        started.set()
        while True:
            checkpoint()
            num_steps += 1

    async def run() -> None:
        task = asyncio.create_task(pool.run(1, work))
        behind = asyncio.create_task(pool.run(1, lambda: pytest.fail("nobody waits for this")))
        await asyncio.to_thread(started.wait, WAIT)
        behind.cancel()
        task.cancel()
        await asyncio.wait([task, behind])
        assert await pool.run(1, lambda: "next") == "next"  # by the only thread, which is free again

    asyncio.run(run())
    assert num_steps


def test_waiting_has_an_end() -> None:
    threads, gate = ThreadPools(timeout=0.01), threading.Event()
    with pytest.raises(TimeoutError):
        asyncio.run(threads.run(LONG, gate.wait, WAIT))
    gate.set()
    threads.close()
