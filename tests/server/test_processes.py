"""Worker processes: their results, their cancellation, and their replacement."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest

from lexalign.server.batching.errors import AbandonedError, WorkerDiedError
from lexalign.server.batching.processes import ProcessWorker
from lexalign.server.batching.work import EarlyResults, SearchWork, StreamWork
from lexalign.server.translating.catalogue import ModelChoice, load, loader
from lexalign.translator import StreamedToken, TranslateOptions, Translator

TEXT = "der kleine Hund läuft über die lange Straße"


def play(folder: Path, scene: Callable[[ProcessWorker, Translator], Awaitable[None]]) -> None:
    choices = [ModelChoice(source="de", target="en", folder=folder)]
    catalogue = load(choices, "cpu", None)
    worker = ProcessWorker(catalogue.translators, loader(choices, "cpu", None))

    async def run() -> None:
        try:
            await scene(worker, catalogue.models["de-en"].translator)
        finally:
            await worker.close()

    asyncio.run(asyncio.wait_for(run(), 60))


def ignore(_news: object) -> None:
    return


def pid(worker: ProcessWorker) -> int:
    found = worker._process.pid
    assert found is not None
    return found


def search(translator: Translator, number: int = 1) -> tuple[SearchWork, list[object]]:
    task = translator.prepare(TEXT, TranslateOptions(beam=4))
    return SearchWork(model="de-en", plan=task.plan), [task.source.sentences[0].sentence] * number


def test_a_process_finds_what_this_process_finds(model_folder: Path) -> None:
    async def scene(worker: ProcessWorker, translator: Translator) -> None:
        work, sentences = search(translator, 2)
        found = await worker.run(work, sentences, ignore)  # type: ignore[arg-type]
        assert found == translator.search(sentences, work.plan)  # type: ignore[arg-type]
        messages: list[StreamedToken | EarlyResults] = []
        await worker.run(StreamWork(model="de-en", method="post-aln"), [TEXT], messages.append)
        assert messages == list(translator.stream(TEXT))

    play(model_folder, scene)


def test_long_messages_are_whole_where_the_loop_sets_pipes_to_not_block(
    model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As uvloop does; a message larger than the pipe's buffer then comes in parts."""
    add_reader = asyncio.SelectorEventLoop.add_reader

    def unblock(loop: asyncio.SelectorEventLoop, descriptor: int, *more: Callable[[], object]) -> None:
        os.set_blocking(descriptor, False)
        add_reader(loop, descriptor, *more)

    monkeypatch.setattr(asyncio.SelectorEventLoop, "add_reader", unblock)

    async def scene(worker: ProcessWorker, _: Translator) -> None:
        answer, theirs = b"x" * 5_000_000, Pipe()
        worker._connection.close()
        worker._connection = theirs[0]

        def send() -> None:
            theirs[1].recv()
            theirs[1].send([answer])

        sending = threading.Thread(target=send)
        sending.start()
        work = StreamWork(model="de-en", method="post-aln")
        found: list[Any] = await worker.run(work, [TEXT], ignore)
        assert found == [answer]
        sending.join()

    play(model_folder, scene)


def test_short_sentences_come_before_the_rest_of_their_batch(model_folder: Path) -> None:
    async def scene(worker: ProcessWorker, translator: Translator) -> None:
        tasks = [translator.prepare(TEXT[:length], TranslateOptions(beam=2)) for length in range(1, 40, 3)]
        work = SearchWork(model="de-en", plan=tasks[0].plan)
        early: list[Any] = []
        found = await worker.run(work, [task.source.sentences[0].sentence for task in tasks], early.append)
        places = [place for part in early for place in part.indices]
        assert 0 < len(places) == len(set(places)) < len(tasks)
        assert all(
            found[place] == ranked
            for part in early
            for place, ranked in zip(part.indices, part.results, strict=True)
        )
        assert found == translator.search([task.source.sentences[0].sentence for task in tasks], work.plan)

    play(model_folder, scene)


def test_work_that_nobody_wants_stops(model_folder: Path) -> None:
    async def scene(worker: ProcessWorker, translator: Translator) -> None:
        work, sentences = search(translator, 4000)  # much longer than this test may take
        run = asyncio.ensure_future(worker.run(work, sentences, ignore))  # type: ignore[arg-type]
        await asyncio.sleep(0.3)
        assert not run.done()
        started = time.monotonic()
        worker.abandon()
        with pytest.raises(AbandonedError):
            await run
        assert time.monotonic() - started < 5
        worker.abandon()  # too late for anything
        work, sentences = search(translator)
        assert await worker.run(work, sentences, ignore)  # type: ignore[arg-type]

    play(model_folder, scene)


def test_a_killed_process_is_replaced_by_one_that_reads_the_model_itself(model_folder: Path) -> None:
    async def scene(worker: ProcessWorker, translator: Translator) -> None:
        work, sentences = search(translator, 4000)
        run = asyncio.ensure_future(worker.run(work, sentences, ignore))  # type: ignore[arg-type]
        await asyncio.sleep(0.2)
        os.kill(pid(worker), signal.SIGKILL)
        with pytest.raises(WorkerDiedError):
            await run
        await worker.restart()
        work, sentences = search(translator)
        found = await worker.run(work, sentences, ignore)  # type: ignore[arg-type]
        assert found == translator.search(sentences, work.plan)  # type: ignore[arg-type]

    play(model_folder, scene)
