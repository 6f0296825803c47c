"""Searches with constraints find the same with kernels and without them."""

from collections.abc import Callable

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.contracts.constraint import TokenConstraint
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.bank_kernels import BankKernels
from lexalign.decoding.search import search
from tests.native.constrained_searches import POLICIES, Case, comparing_steps, make_model, make_policy, run

CASES = st.builds(
    Case,
    seed=st.integers(0, 10_000),
    beam=st.sampled_from([1, 2, 5, 7]),
    most=st.integers(1, 4),
    words=st.booleans(),
    n_best=st.just(1),
    exact=st.booleans(),
    repeated=st.booleans(),
)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
def test_finds_the_same_without_kernels(
    case: Case, name: str, without_kernels: Callable[[], None], with_kernels: Callable[[], None]
) -> None:
    """But for the last bits: hypotheses that can never win may differ, and with them the cache's places."""
    with_kernels()
    found = run(case, name)
    without_kernels()
    for ours, plain in zip(found, run(case, name), strict=True):
        assert [one.token_ids for one in ours] == [one.token_ids for one in plain]
        assert [one.score for one in ours] == pytest.approx([one.score for one in plain], abs=1e-5)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
def test_a_step_is_the_same_to_the_last_bit(case: Case, name: str) -> None:
    with comparing_steps(name):
        run(case, name)


def test_kernels_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where something is preferred or avoided, which they do not know."""
    calls: list[int] = []
    commit = BankKernels.commit

    def count(kernels: BankKernels) -> None:
        calls.append(1)
        commit(kernels)

    monkeypatch.setattr(BankKernels, "commit", count)
    model = make_model(1)
    source_ids = torch.tensor([[5, 6, 7, 1]])
    for kind in ("must", "prefer", "avoid"):
        calls.clear()
        wish = TokenConstraint(alternatives=((9, 8),), source=(1,), kind=kind)
        must = TokenConstraint(alternatives=((7,),), source=(2,))
        search(model, source_ids, SearchOptions(), make_policy("guided", model, True), [[must, wish]])
        assert bool(calls) == (kind == "must")
