"""Whole searches with kernels find what torch's operations find, to the last bit."""

from collections.abc import Callable
from copy import deepcopy

import pytest
import torch

from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from tests.native.constrained_searches import Case, make_model, make_policy, make_sources

OPTIONS = {
    "n best": SearchOptions(beam=5, n_best=4, max_length=20),
    "greedy": SearchOptions(beam=1, max_length=20),
    "exact": SearchOptions(beam=3, n_best=2, max_length=20, exact=True),
    "a length penalty of its own": SearchOptions(beam=4, n_best=3, max_length=20, length_penalty=0.7),
    "no length penalty": SearchOptions(beam=4, max_length=20, length_penalty=0.0),
    "a minimum": SearchOptions(beam=4, n_best=2, max_length=20, min_length=6),
    "a few tokens": SearchOptions(beam=4, n_best=4, max_length=2),
}


def find(options: SearchOptions, policy: str) -> list[list[Hypothesis]]:
    case = Case(
        seed=5, beam=options.beam, most=2, words=True, n_best=options.n_best, exact=False, repeated=False
    )
    model = make_model(case.seed)
    asked = None if policy == "plain" else case.constraints()
    return search(model, make_sources(case, model), options, make_policy(policy, model, words=True), asked)


@pytest.mark.parametrize("policy", ["plain", "vdba", "guided", "replace"])
@pytest.mark.parametrize("name", OPTIONS)
def test_a_search_is_the_same(name: str, policy: str, without_kernels: Callable[[], None]) -> None:
    found = find(OPTIONS[name], policy)
    without_kernels()
    assert find(OPTIONS[name], policy) == found


@torch.inference_mode()
def test_who_looks_ahead_changes_nothing() -> None:
    case = Case(seed=5, beam=3, most=0, words=False, n_best=1, exact=False, repeated=False)
    model = make_model(case.seed)

    def walk(looks: bool) -> list[torch.Tensor]:
        state, found = model.start(model.encode(make_sources(case, model)), beam=3), []
        choice = torch.Generator().manual_seed(3)
        for step in range(30):
            if step % 8 == 0:
                state.reserve(8)
            tokens = torch.randint(4, 60, (4, 3 if step else 1), generator=choice)
            if looks and step:
                other = deepcopy(state)
                other.reorder(torch.zeros(4, 3, dtype=torch.int64))
                other.reserve(1)
                model.step(other, tokens.flip(0))
            found.append(model.step(state, tokens).logits)
            state.reorder(torch.randint(0, 3 if step else 1, (4, 3), generator=choice))
        return found

    for one, other in zip(walk(looks=False), walk(looks=True), strict=True):
        assert torch.equal(one, other)
