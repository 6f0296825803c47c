"""The kernels of a GPU give the bits of torch's operations: their source, run on a CPU by an emulation."""

import ctypes
from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexalign.alignment import aligner as alignment_module
from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.learned import PosteriorHead
from lexalign.contracts.model import DecoderOutput, EncodedSource
from lexalign.decoding.policies import bank_kernels, replacement_kernels, unconstrained
from lexalign.native import device_listing, nvrtc, step_kernels
from tests.native.constrained_searches import (
    POLICIES,
    Case,
    assert_alike,
    comparing_steps,
    run,
    search_batches,
)
from tests.native.emulated_kernels import EmulatedKernels, compile_emulation

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


@pytest.fixture(scope="module")
def emulation(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    library = compile_emulation(tmp_path_factory.mktemp("emulation"))
    if library is None:
        pytest.skip("no C++ compiler")
    return library


@pytest.fixture
def emulated(emulation: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch) -> EmulatedKernels:
    """Searches use the emulation; torch's operations find the first of equals, by a kernel of a CPU."""
    ours = EmulatedKernels(emulation, threads=7)
    for module in (bank_kernels, replacement_kernels, unconstrained):
        monkeypatch.setattr(module, "step_kernels", lambda _: ours)
    return ours


def test_a_trial_tells_of_kernels_that_do_nothing(
    emulated: EmulatedKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    step_kernels.try_kernels(emulated, torch.device("cpu"))
    monkeypatch.setattr(EmulatedKernels, "run", lambda *_, **__: None)
    with pytest.raises(RuntimeError, match="a trial of the kernels gives"):
        step_kernels.try_kernels(emulated, torch.device("cpu"))


def test_torch_does_the_work_where_kernels_do_not_compile(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "device", lambda _: nullcontext())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(synchronize=lambda: None))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _: (9, 0))
    monkeypatch.setattr(nvrtc, "nvrtc", _no_library)
    assert step_kernels.step_kernels(torch.device("cuda", 77)) is None
    assert "constraints run as operations of torch, which is slower: no libnvrtc" in caplog.text


def _no_library() -> ctypes.CDLL:
    raise nvrtc.CompilationError("no libnvrtc")


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=CASES)
def test_a_step_is_the_same_to_the_last_bit(case: Case, name: str, emulated: EmulatedKernels) -> None:
    with comparing_steps(name):
        run(case, name)
    assert emulated.calls["scan_rows"]
    assert emulated.calls["select_by_replacement" if name == "replace" else "select_by_banks"]


@pytest.mark.parametrize("beam", [1, 5])
@pytest.mark.parametrize("name", ["plain", "vdba", "guided", "replace"])
def test_recorded_searches_find_the_same(
    name: str, beam: int, emulated: EmulatedKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = search_batches(name, beam)
    assert emulated.calls["scan_rows"]
    for module in (bank_kernels, replacement_kernels, unconstrained):
        monkeypatch.setattr(module, "step_kernels", lambda _: None)
    assert_alike(ours, search_batches(name, beam), tolerance=1e-5)


@pytest.mark.parametrize("name", ["vdba", "guided", "replace"])
def test_memory_and_places_that_are_too_small(
    name: str, emulated: EmulatedKernels, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks then work in a tensor, and find the best tokens one by one."""
    monkeypatch.setattr(step_kernels, "_SHARED_BYTES", 64)
    monkeypatch.setattr(device_listing, "_CAPACITY", 3)
    case = Case(seed=4, beam=5, most=3, words=True, n_best=1, exact=False, repeated=True)
    with comparing_steps(name):
        run(case, name)
    assert emulated.calls["scan_rows"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_alignments_of_pairs(
    dtype: torch.dtype,
    temperature: float,
    emulated: EmulatedKernels,
    without_kernels: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """But for the order in which a softmax sums."""
    without_kernels()
    torch.manual_seed(1)
    width, batch, rows, pairs, size = 32, 3, 4, 19, 50
    head = PosteriorHead(width, heads=4).requires_grad_(False).to(dtype)
    aligner = LearnedAligner(head, torch.randn(size, width).to(dtype), layer=1, temperature=temperature)
    mask = torch.arange(7)[None] < torch.tensor([7, 1, 5])[:, None]
    source = EncodedSource(states=3 * torch.randn(batch, 7, width, dtype=dtype), mask=mask)
    output = DecoderOutput(logits=torch.zeros(1), query=3 * torch.randn(batch, rows, width, dtype=dtype))
    memory = aligner.remember(source)
    row, tokens = torch.randint(rows, (batch, pairs)), torch.randint(size, (batch, pairs))
    candidates = torch.randint(size, (batch, rows, 3))
    plain = aligner.align_pairs(memory, output, row, tokens)
    plain_candidates = aligner.align_candidates(memory, output, candidates)
    monkeypatch.setattr(alignment_module, "step_kernels", lambda _: emulated)
    ours = aligner.align_pairs(memory, output, row, tokens)
    torch.testing.assert_close(ours, plain, rtol=0.0, atol=1e-6)
    found = aligner.align_candidates(memory, output, candidates)
    torch.testing.assert_close(found, plain_candidates, rtol=0.0, atol=1e-6)
    assert emulated.calls == {"ask_pairs": 2, "attend_to_source": 2}
