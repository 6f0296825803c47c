"""Every variant of the Transformer fulfils the contract of a model."""

from typing import Any

import pytest
import torch
from torch import Tensor

from lexalign.contracts.model import DecoderOutput
from lexalign.models.config import ModelConfig
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer

SMALL: dict[str, Any] = {
    "vocabulary_size": 60,
    "width": 32,
    "feedforward_width": 48,
    "encoder_heads": 2,
    "decoder_heads": 4,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "max_positions": 64,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "the paper's": {},
    "pre-norm": {"norm": "pre", "final_norm": True, "activation": "gelu"},
    "learned positions": {"positions": "learned", "position_offset": 2, "embedding_norm": True},
    "fairseq's positions": {"positions": "sinusoidal-fairseq", "position_offset": 1, "activation": "swish"},
    "recurrent": {"decoder_autoregression": "ssru"},
    "recurrent, pre-norm": {"decoder_autoregression": "ssru", "norm": "pre", "final_norm": True},
    "untied": {
        "tied_encoder_decoder": False,
        "tied_output": False,
        "output_bias": True,
        "embedding_scale": False,
    },
    "interleaved positions": {"positions": "sinusoidal-interleaved", "source_eos": False},
    "relative vectors": {"positions": "relative-vectors", "relative_distance": 3},
    "T5's": {
        "positions": "relative-bias",
        "relative_buckets": 8,
        "relative_distance": 6,
        "rms_norm": True,
        "norm": "pre",
        "final_norm": True,
        "gated_feedforward": True,
        "activation": "gelu-tanh",
        "projection_bias": False,
        "head_width": 12,
        "attention_scale": False,
        "embedding_scale": False,
    },
}


@pytest.fixture(params=list(VARIANTS.values()), ids=list(VARIANTS))
def model(request: pytest.FixtureRequest) -> Transformer:
    torch.manual_seed(5)
    return Transformer(ModelConfig(**SMALL, **request.param)).eval().requires_grad_(False)


