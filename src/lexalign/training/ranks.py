"""One process of a training run among its peers, as `torchrun` starts them on one node or on several."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain, zip_longest
from pathlib import Path
from typing import TypeVar

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed import PrefixStore  # type: ignore[attr-defined]
from torch.distributed.rendezvous import rendezvous

from lexalign.contracts.errors import LexalignError

Item = TypeVar("Item")

# Others wait while the first rank prepares the data, which may take hours. A rank that dies is no reason for
# a short patience: torchrun notices, and ends its peers.
_PATIENCE = timedelta(days=2)
_MISSING = object()


@dataclass(frozen=True)
class Ranks:
    rank: int = 0
    world: int = 1
    local_rank: int = 0

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def deal(self, items: Sequence[Item]) -> list[Item]:
        """This rank's share."""
        return list(items[self.rank :: self.world])

    def gather(self, share: list[Item]) -> list[Item]:
        """What was dealt, from all ranks and in its order, on every rank."""
        if self.world == 1:
            return share
        shares: list[list[Item]] = [[] for _ in range(self.world)]
        dist.all_gather_object(shares, share)
        rounds = chain.from_iterable(zip_longest(*shares, fillvalue=_MISSING))
        return [item for item in rounds if item is not _MISSING]  # type: ignore[misc]

    def sum(self, values: Tensor) -> Tensor:
        """The sum of a tensor over all ranks, on every rank."""
        if self.world > 1:
            dist.all_reduce(values)
        return values

    def agree(self, flag: bool, device: torch.device) -> bool:
        """True on every rank if it is true on any."""
        if self.world == 1:
            return flag
        return bool(self.sum(torch.tensor(float(flag), device=device)) > 0)

    def wait(self) -> None:
        if self.world > 1:
            dist.barrier()

    @contextmanager
    def in_turn(self) -> Iterator[None]:
        """What is made once and then found: the first rank goes before all others."""
        if not self.is_first:
            self.wait()
        yield
        if self.is_first:
            self.wait()

    def device(self, chosen: torch.device) -> torch.device:
        """Each rank of a node has a GPU of its own."""
        if chosen.type != "cuda" or self.world == 1:
            return chosen
        if self.local_rank >= torch.cuda.device_count():
            raise LexalignError(
                f"rank {self.rank} has no GPU of its own: this node has {torch.cuda.device_count()}; "
                "start as many ranks on it, with --nproc-per-node"
            )
        own = torch.device("cuda", self.local_rank)
        torch.cuda.set_device(own)
        return own


@contextmanager
def join_ranks(device: torch.device) -> Iterator[Ranks]:
    """Join the process group that torchrun's environment describes, or be alone."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Ranks()
        return
    _meet("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Ranks(dist.get_rank(), world, int(os.environ.get("LOCAL_RANK", "0")))
    finally:
        dist.destroy_process_group()


def _meet(backend: str) -> None:
    """Ranks that torchrun has started again must not find the addresses of those that died."""
    store, rank, world = next(iter(rendezvous("env://", timeout=_PATIENCE)))
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    own = PrefixStore(f"attempt {attempt}", store)
    own.set_timeout(_PATIENCE)
    dist.init_process_group(backend, store=own, rank=rank, world_size=world, timeout=_PATIENCE)


def check_shared(made: Path, ranks: Ranks) -> None:
    """Does this rank see what the first has made?"""
    if not ranks.is_first and not made.exists():
        raise LexalignError(
            f"rank {ranks.rank} does not see {made}, which the first rank has made; "
            "all nodes must share the folder of the run"
        )


def share_batches(accumulate: int, ranks: Ranks, known: int | None) -> int:
    """How many batches of an update a rank computes.

    A run begins with updates of ranks × accumulate batches, and all its updates have so many (`known`). On
    another number of ranks, where nothing is said of accumulation, the same batches are dealt out anew.
    """
    if known is None or accumulate != 1 or known == ranks.world:
        return accumulate
    if known % ranks.world:
        raise LexalignError(
            f"the run has updates of {known} batches, which {ranks.world} ranks cannot share evenly; "
            "use a number of ranks that divides it"
        )
    return known // ranks.world
