"""Worker processes on this machine: one for each GPU, or several of one thread each on a CPU.

Every worker translates one shard and has one queued, so that it never waits for the disk. The last shards are
held back until a worker is free, so that none idles while a shard is queued at another. A worker that dies,
by a kill or for lack of memory, is replaced, and its shards are translated again.
"""

import os
import queue
import signal
import threading
import traceback
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.results import ShardResult
from lexalign.corpus.shards import RawShard, ShardPlan
from lexalign.corpus.worker import WorkerPlan
from lexalign.models.folder import parse_device
from lexalign.translator.workers import num_cores

_SHARDS_PER_WORKER = 2
# A shard that has killed so many workers would kill all others too.
_MAX_DEATHS = 3


class LocalEngine:
    """One worker for each of the devices, of which one may be listed several times."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = tuple(devices)

    @property
    def num_workers(self) -> int:
        return len(self._devices)

    def run(self, shards: ShardPlan, finished: Collection[int], worker: WorkerPlan) -> Iterator[ShardResult]:
        num_left = shards.num_shards - len(finished)
        pool = _WorkerPool(self._devices[:num_left], worker)
        try:
            yield from pool.translate(shards.read_all(finished), num_left)
        finally:
            pool.close()


class _Worker:
    def __init__(self, device: str, plan: WorkerPlan) -> None:
        # A fork of this process would share its threads' locks, and could not use a GPU.
        method = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
        context = get_context(method)
        if method == "forkserver":
            context.set_forkserver_preload([__name__])
        self.device = device
        self.connection, theirs = context.Pipe()
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(theirs, plan, device), daemon=True, name="lexalign worker"
        )
        self.process.start()
        theirs.close()  # so that the worker's death ends the pipe
        self.shards: deque[RawShard] = deque()  # sent to it; it translates the first

    def send(self, raw: RawShard) -> bool:
        """Send a shard, which the worker has from now on; returns whether the worker is alive."""
        self.shards.append(raw)
        try:
            self.connection.send(raw)
        except OSError:
            return False
        return True

    def end(self) -> int:
        self.process.kill()  # it has no state but memory
        self.process.join()
        self.connection.close()
        return self.process.exitcode or 0


class _WorkerPool:
    def __init__(self, devices: Sequence[str], plan: WorkerPlan) -> None:
        self._plan = plan
        self._workers = [_Worker(device, plan) for device in devices]
        self._deaths: Counter[int] = Counter()  # of workers, by the number of the shard that they translated
        self._retries: deque[RawShard] = deque()
        self._num_left = 0  # shards that no worker has

    def translate(self, shards: Iterator[RawShard], num_left: int) -> Iterator[ShardResult]:
        self._num_left = num_left
        while True:
            self._assign(shards)
            busy: dict[object, _Worker] = {one.connection: one for one in self._workers if one.shards}
            if not busy:
                return
            for connection in wait([one for one in busy if isinstance(one, Connection)]):
                result = self._receive(busy[connection])
                self._assign(shards)  # before the result is written, which may take a while
                if result is not None:
                    yield result

    def close(self) -> None:
        for worker in self._workers:
            worker.end()

    def _assign(self, shards: Iterator[RawShard]) -> None:
        """Send shards to the least busy workers first, so that all have one before any has two."""
        for depth in range(_SHARDS_PER_WORKER):
            for worker in list(self._workers):
                reserved = len(self._workers) if depth else 0
                if len(worker.shards) == depth and self._num_left > reserved:
                    raw = self._retries.popleft() if self._retries else next(shards)
                    self._num_left -= 1
                    if not worker.send(raw):
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
        current = worker.shards[0].shard
        self._deaths[current.number] += 1
        code = worker.end()
        if self._deaths[current.number] == _MAX_DEATHS:
            cause = f"signal {-code}" if code < 0 else f"status {code}"
            rows = f"rows {current.first_row} to {current.first_row + current.num_rows - 1}"
            file = self._plan.files[current.file_index].path
            raise LexalignError(
                f"{_MAX_DEATHS} workers ended with {cause} on {rows} of {file}; "
                "if memory is short, use fewer workers or smaller batches"
            )
        self._retries.extend(worker.shards)
        self._num_left += len(worker.shards)
        self._workers[self._workers.index(worker)] = _Worker(worker.device, self._plan)


def list_devices(device: str, num_workers: int | None) -> list[str]:
    """The device of each worker: by default one worker for each GPU, or for each core of a CPU."""
    chosen = parse_device(device)
    if chosen.type == "cpu":
        return ["cpu"] * (num_workers or num_cores())
    all_devices = [f"cuda:{index}" for index in range(torch.cuda.device_count())]
    devices = all_devices if chosen.index is None else [str(chosen)]
    return [devices[index % len(devices)] for index in range(num_workers or len(devices))]


def _serve(connection: Connection, plan: WorkerPlan, device: str) -> None:
    """The main function of a worker process: it translates shards until its parent has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    queued: queue.SimpleQueue[RawShard] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, queued), daemon=True).start()
    try:
        translator = plan.start(device)
        while True:
            connection.send(translator.translate(queued.get()))
    except OSError:
        os._exit(0)
    except Exception as error:
        connection.send(_portable(error))
        threading.Event().wait()  # until the parent has read it and ends this process


def _listen(connection: Connection, queued: "queue.SimpleQueue[RawShard]") -> None:
    """Receive shards at once, so that the parent does not wait; end this process when the parent has died."""
    while True:
        try:
            queued.put(connection.recv())
        except (EOFError, OSError):
            os._exit(0)


def _portable(error: Exception) -> Exception:
    """An error that can be pickled, with its traceback in its message."""
    if isinstance(error, LexalignError):
        return LexalignError(str(error))
    return RuntimeError("in a worker process:\n" + "".join(traceback.format_exception(error)))
