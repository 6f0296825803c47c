"""On a GPU, searches with kernels find what searches by torch's operations find."""

import pytest
import torch

from lexalign.decoding.search import search
from lexalign.native.nvrtc import cubin_for
from lexalign.native.step_kernels import DeviceKernels, step_kernels, try_kernels
from tests.native.constrained_searches import (
    EVERY_POLICY,
    POLICIES,
    Case,
    assert_alike,
    comparing_steps,
    make_model,
    make_policy,
    make_sources,
    search_batches,
)

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA GPU")

BEAMS = (1, 5, 10)
# A float32 may be rounded otherwise in another order of a softmax.
TOLERANCE = 1e-4


def make_case(beam: int, seed: int, words: bool = True) -> Case:
    return Case(seed=seed, beam=beam, most=3, words=words, n_best=1, exact=False, repeated=seed % 2 == 0)


def test_kernels_are_there() -> None:
    """If not, the error is that of the compiler or the driver."""
    torch.zeros(1, device="cuda")  # a module is loaded into a context, which torch makes
    try_kernels(DeviceKernels(cubin_for(torch.cuda.get_device_capability())), torch.device("cuda"))
    assert isinstance(step_kernels(torch.device("cuda")), DeviceKernels)


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("name", POLICIES)
def test_a_step_is_the_same(name: str, beam: int) -> None:
    for seed in (1, 2):
        case = make_case(beam, seed, words=seed == 1)
        model = make_model(seed, "cuda")
        policy = make_policy(name, model, case.words)
        with comparing_steps(name, TOLERANCE):
            search(model, make_sources(case, model), case.options(), policy, case.constraints())


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("name", EVERY_POLICY)
def test_recorded_searches_find_the_same(name: str, beam: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = search_batches(name, beam, "cuda")
    monkeypatch.setenv("LEXALIGN_NATIVE", "0")
    assert_alike(ours, search_batches(name, beam, "cuda"), TOLERANCE)
