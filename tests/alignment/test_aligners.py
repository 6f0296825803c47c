"""Properties of every aligner: distributions, independent of padding and other sentences, and its delay."""

from dataclasses import replace
from typing import cast

import pytest
import torch
from torch import Tensor

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.forced import align_targets, force_layers, force_target
from lexalign.alignment.learned import HEADS, PosteriorHead
from lexalign.alignment.table_aligner import TableAligner
from lexalign.contracts.alignment import Aligner, OnlineAligner
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.model import Vocabulary
from lexalign.contracts.table_model import TableModel
from lexalign.models.transformer import Transformer
from tests.alignment.small_models import EOS, embedding, sentences, small_model

LAYER = 1
SOURCE, TARGET = sentences(9, 4, 6), sentences(7, 5, 8, seed=2)
METHODS = [
    "naive-att",
    "naive-att by a head",
    "shift-att",
    "shift-att by a head",
    "prior-att",
    "shift-aet",
    "post-aln",
]
ONLINE = ["naive-att", "naive-att by a head", "prior-att", "post-aln"]


@pytest.fixture(scope="module", params=[(0,), (3, 7)], ids=["prefix of one", "prefix of two"])
def model(request: pytest.FixtureRequest) -> Transformer:
    return small_model(target_prefix=request.param)


def make(method: str, model: Transformer, temperature: float = 1.0) -> Aligner:
    single_head = 2 if method.endswith("head") else None
    if method.startswith("naive-att"):
        return NaiveAttention(layer=LAYER, head=single_head)
    if method.startswith("shift-att"):
        return ShiftedAttention(layer=LAYER, head=single_head)
    torch.manual_seed(8)
    head = HEADS[method](32, 4).requires_grad_(False)
    return LearnedAligner(head, embedding(model), layer=LAYER, temperature=temperature)


def make_online(method: str, model: Transformer, temperature: float = 1.0) -> OnlineAligner:
    return cast(OnlineAligner, make(method, model, temperature))


@pytest.mark.parametrize("method", METHODS)
def test_rows_are_distributions_over_real_source_tokens(model: Transformer, method: str) -> None:
    found = align_targets(model, make(method, model), SOURCE, TARGET)
    assert found.shape == (3, 8, 9)
    torch.testing.assert_close(found.sum(dim=-1), torch.ones(3, 8))
    assert found[1, :, 4:].abs().max() == 0


