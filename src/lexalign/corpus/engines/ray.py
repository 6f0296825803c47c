"""Ray Data (the extra `ray`): readers stream shards to a pool of actors, each of which has a model.

Every file is read by one task, in order, and no further ahead than the actors need. All machines must have
the files and the model under the same paths, and this package; results return to this process, which alone
writes them. Readers import this module, so it must not import torch: on a small machine that would take the
cores from the actors that are just starting.
"""

import os
import pickle
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.corpus.shards import ShardPlan

if TYPE_CHECKING:
    from lexalign.corpus.results import ShardResult
    from lexalign.corpus.worker import ShardTranslator, WorkerPlan


@dataclass(frozen=True, kw_only=True)
class RayOptions:
    """Ray scales the actors from `min_workers` to `max_workers`, by the work and the room in the cluster.

    Without a maximum, there are as many as the cluster has room for when the job starts.
    """

    max_workers: int | None = None
    min_workers: int = 1
    address: str | None = None  # of a running cluster; None starts one on this machine
    cpus_per_worker: float = 1
    gpus_per_worker: float = 0

    def __post_init__(self) -> None:
        if not 1 <= self.min_workers <= (self.max_workers or self.min_workers):
            raise LexalignError(f"from {self.min_workers} to {self.max_workers} workers; lower the minimum")


class RayEngine:
    def __init__(self, options: RayOptions) -> None:
        self._options = options
        self._max_workers = options.max_workers or options.min_workers
        _ray()

    @property
    def num_workers(self) -> int:
        return self._max_workers

    def run(
        self, shards: ShardPlan, finished: Collection[int], worker: "WorkerPlan"
    ) -> Iterator["ShardResult"]:
        if len(finished) == shards.num_shards:
            return
        with _cluster(self._options.address) as ray:
            try:
                for row in self._dataset(ray, shards, finished, worker).iter_rows():
                    yield _unpack(row["result"])
            except ray.exceptions.RayError as error:
                raise LexalignError(f"ray: {str(error).strip().splitlines()[-1]}") from error

    def _dataset(
        self, ray: ModuleType, shards: ShardPlan, finished: Collection[int], worker: "WorkerPlan"
    ) -> Any:
        options = self._options
        self._max_workers = options.max_workers or max(options.min_workers, _room(ray, options))
        files = list(range(len(shards.files)))
        read = ray.data.from_items(files, override_num_blocks=len(files)).map_batches(
            _read,
            fn_args=(shards, finished),
            batch_size=1,
            num_cpus=0,  # it mostly waits; a reader that reserved a core would keep an actor from it
        )
        return read.map_batches(
            _Actor,
            fn_constructor_args=(worker,),
            batch_size=1,
            compute=ray.data.ActorPoolStrategy(min_size=options.min_workers, max_size=self._max_workers),
            num_cpus=options.cpus_per_worker,
            num_gpus=options.gpus_per_worker,
        )


def _room(ray: ModuleType, options: RayOptions) -> int:
    """How many workers the cluster has room for."""
    found: dict[str, float] = ray.cluster_resources()
    needed = {"CPU": options.cpus_per_worker, "GPU": options.gpus_per_worker}
    return int(min(found.get(name, 0.0) // number for name, number in needed.items() if number))


def _read(batch: dict[str, Any], shards: ShardPlan, finished: Collection[int]) -> Iterator[dict[str, Any]]:
    for file_index in batch["item"].tolist():
        for raw in shards.read(file_index, finished):
            yield {"shard": [pickle.dumps(raw)]}


class _Actor:
    """A worker; errors are returned as results, because Ray would wrap them in long messages."""

    def __init__(self, plan: "WorkerPlan") -> None:
        self._translator: ShardTranslator | LexalignError
        try:
            self._translator = plan.start()
        except LexalignError as error:
            self._translator = error

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return {"result": [pickle.dumps(self._answer(packed)) for packed in batch["shard"]]}

    def _answer(self, packed: bytes) -> "ShardResult | LexalignError":
        if isinstance(self._translator, LexalignError):
            return self._translator
        try:
            return self._translator.translate(pickle.loads(packed))
        except LexalignError as error:
            return LexalignError(str(error))


def _unpack(packed: bytes) -> "ShardResult":
    answer: ShardResult | LexalignError = pickle.loads(packed)
    if isinstance(answer, LexalignError):
        raise answer
    return answer


@contextmanager
def _cluster(address: str | None) -> Iterator[ModuleType]:
    """Ray as this process already uses it, or a cluster that is joined or started, and left in the end."""
    ray = _ray()
    if ray.is_initialized():
        with _configured(ray):
            yield ray
        return
    try:
        ray.init(
            address=address or "local",
            include_dashboard=False if address is None else None,
            log_to_driver=False,
            logging_level="ERROR",
        )
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise LexalignError(f"no Ray cluster at {address}: {str(error).splitlines()[0]}") from None
    try:
        with _configured(ray):
            yield ray
    finally:
        ray.shutdown()


@contextmanager
def _configured(ray: ModuleType) -> Iterator[None]:
    """Make every shard a block of its own, however small; the job shows its own progress."""
    context = ray.data.DataContext.get_current()
    before = context.target_max_block_size, context.enable_progress_bars
    context.target_max_block_size, context.enable_progress_bars = 1, False
    try:
        yield
    finally:
        context.target_max_block_size, context.enable_progress_bars = before


def _ray() -> ModuleType:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # sends no usage statistics
    os.environ.setdefault("RAY_DATA_LOG_LEVEL", "ERROR")
    os.environ.setdefault(
        "RAY_BACKEND_LOG_LEVEL", "fatal"
    )  # otherwise it warns of every actor that can be restarted
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtraError("--engine ray needs Ray: pip install 'lexalign[ray]'") from None
    module: ModuleType = ray
    return module
