"""What a decoder's memory makes in a step is where its slots are, and not on the default device."""

import pytest
import torch

from lexalign.models.cache import DecoderCache


@pytest.mark.parametrize("steps", [8, 60])
@pytest.mark.parametrize("static", [False, True])
def test_a_step_stays_on_its_device(steps: int, static: bool) -> None:
    """With many slots the sentences of a batch have positions of their own."""
    memory = [(torch.zeros(2, 1, 3, 2), torch.zeros(2, 1, 3, 2))]
    cache = DecoderCache(memory, None, beam=4, attention_layer=None, static=static, source_length=3)
    cache.reserve(steps)
    with torch.device("meta"):
        for rows in (1, 4):
            cache.begin_step(rows)
            keys, values = cache.append(0, torch.ones(2, 2, 1, rows, 2, device="cpu"))
            cache.end_step(rows)
    assert keys.device.type == values.device.type == cache.mask.device.type == "cpu"
    assert (keys[:, :, :5] == 1).all()
