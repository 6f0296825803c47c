"""A step by the kernel leaves and gives what the decoder's own operations do."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.models.config import ModelConfig
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer

CONFIG = ModelConfig(
    vocabulary_size=500, width=64, feedforward_width=128, encoder_layers=1, decoder_layers=2, norm="pre"
)
CONFIGS = {
    "post-norm": replace(CONFIG, norm="post"),
    "pre-norm": replace(CONFIG, final_norm=True),
    "swish": replace(CONFIG, activation="swish", norm="post", embedding_norm=True),
    "learned positions": replace(CONFIG, positions="learned", position_offset=2, output_bias=True),
    "heads of their own width": replace(CONFIG, head_width=48),
    "blocks of terms": replace(CONFIG, width=320, feedforward_width=1280, decoder_heads=5, encoder_heads=5),
}


def make_model(config: ModelConfig, precision: Precision) -> Transformer:
    torch.manual_seed(1)
    model = Transformer(config).eval().requires_grad_(False)
    for parameter in model.parameters():
        if parameter.dim() == 1:
            parameter.normal_(std=0.5)
    return model.pack(precision)


def make_sources(batch: int, length: int) -> torch.Tensor:
    ids = torch.randint(4, 500, (batch, length), generator=torch.Generator().manual_seed(2))
    ids[:, -1] = 1
    ids[0, length // 2 :] = 0
    return ids


@torch.inference_mode()
def walk(model: Transformer, ids: torch.Tensor, steps: int) -> list[torch.Tensor]:
    """Logits, attention and query of every step of a beam of five that is reordered at random."""
    choice, found = torch.Generator().manual_seed(3), []
    state = model.start(model.encode(ids), beam=5, attention_layer=1)
    for step in range(steps):
        if step % 8 == 0:
            state.reserve(8)
        rows = 5 if step else 1
        output = model.step(state, torch.randint(4, 500, (len(ids), rows), generator=choice))
        assert output.head_attention is not None
        assert output.query is not None
        found += [output.logits, output.head_attention, output.query]
        state.reorder(torch.randint(0, rows, (len(ids), 5), generator=choice))
        if step == 11 and len(ids) > 2:  # a sentence leaves, others stay where they are
            stay = torch.tensor([0, 2])
            state.keep(stay)
            ids = ids[stay]
    return found


@pytest.mark.parametrize("name", CONFIGS)
def test_in_float32_every_bit_is_the_same(name: str, without_kernels: Callable[[], None]) -> None:
    # 50 steps of five hypotheses take more than the 192 slots that are summed in one sequence.
    cases = [(make_sources(3, 22), 50), (make_sources(2, 250), 3)]
    native = make_model(CONFIGS[name], "float32")
    assert native._native is not None
    found = [walk(native, *case) for case in cases]
    without_kernels()
    plain = make_model(CONFIGS[name], "float32")
    assert plain._native is None
    for ours, theirs in zip(found, [walk(plain, *case) for case in cases], strict=True):
        assert all(torch.equal(one, other) for one, other in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("name", CONFIGS)
def test_in_int8_it_is_as_near_to_float32_as_torch_is(name: str, without_kernels: Callable[[], None]) -> None:
    ids = make_sources(3, 22)
    exact = walk(make_model(CONFIGS[name], "float32"), ids, 20)
    native = walk(make_model(CONFIGS[name], "int8"), ids, 20)
    without_kernels()
    plain = walk(make_model(CONFIGS[name], "int8"), ids, 20)
    ours, theirs = distance(native, exact), distance(plain, exact)
    assert 0 < ours < 1.1 * theirs


def distance(some: list[torch.Tensor], others: list[torch.Tensor]) -> float:
    pairs = zip(some, others, strict=True)
    return math.sqrt(sum(float((one - other).square().mean()) for one, other in pairs))


def test_a_search_finds_the_same_with_the_same_scores(without_kernels: Callable[[], None]) -> None:
    ids = make_sources(4, 19)
    options = SearchOptions(beam=5, n_best=3)
    found = search(make_model(CONFIGS["pre-norm"], "float32"), ids, options)
    without_kernels()
    assert search(make_model(CONFIGS["pre-norm"], "float32"), ids, options) == found


@pytest.mark.parametrize("changes", [{"rms_norm": True}, {"gated_feedforward": True}, {"activation": "gelu"}])
def test_other_models_take_the_usual_way(changes: dict[str, object]) -> None:
    config = ModelConfig.from_dict(CONFIG.to_dict() | changes)
    assert make_model(config, "float32")._native is None
