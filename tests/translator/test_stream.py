"""Batches of a stream: every sentence once, little padding, results in order, flat memory."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.decoding.stream import Batch, OrderedStream, cut_windows, plan_batches

LENGTHS = st.lists(st.integers(1, 60), max_size=80)


def squares(stream: OrderedStream[int, int], hold: int = 0) -> Iterator[int]:
    """Drive a stream whose search squares a number, with up to `hold` batches unanswered at a time."""
    held: list[Batch[int]] = []
    while not stream.finished:
        yield from stream.give()
        stream.read()
        while stream.num_waiting and len(held) <= hold:
            held.append(stream.take())
        if held:
            batch = held.pop()  # the latest first: answers come out of order
            stream.put(batch, [number * number for number in batch.sentences])


def start(windows: Sequence[Sequence[int]], max_tokens: int = 50) -> OrderedStream[int, int]:
    return OrderedStream(
        ([(number, number % 30) for number in window] for window in windows), max_tokens=max_tokens, blank=-1
    )


def expected(number: int) -> int:
    return number * number if number % 30 else -1


@given(LENGTHS, st.integers(1, 200))
def test_batches_hold_every_sentence_once(lengths: list[int], max_tokens: int) -> None:
    batches = plan_batches(lengths, max_tokens)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 200))
def test_batches_keep_to_the_budget(lengths: list[int], max_tokens: int) -> None:
    for batch in plan_batches(lengths, max_tokens):
        assert len(batch) == 1 or len(batch) * max(lengths[index] for index in batch) <= max_tokens


@given(LENGTHS, st.integers(1, 200))
def test_batches_are_of_like_lengths(lengths: list[int], max_tokens: int) -> None:
    planned = [lengths[index] for batch in plan_batches(lengths, max_tokens) for index in batch]
    assert planned == sorted(lengths, reverse=True)


@given(LENGTHS, st.integers(1, 200))
def test_batches_are_full(lengths: list[int], max_tokens: int) -> None:
    batches = plan_batches(lengths, max_tokens)
    for batch in batches[:-1]:
        assert (len(batch) + 1) * lengths[batch[0]] > max_tokens


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 10))
def test_windows_are_the_stream_in_pieces(items: list[int], size: int) -> None:
    windows = list(cut_windows(items, size))
    assert [item for window in windows for item in window] == items
    assert all(len(window) == size for window in windows[:-1])


@given(st.lists(st.lists(st.integers(0, 500), max_size=20), max_size=8), st.integers(0, 6))
def test_results_come_in_order_however_answers_come(windows: list[list[int]], hold: int) -> None:
    numbers = [number for window in windows for number in window]
    assert list(squares(start(windows), hold)) == [expected(number) for number in numbers]


@pytest.mark.parametrize("hold", [0, 5])
def test_at_most_two_windows_are_held(hold: int) -> None:
    num_read = 0

    def numbers() -> Iterator[int]:
        nonlocal num_read
        for number in range(1, 1000):
            num_read += 1
            yield number

    stream = OrderedStream[int, int](
        ([(number, 10) for number in window] for window in cut_windows(numbers(), 20)),
        max_tokens=50,
        blank=-1,
    )
    for num_given, _ in enumerate(squares(stream, hold)):
        assert num_read <= num_given + 40


def test_a_pause_gives_all_results_before_more_is_read() -> None:
    given_out: list[int] = []

    def windows() -> Iterator[list[tuple[int, int]]]:
        yield [(1, 10), (2, 10), (3, 10)]
        yield []
        assert given_out == [1, 4, 9]
        yield [(4, 10)]
        yield []
        assert given_out == [1, 4, 9, 16]

    stream = OrderedStream[int, int](windows(), max_tokens=10, blank=-1)
    for result in squares(stream, hold=2):
        given_out.append(result)
    assert given_out == [1, 4, 9, 16]
