"""The dispatcher with scripted workers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lexalign.server.batching.dispatcher import Dispatcher, QueueLimits
from lexalign.server.batching.errors import BusyError, TooLargeError, UnavailableError, WorkerDiedError
from lexalign.server.batching.observer import SilentObserver
from lexalign.server.batching.queue import Job
from lexalign.server.batching.scripted_worker import ScriptedWorker
from lexalign.server.batching.throughput import Throughput
from lexalign.server.batching.work import AlignWork, Payload, Result

WORK = AlignWork(model="de-en", method="post-aln")


def echo(payload: Payload) -> Result:
    return [payload]  # type: ignore[list-item]


def jobs(*names: str, length: int = 10) -> list[Job]:
    return [Job(work=WORK, payload=name, length=length) for name in names]


async def results(dispatcher: Dispatcher, jobs: list[Job]) -> Any:
    """The results of `echo`, which are of another type than those of real workers."""
    return await dispatcher.run(jobs)


def play(
    scene: Callable[[Dispatcher, ScriptedWorker], Awaitable[None]],
    answer: Callable[[Payload], Result] = echo,
    *,
    open: bool = True,
    num_early: int = 0,
    **limits: Any,
) -> ScriptedWorker:
    async def run() -> ScriptedWorker:
        worker = ScriptedWorker(answer, open=open, num_early=num_early)
        dispatcher = Dispatcher([worker], QueueLimits(**limits), SilentObserver())
        dispatcher.start()
        await scene(dispatcher, worker)
        worker.gate.set()
        await asyncio.wait_for(dispatcher.stop(), 5)
        return worker

    return asyncio.run(asyncio.wait_for(run(), 10))


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_clients_that_come_while_a_worker_is_busy_share_the_next_batch() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        first = asyncio.ensure_future(results(dispatcher, jobs("a")))
        await settle()
        others = [asyncio.ensure_future(results(dispatcher, jobs(name))) for name in "bcd"]
        await settle()
        worker.gate.set()
        assert await first == [["a"]]
        assert await asyncio.gather(*others) == [[["b"]], [["c"]], [["d"]]]

    assert play(scene, open=False).batches == [["a"], ["b", "c", "d"]]


def test_results_come_in_order_over_many_batches() -> None:
    names = [f"text {number}" for number in range(50)]

    async def scene(dispatcher: Dispatcher, _worker: ScriptedWorker) -> None:
        assert await results(dispatcher, jobs(*names)) == [[name] for name in names]

    assert len(play(scene, batch_tokens=70).batches) == 8


def test_what_is_done_before_the_rest_of_its_batch_does_not_wait_for_it() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        first, second = (asyncio.ensure_future(results(dispatcher, jobs(name))) for name in "ab")
        await settle()
        assert worker.batches == [["a", "b"]]
        assert first.done()
        assert not second.done()
        worker.gate.set()
        assert [await first, await second] == [[["a"]], [["b"]]]

    assert play(scene, open=False, num_early=1).num_abandoned == 0


def test_a_batch_is_given_up_when_nobody_waits_for_what_is_left_of_it() -> None:
    async def scene(dispatcher: Dispatcher, _worker: ScriptedWorker) -> None:
        first, second = (asyncio.ensure_future(results(dispatcher, jobs(name))) for name in "ab")
        await settle()
        second.cancel()
        await settle()
        assert await first == [["a"]]

    assert play(scene, open=False, num_early=1).num_abandoned == 1


def test_what_is_empty_needs_no_worker() -> None:
    async def scene(dispatcher: Dispatcher, _worker: ScriptedWorker) -> None:
        assert await results(dispatcher, [Job(work=WORK, payload="", length=0)]) == [[]]

    assert play(scene).batches == []


def test_a_full_queue_refuses_and_says_when_to_come_again() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        first = asyncio.ensure_future(results(dispatcher, jobs("a")))
        await settle()
        second = asyncio.ensure_future(results(dispatcher, jobs("b")))
        await settle()
        with pytest.raises(BusyError) as refused:
            await results(dispatcher, jobs("c"))
        assert 1 <= refused.value.retry_after <= 60
        with pytest.raises(TooLargeError, match="in parts"):
            await results(dispatcher, jobs("a", "b"))
        worker.gate.set()
        assert await first, await second
        assert await results(dispatcher, jobs("c")) == [["c"]]

    play(scene, open=False, waiting_tokens=15)


def test_a_client_that_leaves_takes_its_work_with_it() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        running = asyncio.ensure_future(results(dispatcher, jobs("running")))
        await settle()
        waiting = asyncio.ensure_future(results(dispatcher, jobs("waiting")))
        await settle()
        for one in (waiting, running):
            one.cancel()
        await settle()
        assert worker.num_abandoned == 1
        assert dispatcher.waiting_tokens == 0

    assert play(scene, open=False).batches == [["running"]]


def test_a_batch_goes_on_for_those_who_stay() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        block = asyncio.ensure_future(results(dispatcher, jobs("block")))
        await settle()
        leaves, stays = (asyncio.ensure_future(results(dispatcher, jobs(name))) for name in ("x", "y"))
        await settle()
        worker.gate.set()
        await block
        leaves.cancel()
        assert await stays == [["y"]]

    assert play(scene, open=False).num_abandoned == 0


def test_a_request_is_given_up_in_time() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        with pytest.raises(TimeoutError):
            await results(dispatcher, jobs("slow"))
        await settle()
        assert worker.num_abandoned == 1

    play(scene, open=False, timeout=0.05)


def test_one_that_breaks_its_batch_harms_nobody_else() -> None:
    def answer(payload: Payload) -> Result:
        if payload == "poison":
            raise RuntimeError("broken")
        return echo(payload)

    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        worker.gate.clear()
        block = asyncio.ensure_future(results(dispatcher, jobs("block")))
        await settle()
        runs = [asyncio.ensure_future(results(dispatcher, jobs(name))) for name in ("good", "poison", "fine")]
        await settle()
        worker.gate.set()
        await block
        found = await asyncio.gather(*runs, return_exceptions=True)
        assert found[0] == [["good"]]
        assert isinstance(found[1], RuntimeError)
        assert found[2] == [["fine"]]

    play(scene, answer)


def test_a_worker_that_dies_is_replaced_and_only_the_guilty_fail() -> None:
    def answer(payload: Payload) -> Result:
        if payload == "deadly":
            raise WorkerDiedError
        return echo(payload)

    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        with pytest.raises(UnavailableError, match="try again"):
            await results(dispatcher, jobs("good", "deadly"))
        assert await results(dispatcher, jobs("next")) == [["next"]]
        assert worker.num_restarts == 3
        assert worker.batches == [["good", "deadly"], ["good"], ["deadly"], ["deadly"], ["next"]]

    play(scene, answer)


def test_requests_survive_workers_that_die() -> None:
    deaths = iter([True, True, False])

    def answer(payload: Payload) -> Result:
        if next(deaths, False):
            raise WorkerDiedError
        return echo(payload)

    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        assert await results(dispatcher, jobs("a")) == [["a"]]
        assert worker.num_restarts == 2

    play(scene, answer)


def test_a_worker_that_dies_idle_is_seen_and_replaced() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        assert dispatcher.num_alive == dispatcher.num_workers == 1
        worker.restarting.clear()
        worker.dead.set()
        await settle()
        assert (dispatcher.num_alive, worker.num_restarts) == (0, 1)
        waiting = asyncio.ensure_future(results(dispatcher, jobs("a")))
        await settle()
        assert not waiting.done()
        worker.restarting.set()
        assert await waiting == [["a"]]
        assert dispatcher.num_alive == 1

    play(scene)


def test_throughput_is_of_the_time_with_work() -> None:
    now = 0.0
    measured = Throughput(clock=lambda: now)
    for start in (0.0, 100.0, 200.0):  # two workers share a core: 40 tokens take both of them two seconds
        now = start
        measured.started("first", 20)
        measured.started("second", 20)
        assert measured.running_tokens == 40
        now = start + 2.0
        measured.finished("first")
        measured.finished("second")
    for start in range(300, 400):
        now = float(start)
        measured.started("first", 20)
        now += 1.0
        measured.finished("first")
    assert measured.rate == pytest.approx(20.0, rel=0.1)
    assert measured.seconds_for(200) == pytest.approx(10.0, rel=0.1)


def test_stopping_finishes_what_was_taken_and_takes_no_more() -> None:
    async def scene(dispatcher: Dispatcher, worker: ScriptedWorker) -> None:
        taken = [asyncio.ensure_future(results(dispatcher, jobs(name))) for name in ("a", "b")]
        await settle()
        stop = asyncio.ensure_future(dispatcher.stop())
        await settle()
        with pytest.raises(UnavailableError, match="stopping"):
            await results(dispatcher, jobs("late"))
        worker.gate.set()
        await stop
        assert [await one for one in taken] == [[["a"]], [["b"]]]
        assert worker.closed

    play(scene, open=False)
