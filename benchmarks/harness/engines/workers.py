"""The forked processes of one engine: they wait for a case, share out its batches and report their steps."""

import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection

from harness.engines.engines import Engine
from harness.engines.workload import Batch, Case

_fork = multiprocessing.get_context("fork")


class Workers:
    """Each process takes the next batch when it is through with its last one."""

    def __init__(self, engine: Engine, batches: dict[int, list[Batch]]) -> None:
        self.engine = engine
        self._batches = batches  # for each batch size
        self._next = _fork.Value("i", 0)
        self._pipes, self._processes = [], []
        for _ in range(engine.processes):
            mine, theirs = _fork.Pipe()
            process = _fork.Process(target=self._serve, args=(theirs,), daemon=True)
            process.start()
            self._pipes.append(mine)
            self._processes.append(process)
        self._receive()

    def seconds(self, case: Case, limit: int | None = None) -> float:
        """Translate the first `limit` batches of a case, and check that no step was saved."""
        self._next.value = 0
        started = time.perf_counter()
        for pipe in self._pipes:
            pipe.send((case, limit))
        steps = {index: lengths for part in self._receive() for index, lengths in part}
        elapsed = time.perf_counter() - started
        self._check(steps, self._batches[case.batch][:limit])
        return elapsed

    def num_sentences(self, case: Case) -> int:
        return sum(len(batch.source_ids) for batch in self._batches[case.batch])

    @property
    def num_warm_ups(self) -> int | None:
        """A batch for each worker; on a GPU all of them, since every shape is recorded once."""
        return self.engine.setting.workers if self.engine.device == "cpu" else None

    def close(self) -> None:
        for pipe, process in zip(self._pipes, self._processes, strict=True):
            pipe.send(None)
            process.join()

    def _receive(self) -> list[list[tuple[int, list[int]]]]:
        answers = [pipe.recv() for pipe in self._pipes]
        for answer in answers:
            if isinstance(answer, Exception):
                raise answer
        return answers

    def _check(self, steps: dict[int, list[int]], batches: list[Batch]) -> None:
        for index, batch in enumerate(batches):
            expected = [batch.num_steps] * len(batch.source_ids)
            if steps[index] != expected:
                engine = f"{self.engine.name} {self.engine.precision}"
                raise RuntimeError(f"{engine} took {steps[index]} steps where {expected} were asked for")

    def _serve(self, pipe: Connection) -> None:
        try:
            self.engine.start()
            pipe.send([])
            while (order := pipe.recv()) is not None:
                pipe.send(self._translate(*order))
        except Exception as error:  # the parent raises it
            pipe.send(error)

    def _translate(self, case: Case, limit: int | None) -> list[tuple[int, list[int]]]:
        taken: list[int] = []
        batches = self._take(self._batches[case.batch][:limit], taken)
        steps = self.engine.translate(batches, case.beam)
        return list(zip(taken, steps, strict=True))

    def _take(self, batches: list[Batch], taken: list[int]) -> Iterator[Batch]:
        while True:
            with self._next.get_lock():
                index = self._next.value
                self._next.value += 1
            if index >= len(batches):
                return
            taken.append(index)
            yield batches[index]
