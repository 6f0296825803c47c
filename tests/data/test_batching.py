"""The plan of batches: every pair once, within the budget, reproducible."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import BatchOptions, BatchPlan, PlannedBatch, Position

lengths = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=150)

options = st.builds(
    BatchOptions,
    max_tokens=st.integers(1, 400),
    length_multiple=st.sampled_from([1, 4, 8]),
    row_multiple=st.sampled_from([1, 2, 8]),
    max_shapes=st.integers(1, 10),
    seed=st.integers(0, 5),
)


def make_plan(pairs: list[tuple[int, int]], options: BatchOptions) -> BatchPlan:
    columns = np.array(pairs, dtype=np.int64)
    return BatchPlan(columns[:, 0], columns[:, 1], options)


def random_plan(num_pairs: int = 500, seed: int = 1) -> BatchPlan:
    generator = np.random.default_rng(0)
    source_lengths = generator.integers(1, 60, num_pairs)
    target_lengths = np.maximum(source_lengths + generator.integers(-5, 6, num_pairs), 1)
    return BatchPlan(source_lengths, target_lengths, BatchOptions(max_tokens=512, seed=seed))


def same(left: PlannedBatch, right: PlannedBatch) -> bool:
    return (
        np.array_equal(left.rows, right.rows)
        and (left.source_length, left.target_length) == (right.source_length, right.target_length)
        and left.target_tokens == right.target_tokens
    )


@settings(deadline=None)
@given(lengths, options, st.integers(0, 3))
def test_every_pair_comes_once_in_an_epoch(
    pairs: list[tuple[int, int]], options: BatchOptions, epoch: int
) -> None:
    plan = make_plan(pairs, options)
    batches = plan.epoch(epoch)
    assert len(batches) == plan.num_batches
    assert sorted(np.concatenate([batch.rows for batch in batches]).tolist()) == list(range(len(pairs)))


@settings(deadline=None)
@given(lengths, options)
def test_pairs_fit_and_batches_keep_to_the_budget(
    pairs: list[tuple[int, int]], options: BatchOptions
) -> None:
    for batch in make_plan(pairs, options).epoch(0):
        source_lengths = [pairs[row][0] + 1 for row in batch.rows]
        target_lengths = [pairs[row][1] + 1 for row in batch.rows]
        assert max(source_lengths) <= batch.source_length
        assert max(target_lengths) <= batch.target_length
        assert batch.target_tokens == sum(target_lengths)
        assert batch.source_length % options.length_multiple == 0
        assert batch.target_length % options.length_multiple == 0
        longest = max(batch.source_length, batch.target_length)
        assert len(batch.rows) == 1 or len(batch.rows) * longest <= options.max_tokens


@settings(deadline=None)
@given(lengths, options)
def test_only_the_last_batch_of_a_bucket_is_short(
    pairs: list[tuple[int, int]], options: BatchOptions
) -> None:
    plan = make_plan(pairs, options)
    whole = {(source, target): rows for rows, source, target in plan.shapes}
    short = [
        (batch.source_length, batch.target_length)
        for batch in plan.epoch(0)
        if len(batch.rows) < whole[batch.source_length, batch.target_length]
    ]
    assert len(short) <= len(plan.shapes)
    for rows, source, target in plan.shapes:
        budget = options.max_tokens // max(source, target)
        assert rows % options.row_multiple == 0 if budget >= options.row_multiple else rows == max(budget, 1)


@settings(deadline=None)
@given(lengths, options)
def test_shapes_are_few_and_full(pairs: list[tuple[int, int]], options: BatchOptions) -> None:
    plan = make_plan(pairs, options)
    fitting = [shape for shape in plan.shapes if max(shape[1:]) <= options.max_tokens]
    assert len(fitting) <= options.max_shapes
    if len(fitting) > 1:
        full = {(batch.source_length, batch.target_length, len(batch.rows)) for batch in plan.epoch(0)}
        assert all((source, target, rows) in full for rows, source, target in fitting)


@settings(deadline=None)
@given(lengths, options)
def test_the_padding_fraction_is_what_the_batches_hold(
    pairs: list[tuple[int, int]], options: BatchOptions
) -> None:
    plan = make_plan(pairs, options)
    positions = sum(len(batch.rows) * (batch.source_length + batch.target_length) for batch in plan.epoch(0))
    assert plan.padding_fraction == pytest.approx(1 - sum(map(sum, pairs), 2 * len(pairs)) / positions)


@settings(deadline=None, max_examples=30)
@given(lengths, options, st.integers(1, 7), st.integers(0, 12))
def test_taking_up_a_run_is_the_same_as_never_having_stopped(
    pairs: list[tuple[int, int]], options: BatchOptions, group_size: int, num_done: int
) -> None:
    plan = make_plan(pairs, options)
    run = list(islice(plan.iterate_groups(Position(), group_size), num_done + 4))
    position = run[num_done - 1][0] if num_done else Position()
    assert position.index < plan.num_batches
    resumed = islice(make_plan(pairs, options).iterate_groups(position, group_size), 4)
    for (left_position, left), (right_position, right) in zip(run[num_done:], resumed, strict=True):
        assert left_position == right_position
        assert all(same(a, b) for a, b in zip(left, right, strict=True))


@settings(deadline=None, max_examples=30)
@given(lengths, options, st.integers(1, 7))
def test_groups_are_the_batches_of_one_epoch_after_the_other(
    pairs: list[tuple[int, int]], options: BatchOptions, group_size: int
) -> None:
    plan = make_plan(pairs, options)
    num_groups = 2 * plan.num_batches // group_size + 1
    grouped = [
        batch
        for _, group in islice(plan.iterate_groups(group_size=group_size), num_groups)
        for batch in group
    ]
    expected = [batch for epoch in range(4 + group_size) for batch in plan.epoch(epoch)]
    assert len(grouped) == num_groups * group_size
    assert all(same(a, b) for a, b in zip(grouped, expected, strict=False))


def test_single_batches_come_in_the_same_order_as_groups() -> None:
    plan = random_plan()
    single = list(islice(plan.iterate(Position(1, 3)), 4))
    position, group = next(plan.iterate_groups(Position(1, 3), group_size=4))
    assert all(same(batch, expected) for (_, batch), expected in zip(single, group, strict=True))
    assert [after for after, _ in single] == [Position(1, 4), Position(1, 5), Position(1, 6), Position(1, 7)]
    assert position == Position(1, 7)


def test_seeds_and_epochs_give_different_orders() -> None:
    orders = [random_plan(seed=seed).epoch(epoch)[0].rows.tolist() for seed in (1, 2) for epoch in (0, 1)]
    assert len({tuple(order) for order in orders}) == 4


def test_the_order_is_not_the_order_of_lengths() -> None:
    batches = random_plan(5000).epoch(0)
    sizes = [batch.source_length for batch in batches]
    assert sizes != sorted(sizes)
    assert len({batch.source_length for batch in batches[:20]}) > 3


def test_a_usual_corpus_wastes_little() -> None:
    generator = np.random.default_rng(0)
    base = np.clip(generator.gamma(2.2, 14, 100_000), 1, 200)
    source_lengths = (base * np.exp(generator.normal(0, 0.18, base.size))).astype(np.int64) + 1
    target_lengths = (base * np.exp(generator.normal(0, 0.18, base.size))).astype(np.int64) + 1
    plan = BatchPlan(source_lengths, target_lengths, BatchOptions())
    assert len(plan.shapes) <= 64
    assert plan.padding_fraction < 0.15


def test_a_pair_over_the_budget_is_a_batch_of_its_own() -> None:
    plan = make_plan([(7, 7)] * 20 + [(300, 7)], BatchOptions(max_tokens=256))
    assert sorted(plan.shapes) == [(1, 304, 8), (32, 8, 8)]
    assert sorted(len(batch.rows) for batch in plan.epoch(0)) == [1, 20]


def test_no_pairs_no_plan() -> None:
    empty = np.zeros(0, dtype=np.int64)
    with pytest.raises(LexalignError, match="there are no pairs to make batches of; check the data"):
        BatchPlan(empty, empty, BatchOptions())


@pytest.mark.parametrize("position", [Position(0, 10**6), Position(0, -1), Position(-1, 0)])
def test_a_position_of_another_plan_is_refused(position: Position) -> None:
    with pytest.raises(LexalignError, match=f"cannot continue at batch {position.index} of"):
        random_plan().iterate(position)


def test_invalid_options_are_refused() -> None:
    with pytest.raises(LexalignError, match=r"^max_tokens is 0; it must be 1 or more$"):
        BatchOptions(max_tokens=0)
    with pytest.raises(LexalignError, match=r"^group_size is 0; it must be 1 or more$"):
        next(random_plan().iterate_groups(group_size=0))
