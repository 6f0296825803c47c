"""A part of a text that stands for all of it: sentences at even distances."""

from collections.abc import Iterator


def subsample(wanted: int, total: int) -> Iterator[bool]:
    """For each of `total` sentences, whether it is one of the `wanted`."""
    return (index * wanted % total < wanted for index in range(total))
