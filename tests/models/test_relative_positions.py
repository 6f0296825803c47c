"""Relative positions: the buckets are T5's, and the results of a sentence the same bits in any batch."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.data.collate import pad_sentences
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.models.config import ModelConfig
from lexalign.models.relative_bias import RelativeBias
from lexalign.models.transformer import Transformer

SENTENCE = st.lists(st.integers(4, 89), min_size=1, max_size=40)
KINDS: dict[str, dict[str, Any]] = {
    "t5": {
        "positions": "relative-bias",
        "rms_norm": True,
        "norm": "pre",
        "final_norm": True,
        "gated_feedforward": True,
        "activation": "gelu-tanh",
        "projection_bias": False,
        "head_width": 20,
        "attention_scale": False,
        "embedding_scale": False,
    },
    "opennmt": {"positions": "relative-vectors", "relative_distance": 20, "source_eos": False},
}


@cache
def packed_model(kind: str) -> Transformer:
    torch.manual_seed(5)
    sizes: dict[str, Any] = {"width": 64, "feedforward_width": 96, "encoder_heads": 2, "decoder_heads": 4}
    config = ModelConfig(vocabulary_size=90, encoder_layers=2, decoder_layers=2, **sizes, **KINDS[kind])
    return Transformer(config).pack("float32")


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("kind", KINDS)
@given(sentence=SENTENCE, others=st.lists(SENTENCE, min_size=1, max_size=6), beam=st.integers(1, 5))
@settings(max_examples=8, deadline=None)
def test_a_search_is_the_same_in_any_batch(
    kind: str, sentence: list[int], others: list[list[int]], beam: int
) -> None:
    model, options = packed_model(kind), SearchOptions(beam=beam, n_best=min(beam, 2), max_length=40)
    together, alone = (
        pad_sentences([[*one, 1] for one in sentences], 0) for sentences in ([*others, sentence], [sentence])
    )
    assert search(model, together, options)[-1] == search(model, alone, options)[0]


@pytest.mark.parametrize("kind", KINDS)
def test_beside_one_of_many_slots(kind: str) -> None:
    """More slots than are summed in one block, of which each sentence has others."""
    model, options = packed_model(kind), SearchOptions(beam=5, max_length=400, min_length=60, max_extra=400)
    short, long = [5, 6, 7, 1], [*range(4, 44), 1]
    together = search(model, pad_sentences([short, long], 0), options)
    assert together[0] == search(model, pad_sentences([short], 0), options)[0]


def test_buckets_of_a_decoder() -> None:
    """The example of the module."""
    config = ModelConfig(vocabulary_size=9, relative_buckets=8, relative_distance=16)
    bias = RelativeBias(config, 2, causal=True)
    assert bias.buckets[:17].flip(0).tolist() == [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 7]


def test_the_end_of_a_source_is_not_read() -> None:
    model = packed_model("opennmt")
    with torch.inference_mode():
        one, other = (model.encode(torch.tensor([ids])) for ids in ([5, 6, 7, 1], [5, 6, 7]))
        empty = model.encode(torch.tensor([[1]]))
    assert one.mask.tolist() == [[True, True, True, False]]
    torch.testing.assert_close(one.states[:, :3], other.states)
    assert empty.mask.tolist() == [[True]]
