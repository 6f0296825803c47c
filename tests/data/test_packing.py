"""Packed batches hold every pair once, in tensors of one size, each token of which is in a sentence."""

import numpy as np
import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import Position
from lexalign.data.packing import PackedBatch, PackedPlan, collate_packed
from lexalign.data.store import TokenStore

PAIRS = 400


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> TokenStore:
    generator = np.random.default_rng(1)
    sides = [
        [generator.integers(4, 90, size=generator.integers(1, 40)).tolist() for _ in range(PAIRS)]
        for _ in "st"
    ]
    return TokenStore.build(
        tmp_path_factory.mktemp("packing") / "store", [(sides[0], sides[1])], vocabulary_size=90
    )


@pytest.fixture(scope="module")
def plan(store: TokenStore) -> PackedPlan:
    return PackedPlan(store.source_lengths, store.target_lengths, max_tokens=700, seed=1)


def packed(store: TokenStore, plan: PackedPlan, index: int) -> PackedBatch:
    return collate_packed(store, plan.epoch(0)[index], plan, pad_id=0, eos_id=1, target_prefix_id=2)


def test_an_epoch_has_every_pair_once_and_another_order_than_the_next(plan: PackedPlan) -> None:
    first, second = (np.concatenate([batch.rows for batch in plan.epoch(number)]) for number in (0, 1))
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(PAIRS))
    assert first.tolist() != second.tolist()


def test_a_run_can_be_taken_up_anywhere(plan: PackedPlan) -> None:
    batches = plan.iterate()
    for _ in range(plan.count(0) + 2):
        position, _ = next(batches)
    assert position == Position(1, 2)
    resumed = plan.iterate(position)
    for _ in range(3):
        (one, expected), (other, found) = next(batches), next(resumed)
        assert one == other
        assert found.rows.tolist() == expected.rows.tolist()
    with pytest.raises(LexalignError, match="cannot continue at batch 999"):
        plan.iterate(Position(0, 999))


@pytest.mark.parametrize("index", [0, 1, -1])
def test_sentences_stand_one_after_the_other(store: TokenStore, plan: PackedPlan, index: int) -> None:
    batch, rows = packed(store, plan, index), plan.epoch(0)[index].rows.tolist()
    starts, targets = batch.source_starts.tolist(), batch.target_starts.tolist()
    for place, row in enumerate(rows):
        source, target = store.source(row).tolist(), store.target(row).tolist()
        first, last = targets[place : place + 2]
        assert batch.source_ids[starts[place] : starts[place + 1]].tolist() == [*source, 1]
        assert batch.target_input_ids[first:last].tolist() == [2, *target]
        assert batch.target_output_ids[first:last].tolist() == [*target, 1]
        assert batch.target_positions[first:last].tolist() == list(range(last - first))
    assert not batch.target_output_ids[targets[len(rows)] :].any()
    assert batch.target_tokens == int((batch.target_output_ids != 0).sum())


def test_all_batches_have_the_same_shapes(store: TokenStore, plan: PackedPlan) -> None:
    shapes = {
        tuple(tensor.shape for tensor in packed(store, plan, index).tensors.values())
        for index in range(plan.count(0))
    }
    assert len(shapes) == 1


@pytest.mark.parametrize("index", [0, -1])
def test_no_query_is_without_a_key(store: TokenStore, plan: PackedPlan, index: int) -> None:
    batch = packed(store, plan, index)
    sources, targets = batch.source_starts.diff(), batch.target_starts.diff()
    assert int(batch.source_starts[-1]) == plan.source_size
    assert int(batch.target_starts[-1]) == plan.target_size
    assert torch.equal(sources > 0, targets > 0)
    assert int(max(sources.max(), targets.max())) <= plan.longest


def test_little_of_a_large_batch_is_padding() -> None:
    generator = np.random.default_rng(1)
    targets = np.clip(generator.lognormal(3.1, 0.6, size=40_000), 1, 250).astype(np.int64)
    sources = np.clip(targets * generator.lognormal(0, 0.2, size=40_000), 1, 250).astype(np.int64)
    assert PackedPlan(sources, targets, max_tokens=36_000, seed=1).padding_fraction < 0.05


def test_no_long_sentence_is_at_the_end(store: TokenStore, plan: PackedPlan) -> None:
    """Of pairs the longest come first, and padding is cut into short sentences."""
    batch, rows = packed(store, plan, 0), plan.epoch(0)[0].rows
    longer = np.maximum(store.source_lengths[rows], store.target_lengths[rows])
    assert (np.diff(longer) <= 0).all()
    padding = batch.source_starts.diff()[len(rows) :]
    assert int(padding.sum()) > 32
    assert int(padding.max()) <= 32
