"""Triton's kernels give what plain torch gives, and so do their gradients.

They run where there is a GPU, or slowly in Triton's interpreter: with `TRITON_INTERPRET=1` and numpy < 2.4.
"""

import os

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.models.layers import drop_by_bytes
from lexalign.training.packed_attention import cross_attention, self_attention

pytest.importorskip("triton", reason="the kernels are written in Triton, which is not installed")
if not torch.cuda.is_available() and os.environ.get("TRITON_INTERPRET") != "1":
    pytest.skip("Triton's kernels need a GPU, or TRITON_INTERPRET=1", allow_module_level=True)

import lexalign.training.attention_kernels
import lexalign.training.norm_kernels  # noqa: F401

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 1e-2}
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
PRODUCTS = pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [
        (torch.float32, 5e-3 if DEVICE == "cuda" else 1e-5),  # a GPU multiplies with ten bits
        pytest.param(
            torch.bfloat16,
            1e-2,
            marks=pytest.mark.skipif(DEVICE == "cpu", reason="Triton's interpreter has no such products"),
        ),
    ],
    ids=["float32", "bfloat16"],
)


def random(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, device=DEVICE).to(dtype).requires_grad_()


def assert_alike(found: list[Tensor], expected: list[Tensor], tolerance: float) -> None:
    for one, other in zip(found, expected, strict=True):
        distance = (one.float() - other.float()).norm() / other.float().norm().clamp_min(1e-6)
        assert float(distance.detach()) < tolerance


def plain_end(
    x: Tensor, residual: Tensor, noise: Tensor | None, added: Tensor | None, norm: list[Tensor]
) -> list[Tensor]:
    value = x.float() if added is None else x.float() + added
    value = value if noise is None else drop_by_bytes(value, 0.3, noise)
    total = (residual.float() + value).to(x.dtype)
    weight, bias = norm
    return [F.layer_norm(total.float(), weight.shape, weight, bias, 1e-5).to(x.dtype), total]


@DTYPES
@pytest.mark.parametrize("both", [False, True], ids=["post", "pre"])
@pytest.mark.parametrize("adds", [False, True], ids=["plain", "bias"])
@pytest.mark.parametrize("drops", [False, True], ids=["eval", "dropout"])
@pytest.mark.parametrize(("num_rows", "width"), [(1, 64), (37, 48), (67, 512), (5, 1024)])
def test_the_end_of_a_sublayer(
    num_rows: int, width: int, drops: bool, adds: bool, both: bool, dtype: torch.dtype
) -> None:
    torch.manual_seed(1)
    x, residual = random(num_rows, width, dtype=dtype), random(num_rows, width, dtype=dtype)
    norm, added = [random(width), random(width)], random(width) if adds else None
    noise = torch.randint(0, 256, x.shape, dtype=torch.uint8, device=DEVICE) if drops else None
    inputs = [x, residual, *norm, *([] if added is None else [added])]
    expected = plain_end(x, residual, noise, added, norm)
    found = list(torch.ops.lexalign.add_norm(x, residual, noise, added, *norm, 0.3, 1e-5, both)[:2])
    assert_alike(found, expected, TOLERANCE[dtype])
    used = slice(None) if both else slice(1)
    gradients = [random(num_rows, width, dtype=dtype).detach() for _ in expected[used]]
    wanted = torch.autograd.grad(expected[used], inputs, gradients)
    assert_alike(list(torch.autograd.grad(found[used], inputs, gradients)), list(wanted), TOLERANCE[dtype])


def starts_of(*lengths: int) -> Tensor:
    return torch.tensor([0, *lengths], device=DEVICE).cumsum(0).int()


@PRODUCTS
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("lengths", [(7, 0, 100, 32, 33, 1), (1,), (5,) * 131 + (70, 0)], ids=len)
def test_self_attention(lengths: tuple[int, ...], causal: bool, dtype: torch.dtype, tolerance: float) -> None:
    """Some sentences have several programs, and some have one; long ones are found among both."""
    torch.manual_seed(1)
    starts, qkv = starts_of(*lengths), random(sum(lengths), 3 * 64, dtype=dtype)
    gradient = random(sum(lengths), 64, dtype=dtype).detach()
    results = []
    for kernel in ("triton", "masked"):
        out = self_attention(qkv, starts, max(lengths), 2, causal=causal, kernel=kernel)
        results.append([out, *torch.autograd.grad(out, qkv, gradient)])
    assert_alike(results[0], results[1], tolerance)


@PRODUCTS
def test_cross_attention(dtype: torch.dtype, tolerance: float) -> None:
    torch.manual_seed(1)
    starts, memory_starts = starts_of(7, 100, 32, 33, 0), starts_of(40, 65, 1, 90, 0)
    query, memory = random(172, 64, dtype=dtype), random(196, 128, dtype=dtype)
    gradient = random(172, 64, dtype=dtype).detach()
    results = []
    for kernel in ("triton", "masked"):
        out = cross_attention(query, memory, starts, memory_starts, 100, 2, kernel=kernel)
        results.append([out, *torch.autograd.grad(out, [query, memory], gradient)])
    assert_alike(results[0], results[1], tolerance)
