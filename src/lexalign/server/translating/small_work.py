"""Work that is done at once where it is small, and in a thread where others would have to wait for it."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# Of text, read in about a millisecond; to change threads and back takes as long on a busy machine.
_CHARACTERS = 2_000
_CHARACTERS_PER_TERM = 50


def is_small(num_characters: int, num_terms: int = 0) -> bool:
    return num_characters + num_terms * _CHARACTERS_PER_TERM <= _CHARACTERS


async def beside(small: bool, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    return work(*args, **kwargs) if small else await asyncio.to_thread(work, *args, **kwargs)