def sentences(*lengths: int, seed: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(4, 60, (len(lengths), max(lengths)), generator=generator)
    for row, length in enumerate(lengths):
        ids[row, length:] = 0
    return ids


def step_through(
    model: Transformer,
    source_ids: Tensor,
    target_ids: Tensor,
    attention_layer: int | None = None,
    static: bool = False,
) -> list[DecoderOutput]:
    """Logits, attention and query of targets (B, T), fed token by token with a reserve at odd times."""
    state = model.start(model.encode(source_ids), beam=1, attention_layer=attention_layer, static=static)
    outputs = []
    for position in range(target_ids.shape[1]):
        if position % 3 == 0:
            state.reserve(3)
        outputs.append(model.step(state, target_ids[:, position : position + 1]))
    return outputs


@pytest.mark.parametrize("static", [False, True])
def test_stepping_equals_forcing(model: Transformer, static: bool) -> None:
    source, target = sentences(7, 4), sentences(9, 9, seed=2)
    forced = model.force(model.encode(source), target, attention_layer=1)
    assert forced.attention is not None
    assert forced.query is not None
    for position, output in enumerate(step_through(model, source, target, attention_layer=1, static=static)):
        torch.testing.assert_close(output.logits[:, 0], forced.logits[:, position], atol=1e-5, rtol=1e-4)
        assert output.attention is not None
        assert output.query is not None
        torch.testing.assert_close(
            output.attention[:, 0], forced.attention[:, position], atol=1e-6, rtol=1e-4
        )
        torch.testing.assert_close(output.query[:, 0], forced.query[:, position], atol=1e-5, rtol=1e-4)


def test_padding_changes_nothing(model: Transformer) -> None:
    source, target = sentences(8, 3), sentences(6, 6, seed=2)
    together = model.force(model.encode(source), target).logits
    alone = model.force(model.encode(source[1:, :3]), target[1:]).logits
    torch.testing.assert_close(together[1:], alone, atol=1e-5, rtol=1e-4)


def test_a_prefix_does_not_depend_on_what_follows(model: Transformer) -> None:
    source, target = sentences(5), sentences(8)
    changed = target.clone()
    changed[:, 5:] = 9
    encoded = model.encode(source)
    before, after = (model.force(encoded, ids).logits[:, :5] for ids in (target, changed))
    torch.testing.assert_close(before, after)


def test_training_and_forcing_give_the_same_logits(model: Transformer) -> None:
    source, target = sentences(6, 2), sentences(5, 5, seed=3)
    torch.testing.assert_close(model(source, target), model.force(model.encode(source), target).logits)


def test_attention_is_a_distribution_over_real_tokens(model: Transformer) -> None:
    source = sentences(6, 2)
    attention = model.force(model.encode(source), sentences(4, 4), attention_layer=2).attention
    assert attention is not None
    torch.testing.assert_close(attention.sum(dim=-1), torch.ones(2, 4))
    assert attention[1, :, 2:].abs().max() == 0


@pytest.mark.parametrize("static", [False, True])
def test_a_reordered_beam_is_the_beam_of_its_histories(model: Transformer, static: bool) -> None:
    """Each row must see its own past, whatever slots were dropped in between."""
    generator = torch.Generator().manual_seed(3)
    source = sentences(5, 7)
    state = model.start(model.encode(source), beam=3, static=static)
    histories = torch.zeros(2, 3, 0, dtype=torch.int64)
    for step in range(11):
        if step % 4 == 0:
            state.reserve(4)
        tokens = torch.randint(4, 60, (2, 3), generator=generator)
        histories = torch.cat([histories, tokens[:, :, None]], dim=2)
        output = model.step(state, tokens)
        rows = torch.randint(0, 3, (2, 3), generator=generator)
        state.reorder(rows)
        for row in range(3):
            forced = model.force(model.encode(source), histories[:, row]).logits[:, -1]
            torch.testing.assert_close(output.logits[:, row], forced, atol=1e-5, rtol=1e-4)
        histories = histories.gather(1, rows[:, :, None].expand(-1, -1, step + 1))


def test_sentences_that_leave_do_not_disturb_the_others(model: Transformer) -> None:
    source, target = sentences(7, 4, 6), sentences(6, 6, 6, seed=2)
    state = model.start(model.encode(source), beam=1)
    state.reserve(6)
    for position in range(3):
        model.step(state, target[:, position : position + 1])
    state.keep(torch.tensor([0, 2]))
    output = model.step(state, target[[0, 2], 3:4])
    forced = model.force(model.encode(source[[0, 2]]), target[[0, 2]]).logits[:, 3]
    torch.testing.assert_close(output.logits[:, 0], forced, atol=1e-5, rtol=1e-4)


@torch.inference_mode()
def test_slots_without_descendants_are_dropped() -> None:
    model = Transformer(ModelConfig(**SMALL)).eval()
    state = model.start(model.encode(sentences(5)), beam=4)
    for step in range(20):
        if step % 4 == 0:
            state.reserve(4)
        model.step(state, torch.randint(4, 60, (1, 4)))
        state.reorder(torch.zeros(1, 4, dtype=torch.int64))
    state.reserve(1)
    assert state.width == 32  # one for each step, not four, and up to the next multiple of 16


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 1e-4), ("int8", 0.15)])
def test_packed_weights_give_nearly_the_same(precision: Precision, tolerance: float) -> None:
    torch.manual_seed(1)
    model = Transformer(ModelConfig(**SMALL)).eval().requires_grad_(False)
    source, target = sentences(6, 4), sentences(5, 5)
    plain = model.force(model.encode(source), target).logits
    packed = model.pack(precision).force(model.encode(source), target).logits
    assert 0 < (packed - plain).abs().max() / plain.std() < tolerance or precision == "float32"
    assert (packed - plain).abs().max() / plain.std() < tolerance
