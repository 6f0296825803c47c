"""Processes of this machine: one for each GPU, or some of one thread each on a CPU.

Every worker has one shard in hand and one waiting, so that it never waits for the disk. The last shards are
kept until somebody is free, so that no worker idles while a shard waits for another one. A worker that dies,
by a kill or for want of memory, is replaced, and what it had is done again.
"""

from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.engines.local_worker import serve
from lexalign.corpus.results import ShardResult
from lexalign.corpus.shards import RawShard, ShardPlan
from lexalign.corpus.worker import WorkerPlan
from lexalign.models.folder import parse_device
from lexalign.translator.workers import num_cores

_DEPTH = 2
# A shard that has ended so many workers would end all others too.
_MAX_DEATHS = 3


class LocalEngine:
    """A worker for each of the devices, of which one may be named several times."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = tuple(devices)

    @property
    def num_workers(self) -> int:
        return len(self._devices)

    def run(self, shards: ShardPlan, finished: Collection[int], worker: WorkerPlan) -> Iterator[ShardResult]:
        num_left = shards.num_shards - len(finished)
        crew = _Crew(self._devices[:num_left], worker)
        try:
            yield from crew.work(shards.read_all(finished), num_left)
        finally:
            crew.dismiss()


class _Worker:
    def __init__(self, device: str, plan: WorkerPlan) -> None:
        # A fork of this process would share its threads' locks, and could not use a GPU.
        method = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
        context = get_context(method)
        if method == "forkserver":
            context.set_forkserver_preload(["lexalign.corpus.engines.local_worker"])
        self.device = device
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=serve, args=(theirs, plan, device), daemon=True, name="lexalign worker"
        )
        self.process.start()
        theirs.close()  # so that the worker's death ends the pipe
        self.shards: deque[RawShard] = deque()  # the first is in hand

    def give(self, raw: RawShard) -> bool:
        """Whether it could still take it; it is its own in any case."""
        self.shards.append(raw)
        try:
            self.connection.send(raw)
        except OSError:
            return False
        return True

    def end(self) -> int:
        self.process.kill()  # it holds nothing but memory
        self.process.join()
        self.connection.close()
        return self.process.exitcode or 0


class _Crew:
    def __init__(self, devices: Sequence[str], plan: WorkerPlan) -> None:
        self._plan = plan
        self._workers = [_Worker(device, plan) for device in devices]
        self._deaths: Counter[int] = Counter()  # of workers, by the shard that they had in hand
        self._again: deque[RawShard] = deque()
        self._num_left = 0  # shards that nobody has

    def work(self, shards: Iterator[RawShard], num_left: int) -> Iterator[ShardResult]:
        self._num_left = num_left
        while True:
            self._hand_out(shards)
            busy: dict[object, _Worker] = {one.connection: one for one in self._workers if one.shards}
            if not busy:
                return
            for connection in wait([one for one in busy if isinstance(one, Connection)]):
                result = self._receive(busy[connection])
                self._hand_out(shards)  # before the result is written, which may take a while
                if result is not None:
                    yield result

    def dismiss(self) -> None:
        for worker in self._workers:
            worker.end()

    def _hand_out(self, shards: Iterator[RawShard]) -> None:
        """The least busy first, so that all have one before any has two."""
        for depth in range(_DEPTH):
            for worker in list(self._workers):
                reserved = len(self._workers) if depth else 0
                if len(worker.shards) == depth and self._num_left > reserved:
                    raw = self._again.popleft() if self._again else next(shards)
                    self._num_left -= 1
                    if not worker.give(raw):
                        self._replace(worker)

    def _receive(self, worker: _Worker) -> ShardResult | None:
        try:
            answer = worker.connection.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return None
        if isinstance(answer, Exception):
            raise answer
        worker.shards.popleft()
        result: ShardResult = answer
        return result

    def _replace(self, worker: _Worker) -> None:
        in_hand = worker.shards[0].shard
        self._deaths[in_hand.number] += 1
        code = worker.end()
        if self._deaths[in_hand.number] == _MAX_DEATHS:
            cause = f"signal {-code}" if code < 0 else f"status {code}"
            rows = f"rows {in_hand.first_row} to {in_hand.first_row + in_hand.num_rows - 1}"
            file = self._plan.files[in_hand.file_index].path
            raise LexalignError(
                f"{_MAX_DEATHS} workers ended with {cause} on {rows} of {file}; "
                "if memory is short, use fewer workers or smaller batches"
            )
        self._again.extend(worker.shards)
        self._num_left += len(worker.shards)
        self._workers[self._workers.index(worker)] = _Worker(worker.device, self._plan)


def list_devices(device: str, num_workers: int | None) -> list[str]:
    """The device of each worker: every GPU has one, and a CPU one for each core, unless a number is given."""
    chosen = parse_device(device)
    if chosen.type == "cpu":
        return ["cpu"] * (num_workers or num_cores())
    all_of_them = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    devices = all_of_them if chosen.index is None else [str(chosen)]
    return [devices[index % len(devices)] for index in range(num_workers or len(devices))]