@pytest.mark.parametrize("method", METHODS)
def test_padding_and_other_sentences_change_nothing(model: Transformer, method: str) -> None:
    aligner = make(method, model)
    together = align_targets(model, aligner, SOURCE, TARGET)
    for row, (source, target) in enumerate([(9, 7), (4, 5), (6, 8)]):
        rows = slice(row, row + 1)
        alone = align_targets(model, aligner, SOURCE[rows, :source], TARGET[rows, :target])
        torch.testing.assert_close(together[rows, :target, :source], alone, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_an_alignment_depends_on_nothing_later_than_its_delay(model: Transformer, method: str) -> None:
    """A delay of 0 or 1 alike: the token itself is the last that may count, for it is known by then."""
    aligner = make(method, model)
    before = align_targets(model, aligner, SOURCE, TARGET)
    for position in range(1, TARGET.shape[1]):
        changed = TARGET.clone()
        changed[:, position:] = (changed[:, position:] + 17) % 50 + 4
        after = align_targets(model, aligner, SOURCE, changed)
        torch.testing.assert_close(before[:, :position], after[:, :position], atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize(
    ("method", "sees_token"),
    [
        ("naive-att", False),
        ("prior-att", False),
        ("shift-att", True),
        ("shift-aet", True),
        ("post-aln", True),
    ],
)
def test_which_aligners_see_the_token_they_align(model: Transformer, method: str, sees_token: bool) -> None:
    aligner = make(method, model)
    changed = TARGET.clone()
    changed[:, 2] = (changed[:, 2] + 17) % 50 + 4
    before, after = (align_targets(model, aligner, SOURCE, ids)[:, 2] for ids in (TARGET, changed))
    assert bool((before - after).abs().max() > 1e-5) == sees_token


@pytest.mark.parametrize("method", ONLINE)
def test_delay_0_is_known_before_the_token_is_fed(model: Transformer, method: str) -> None:
    """The forced pass may stop short of the aligned token: its row is the last one that was computed."""
    aligner = make(method, model)
    assert aligner.delay == 0
    whole = align_targets(model, aligner, SOURCE, TARGET)
    forced = force_target(model, SOURCE, TARGET, LAYER)
    blind = replace(forced, query=forced.query.clone(), head_attention=forced.head_attention.clone())
    blind.query[:, -1:] = float("nan")
    blind.head_attention[:, :, -1:] = float("nan")
    torch.testing.assert_close(aligner.align(blind), whole)


@pytest.mark.parametrize("temperature", [1.0, 2.0])
@pytest.mark.parametrize("method", ONLINE)
def test_in_search_as_when_forced(model: Transformer, method: str, temperature: float) -> None:
    """Stepping with the true token among the candidates gives the row of the forced pass."""
    aligner = make_online(method, model, temperature)
    forced = align_targets(model, aligner, SOURCE, TARGET)
    source = model.encode(SOURCE)
    memory = aligner.remember(source)
    state = model.start(source, beam=2, attention_layer=LAYER)
    state.reserve(16)
    generator = torch.Generator().manual_seed(4)
    prefix = torch.tensor(model.vocabulary.target_prefix).expand(3, -1)
    fed = torch.cat([prefix, TARGET], dim=1)
    for position in range(fed.shape[1] - 1):
        output = model.step(state, fed[:, position, None].expand(-1, 2))
        step = position - prefix.shape[1] + 1
        if step < 0:
            continue
        candidates = torch.randint(4, 60, (3, 2, 5), generator=generator)
        candidates[:, :, 3] = TARGET[:, step, None]
        found = aligner.align_candidates(memory, output, candidates)
        assert found.shape == (3, 2, 5, 9)
        for row in range(2):
            torch.testing.assert_close(found[:, row, 3], forced[:, step], atol=1e-6, rtol=1e-4)


def test_every_candidate_gets_the_alignment_it_would_have_when_forced(model: Transformer) -> None:
    aligner = make_online("post-aln", model)
    forced = force_target(model, SOURCE, TARGET, LAYER)
    candidates = torch.tensor([4, 9, 33]).expand(3, 8, 3)
    output = model.force(
        forced.source,
        torch.cat([torch.tensor([[*model.vocabulary.target_prefix]] * 3), TARGET], dim=1),
        LAYER,
    )
    rows = type(output)(logits=output.logits, query=forced.query[:, :-1])
    found = aligner.align_candidates(aligner.remember(forced.source), rows, candidates)
    for index, token_id in enumerate([4, 9, 33]):
        replaced = type(forced)(**(vars(forced) | {"token_ids": torch.full_like(TARGET, token_id)}))
        torch.testing.assert_close(found[:, :, index], aligner.align(replaced), atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("method", ONLINE)
def test_pairs_are_single_candidates(model: Transformer, method: str) -> None:
    aligner = make_online(method, model)
    source = model.encode(SOURCE)
    output = model.force(source, TARGET, attention_layer=LAYER)
    generator = torch.Generator().manual_seed(3)
    rows = torch.randint(0, 8, (3, 6), generator=generator)
    tokens = torch.randint(4, 60, (3, 6), generator=generator)
    memory = aligner.remember(source)
    found = aligner.align_pairs(memory, output, rows, tokens)  # (B, C, S)
    everything = aligner.align_candidates(memory, output, tokens[:, None].expand(-1, 8, -1))  # (B, K, C, S)
    for b in range(3):
        for c in range(6):
            torch.testing.assert_close(found[b, c], everything[b, rows[b, c], c])


def test_memory_keeps_the_sentences_that_stay(model: Transformer) -> None:
    aligner = make_online("post-aln", model)
    memory = aligner.remember(model.encode(SOURCE))
    memory.keep(torch.tensor([0, 2]))
    alone = aligner.remember(model.encode(SOURCE[[0, 2]]))
    torch.testing.assert_close(memory.keys, alone.keys)
    assert torch.equal(memory.mask, alone.mask)


def test_a_delayed_head_refuses_to_align_candidates(model: Transformer) -> None:
    aligner = make_online("shift-aet", model)
    source = model.encode(SOURCE)
    output = model.force(source, TARGET, attention_layer=LAYER)
    with pytest.raises(LexalignError, match="one step later"):
        aligner.align_candidates(aligner.remember(source), output, TARGET[:, :, None])


def test_a_head_of_another_width_is_refused(model: Transformer) -> None:
    with pytest.raises(LexalignError, match="16 wide and the model 32"):
        LearnedAligner(PosteriorHead(16, 2), embedding(model), layer=1)


def reference_post_aln(head: PosteriorHead, g: Tensor, e: Tensor, states: Tensor) -> Tensor:
    """One sentence as the paper writes it: a concatenated query, head by head."""
    query_weight = torch.cat([head.state.weight, head.token.weight], dim=1)  # (D, 2D)
    size = head.width // head.heads
    rows = []
    for t in range(len(g)):
        query = query_weight @ torch.cat([g[t], e[t]])
        total = torch.zeros(len(states))
        for n in range(head.heads):
            part = slice(n * size, (n + 1) * size)
            keys = states @ head.key.weight[part].T
            total += torch.softmax(keys @ query[part] / size**0.5, dim=0)
        rows.append(total / head.heads)
    return torch.stack(rows)


def test_post_aln_is_the_papers_formula(model: Transformer) -> None:
    aligner = make("post-aln", model)
    assert isinstance(aligner, LearnedAligner)
    assert isinstance(aligner.head, PosteriorHead)
    forced = force_target(model, SOURCE[:1], TARGET[:1], LAYER)
    expected = reference_post_aln(
        aligner.head, forced.query[0, :-1], embedding(model)[TARGET[0]], forced.source.states[0]
    )
    torch.testing.assert_close(aligner.align(forced)[0], expected, atol=1e-6, rtol=1e-4)


def test_final_punctuation_is_aligned_to_each_other_only_on_request() -> None:
    model = small_model()
    mark = 50
    source = torch.tensor([[5, 6, mark, EOS, 0], [5, mark, 7, 8, EOS], [5, 6, 7, mark, EOS]])
    target = torch.tensor([[9, mark, EOS], [9, mark, EOS], [9, 8, EOS]])
    plain = align_targets(model, ShiftedAttention(layer=LAYER), source, target)
    pinned = align_targets(model, ShiftedAttention(layer=LAYER, sentence_final_ids=(mark,)), source, target)
    assert pinned[0, 1].tolist() == [0, 0, 1, 0, 0]  # mark to mark
    assert pinned[0, 0, 2] == 0  # and nothing else to it
    assert torch.equal(pinned[0, 0, :2], plain[0, 0, :2])
    assert torch.equal(pinned[1], plain[1])  # the mark within the sentence is no final one
    assert pinned[2, :, 3].abs().max() == 0  # no mark in the target: nothing to the source's
    assert "pinned" in ShiftedAttention(layer=LAYER, sentence_final_ids=(mark,)).signature
    assert "free" in ShiftedAttention(layer=LAYER).signature


def test_a_single_head_can_align(model: Transformer) -> None:
    """Their mean is what the layer says, forced at once or watched."""
    heads = range(model.config.decoder_heads)
    single = [ShiftedAttention(layer=LAYER, head=head) for head in heads]
    found = torch.stack([align_targets(model, aligner, SOURCE, TARGET) for aligner in single])
    assert not torch.allclose(found[0], found[1], atol=1e-4)
    layer = align_targets(model, ShiftedAttention(layer=LAYER), SOURCE, TARGET)
    torch.testing.assert_close(found.mean(dim=0), layer)
    fed = torch.cat([torch.tensor(model.vocabulary.target_prefix).expand(3, -1), TARGET], dim=1)
    watched = model.force(model.encode(SOURCE), fed, attention_layer=LAYER).attention
    assert watched is not None
    torch.testing.assert_close(found.mean(dim=0), watched[:, -TARGET.shape[1] :])
    assert "|head:2|" in single[1].signature
    with pytest.raises(LexalignError, match="no attention head 9; there are"):
        align_targets(model, ShiftedAttention(layer=LAYER, head=8), SOURCE, TARGET)


@pytest.mark.parametrize("method", METHODS)
def test_a_model_of_half_the_precision_gives_nearly_the_same(method: str) -> None:
    model = small_model()
    full = align_targets(model, make(method, model), SOURCE, TARGET)
    model = model.to(torch.bfloat16)
    half = align_targets(model, make(method, model), SOURCE, TARGET)
    assert half.dtype == torch.float32
    torch.testing.assert_close(half, full, atol=0.05, rtol=0)


def test_a_layer_that_the_model_does_not_have_is_refused() -> None:
    with pytest.raises(LexalignError, match="no decoder layer 4; the model has 3"):
        align_targets(small_model(), NaiveAttention(layer=3), SOURCE, TARGET)


def test_several_layers_are_seen_in_one_pass_as_each_alone() -> None:
    model = small_model()
    together = force_layers(model, SOURCE, TARGET, [2, 0])
    for layer, forced in together.items():
        alone = force_target(model, SOURCE, TARGET, layer)
        torch.testing.assert_close(forced.attention, alone.attention)
        torch.testing.assert_close(forced.query, alone.query)


def test_the_table_aligner_looks_up_and_normalises() -> None:
    affinity = torch.zeros(6, 6)
    affinity[4, 2], affinity[4, 3] = 3.0, 1.0
    vocabulary = Vocabulary(size=6, pad_id=0, eos_id=1, target_prefix=(2,))
    model = TableModel(torch.zeros(6, 1, 6, 6), vocabulary)
    source = model.encode(torch.tensor([[3, 2, 1], [2, 1, 0]]))
    aligner = TableAligner(affinity)
    output = model.step(model.start(source, beam=1), torch.tensor([[2], [2]]))
    found = aligner.align_candidates(aligner.remember(source), output, torch.tensor([[[4, 5]], [[4, 5]]]))
    assert found[0, 0, 0].tolist() == [0.25, 0.75, 0]
    assert found[1, 0, 0].tolist() == [1, 0, 0]
    assert found[1, 0, 1].tolist() == [0.5, 0.5, 0]
