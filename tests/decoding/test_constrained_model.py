"""Constrained searches with a real Transformer and real aligners."""

from dataclasses import replace
from typing import cast

import pytest
import torch

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.learned import PosteriorHead, PriorHead, ShiftHead
from lexalign.contracts.alignment import Aligner, OnlineAligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.graph_search import GraphSearcher
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.align_vdba import AlignVdba
from lexalign.decoding.policies.token_replacement import TokenReplacement
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.policy import Policy
from lexalign.decoding.search import BeamSearch, search
from lexalign.models.transformer import Transformer

from ..alignment.small_models import embedding, sentences, small_model

CONSTRAINTS = [
    [
        TokenConstraint(alternatives=((7, 8),), source=(0, 1)),
        TokenConstraint(alternatives=((8, 9, 10), (11,)), source=(2,)),
    ],
    [],
    [TokenConstraint(alternatives=((20,),), source=(1,)), TokenConstraint(alternatives=((20,),))],
]
OPTIONS = SearchOptions(beam=4, n_best=2, max_length=20)
SOURCES = sentences(6, 9, 4)


def aligner(name: str, model: Transformer) -> Aligner:
    torch.manual_seed(3)
    heads = {"post-aln": PosteriorHead, "prior-att": PriorHead, "shift-aet": ShiftHead}
    if name in heads:
        head = heads[name](32, 4).eval().requires_grad_(False)
        return LearnedAligner(head, embedding(model), layer=1)
    return NaiveAttention(layer=1) if name == "naive-att" else ShiftedAttention(layer=1)


def policies(model: Transformer) -> dict[str, Policy]:
    online = cast(OnlineAligner, aligner("post-aln", model))
    return {
        "vdba": Vdba(),
        "joint": AlignVdba(aligner=online),
        "literal": AlignVdba(aligner=online, free_tokens="literal"),
        "replacement": TokenReplacement(aligner=online),
    }


@pytest.mark.parametrize("name", ["vdba", "joint", "literal"])
def test_constraints_are_met(name: str) -> None:
    model = small_model()
    for ranked in search(model, SOURCES, OPTIONS, policies(model)[name], CONSTRAINTS):
        for hypothesis in ranked:
            assert all(result.met for result in hypothesis.constraint_results)
    spans = [result.tokens for result in ranked[0].constraint_results]
    assert spans[0] != spans[1]


@pytest.mark.parametrize("autoregression", ["self-attention", "ssru"])
@pytest.mark.parametrize("name", ["vdba", "joint", "literal", "replacement"])
def test_static_tensors_give_the_same(name: str, autoregression: str) -> None:
    model = small_model(decoder_autoregression=autoregression)
    policy = policies(model)[name]
    expected = search(model, SOURCES, OPTIONS, policy, CONSTRAINTS)
    found = GraphSearcher(model, OPTIONS, policy).search(SOURCES, CONSTRAINTS)
    assert [[h.token_ids for h in ranked] for ranked in found] == [
        [h.token_ids for h in ranked] for ranked in expected
    ]


@pytest.mark.parametrize("name", ["vdba", "joint", "literal"])
def test_an_exact_search_finds_what_one_finds_that_never_stops(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = small_model()
    policy, exact = policies(model)[name], replace(OPTIONS, exact=True)
    found = search(model, SOURCES, exact, policy, CONSTRAINTS)
    monkeypatch.setattr(BeamSearch, "done", lambda self: self.beam.clock >= self.limits)
    endless = search(model, SOURCES, exact, policy, CONSTRAINTS)
    assert [[h.token_ids for h in ranked] for ranked in found] == [
        [h.token_ids for h in ranked] for ranked in endless
    ]


@pytest.mark.parametrize("autoregression", ["self-attention", "ssru"])
@pytest.mark.parametrize("name", ["naive-att", "prior-att", "shift-att", "shift-aet", "post-aln"])
def test_every_aligner_replaces_tokens(name: str, autoregression: str) -> None:
    model = small_model(decoder_autoregression=autoregression)
    policy = TokenReplacement(aligner=aligner(name, model))
    # Everything is aligned to some source token, so what translates all of them comes first.
    everywhere = [[TokenConstraint(alternatives=((7, 8),), source=tuple(range(6)))], [], []]
    found = search(model, SOURCES, OPTIONS, policy, everywhere)
    assert found[0][0].constraint_results[0].tokens == (0, 2)
    plain = search(model, SOURCES, OPTIONS)
    for index in (1, 2):
        assert [h.token_ids for h in found[index]] == [h.token_ids for h in plain[index]]


def test_log_probabilities_are_those_of_forced_decoding() -> None:
    model = small_model()
    for policy in policies(model).values():
        for index, ranked in enumerate(search(model, SOURCES, OPTIONS, policy, CONSTRAINTS)):
            for hypothesis in ranked:
                _assert_forced(model, index, hypothesis.token_ids, hypothesis.log_probability)


def _assert_forced(model: Transformer, index: int, tokens: tuple[int, ...], expected: float) -> None:
    vocabulary = model.vocabulary
    prefix = vocabulary.target_prefix
    source = model.encode(SOURCES[index : index + 1])
    logits = model.force(source, torch.tensor([[*prefix, *tokens]])).logits[0, len(prefix) - 1 :]
    logits[:, list(vocabulary.never_generated)] = float("-inf")
    chosen = logits.log_softmax(dim=1).gather(1, torch.tensor([[*tokens, vocabulary.eos_id]]).T)
    assert float(chosen.sum()) == pytest.approx(expected, abs=1e-3)
