"""A part of the training text that stands for all of it."""

from collections.abc import Iterator
from itertools import compress

from experiments.workspace import Workspace


def spread_pairs(workspace: Workspace, wanted: int | None) -> Iterator[tuple[str, str]]:
    """So many pairs of the training text (None: all), at even distances."""
    total = workspace.result("prepare")["train_pairs"]
    return compress(workspace.text("train").read(), spread(min(wanted or total, total), total))


def spread(wanted: int, total: int) -> Iterator[bool]:
    """Which of so many are taken."""
    return (index * wanted % total < wanted for index in range(total))
