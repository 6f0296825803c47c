"""One process of a training run among its peers, as `torchrun` starts them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class Ranks:
    rank: int = 0
    world: int = 1
    local_rank: int = 0

    @property
    def is_first(self) -> bool:
        return self.rank == 0

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
def join_ranks(device: torch.device) -> Iterator[Ranks]:
    """Join the process group that torchrun's environment describes, or be alone."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        yield Ranks()
        return
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Ranks(dist.get_rank(), world, int(os.environ.get("LOCAL_RANK", "0")))
    finally:
        dist.destroy_process_group()
