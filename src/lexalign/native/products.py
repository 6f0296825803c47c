"""Products with packed weights: `residual + x Wᵀ + bias`, or with a ReLU, in float32 or int8.

A float32 product has the bits of oneDNN's: it adds the same terms in the same order. An int8 product is exact
between rounding a row and scaling it back, so a row gives the same in every batch.
"""

import ctypes

import torch
from torch import Tensor

from lexalign.kernel_shapes import LANES, SUM_BLOCK
from lexalign.native.library import kernels
from lexalign.native.structures import Product, address
from lexalign.weights import Int8Rows

_INT8_STEPS, _NONNEGATIVE_STEPS = 127, 255


class NativeProduct:
    """Made by `float_product` or `int8_product`; `structure` is what other kernels take."""

    def __init__(self, structure: Product, tensors: tuple[Tensor | None, ...]) -> None:
        library = kernels()
        assert library is not None
        self.structure = structure
        self._tensors = tensors  # the structure has only their addresses
        self._multiply = library.multiply
        self._pointer = ctypes.byref(structure)

    def __deepcopy__(self, memo: object) -> "NativeProduct":
        return self  # nothing changes it

    def __call__(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        x = x.contiguous()
        out = x.new_empty(*x.shape[:-1], self.structure.columns)
        added = None if residual is None else residual.contiguous()
        self._multiply(
            self._pointer,
            ctypes.c_void_p(x.data_ptr()),
            ctypes.c_int64(x.numel() // self.structure.terms),
            ctypes.c_void_p(0 if added is None else added.data_ptr()),
            ctypes.c_bool(relu),
            ctypes.c_void_p(out.data_ptr()),
        )
        return out


def linear_product(weight: Tensor) -> NativeProduct | None:
    """As `float_product`, with the bits of torch's own linear layer, which is MKL's."""
    if weight.device.type != "cpu" or weight.dtype != torch.float32 or weight.shape[1] % LANES:
        return None
    terms = weight.shape[1]
    block = terms if terms <= SUM_BLOCK else terms // 2 if terms < 2 * SUM_BLOCK else SUM_BLOCK
    return float_product(weight.detach(), None, block)


def float_product(weight: Tensor, bias: Tensor | None, block: int | None = None) -> NativeProduct | None:
    """The product with weights (columns, terms), or None where there are no kernels."""
    library = kernels()
    if library is None:
        return None
    columns, terms = weight.shape
    weight, bias = weight.contiguous(), None if bias is None else bias.contiguous()
    packed = torch.empty(library.packed_columns(columns) * terms)
    library.pack_float(address(weight), ctypes.c_int64(columns), ctypes.c_int64(terms), address(packed))
    structure = Product(
        weights=packed.data_ptr(),
        bias=0 if bias is None else bias.data_ptr(),
        columns=columns,
        terms=terms,
        block=block or _sum_block(terms),
    )
    return NativeProduct(structure, (packed, bias))


def int8_product(rows: Int8Rows, bias: Tensor | None, *, nonnegative: bool) -> NativeProduct | None:
    """The product with int8 weights, for activations of any sign or for such as are never negative."""
    library = kernels()
    if library is None:
        return None
    columns, terms = rows.shape
    padded = library.packed_columns(columns)
    zero_point, steps = (0, _NONNEGATIVE_STEPS) if nonnegative else (128, _INT8_STEPS)
    values, bias = rows.values.contiguous(), None if bias is None else bias.contiguous()
    packed = torch.empty(padded * library.packed_terms(terms), dtype=torch.int8)
    offsets = torch.empty(padded, dtype=torch.int32)
    sizes = (ctypes.c_int64(columns), ctypes.c_int64(terms), ctypes.c_int64(zero_point))
    library.pack_int8(address(values), *sizes, address(packed), address(offsets))
    scales = torch.zeros(padded)
    scales[:columns] = rows.scales / steps
    structure = Product(
        weights=packed.data_ptr(),
        scales=scales.data_ptr(),
        offsets=offsets.data_ptr(),
        bias=0 if bias is None else bias.data_ptr(),
        columns=columns,
        terms=terms,
        zero_point=zero_point,
    )
    return NativeProduct(structure, (packed, scales, offsets, bias))


def _sum_block(terms: int) -> int:
    """How many terms oneDNN sums before it adds the sum to the result."""
    return 512 if terms <= 1024 else 1024
