"""Padded tensors against a plain loop."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.data.batching import BatchOptions, BatchPlan, PlannedBatch
from lexalign.data.collate import collate
from lexalign.data.store import TokenStore

PAD, EOS, PREFIX = 0, 1, 3

sentence = st.lists(st.integers(4, 99), max_size=9)


def padded(sentences: list[list[int]], width: int) -> list[list[int]]:
    return [row + [PAD] * (width - len(row)) for row in sentences]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(sentence, sentence), min_size=1, max_size=20), st.data())
def test_it_is_what_a_plain_loop_gives(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[list[int], list[int]]], data: st.DataObject
) -> None:
    sources, targets = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    store = TokenStore.build(
        tmp_path_factory.mktemp("collate") / "s", [(sources, targets)], vocabulary_size=100
    )
    rows = data.draw(st.lists(st.integers(0, len(pairs) - 1), min_size=1))
    batch = PlannedBatch(rows=np.array(rows), source_length=10, target_length=12, target_tokens=77)
    result = collate(store, batch, pad_id=PAD, eos_id=EOS, target_prefix_id=PREFIX)
    assert result.source_ids.tolist() == padded([[*sources[row], EOS] for row in rows], 10)
    assert result.target_input_ids.tolist() == padded([[PREFIX, *targets[row]] for row in rows], 12)
    assert result.target_output_ids.tolist() == padded([[*targets[row], EOS] for row in rows], 12)
    assert result.target_tokens == 77
    assert result.source_ids.dtype == torch.int64


def test_the_tokens_of_a_planned_batch_are_counted_right(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    sentences = [generator.integers(4, 99, size).tolist() for size in generator.integers(1, 40, 300)]
    store = TokenStore.build(tmp_path / "s", [(sentences, sentences[::-1])], vocabulary_size=100)
    plan = BatchPlan(store.source_lengths, store.target_lengths, BatchOptions(max_tokens=256))
    for batch in plan.epoch(0):
        result = collate(store, batch, pad_id=PAD, eos_id=EOS, target_prefix_id=EOS)
        assert result.source_ids.shape == (len(batch.rows), batch.source_length)
        assert result.target_input_ids.shape == (len(batch.rows), batch.target_length)
        assert int((result.target_output_ids != PAD).sum()) == batch.target_tokens == result.target_tokens


def test_it_moves_to_another_device_as_a_whole(tmp_path: Path) -> None:
    store = TokenStore.build(tmp_path / "s", [([[5]], [[6]])], vocabulary_size=10)
    batch = PlannedBatch(rows=np.array([0]), source_length=2, target_length=2, target_tokens=2)
    moved = collate(store, batch, pad_id=PAD, eos_id=EOS, target_prefix_id=EOS).to("meta")
    tensors = (moved.source_ids, moved.target_input_ids, moved.target_output_ids)
    assert {tensor.device.type for tensor in tensors} == {"meta"}
    assert moved.target_tokens == 2
