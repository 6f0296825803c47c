"""Small work is done at once; larger work is done in a thread, so that nobody else waits for it."""

import asyncio
import threading

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.server.translating.small_work import beside, is_small


@pytest.mark.parametrize("small", [True, False])
def test_only_large_work_has_a_thread(small: bool) -> None:
    here = threading.get_ident()
    assert (asyncio.run(beside(small, threading.get_ident)) == here) is small


@pytest.mark.parametrize("small", [True, False])
def test_errors_come_back(small: bool) -> None:
    def fail() -> None:
        raise LexalignError("no such thing")

    with pytest.raises(LexalignError, match="no such thing"):
        asyncio.run(beside(small, fail))


def test_a_sentence_is_small_and_a_book_or_a_dictionary_is_not() -> None:
    assert is_small(200, 3)
    assert not is_small(20_000)
    assert not is_small(200, 1_000)
