"""A linear layer in the form that is fastest where it runs.

While a model is trained, or on a GPU, it is torch's own. For inference on a CPU its weights are packed once
for the matrix kernels: at the few dozen rows of a decoding step that is up to twice as fast in float32, and
int8 weights with activations quantised on the fly are three times faster still.
"""

import warnings
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lexalign.kernel_shapes import LEAST_ROWS, enough_rows
from lexalign.models.int8_products import RowInt8, SharedInt8
from lexalign.native.products import NativeProduct, float_product, int8_product
from lexalign.weights import Int8Rows, Weight

StoredPrecision = Literal["float32", "int8"]
# In `int8-shared` results depend on the other rows of a product, see `SharedInt8`.
Precision = Literal["float32", "int8", "int8-shared"]

# The number of rows for which oneDNN chooses a weight layout; any number may be multiplied later.
_TYPICAL_ROWS = 64

# oneDNN makes kernels for every number of rows it meets, a quarter of a mebibyte each, and never drops them.
# More rows are split into a multiple of these and a remainder, at hardly any cost.
_MAX_ROWS = 128
_MAX_TERMS_OF_ONE_ROW = 1024  # see `kernel_shapes`


class Projection(nn.Linear):
    """`residual + x Wᵀ + bias`, with an optional ReLU instead of the residual."""

    _packed: "NativeProduct | PackedFloat | RowInt8 | SharedInt8 | None" = None
    _precision: Precision | None = None  # that it is packed in
    _rows: Int8Rows | None = None

    def reset_parameters(self) -> None:
        """Initialise the weights, except on the meta device, where that imports half of torch's compiler."""
        if not self.weight.is_meta:
            super().reset_parameters()

    def use_int8(self, rows: Int8Rows) -> None:
        """Replace the weights by int8 ones, to be packed."""
        self._rows = rows
        self.weight = nn.Parameter(torch.empty(0), requires_grad=False)

    @property
    def stored(self) -> Weight:
        """The weights as they are stored, to `select` from; in int8 only if they are kept."""
        return self.weight.detach() if self._rows is None else self._rows

    def pack(
        self,
        precision: Precision,
        scale: Tensor | None = None,
        *,
        nonnegative: bool = False,
        keep_rows: bool = False,
    ) -> None:
        """Pack the weights for inference on a CPU, with each output multiplied by its `scale`.

        Inputs that are `nonnegative` are overwritten in int8. Afterwards the layer can be neither trained nor
        moved to another device.
        """
        self._precision = precision
        bias = None if self.bias is None else self.bias.detach()
        if scale is not None and bias is not None:
            bias = bias * scale
        if precision == "float32":
            weight = self.weight.detach() if scale is None else self.weight.detach() * scale[:, None]
            self._packed = float_product(weight, bias) or PackedFloat(weight, bias)
            return
        if self._rows is None:
            self.use_int8(Int8Rows.of(self.weight))
        rows = self._rows
        assert rows is not None
        if scale is not None:
            rows = Int8Rows(rows.values, rows.scales * scale)
        if not keep_rows:
            self._rows = None  # freed before packing makes another copy
        self._packed = (
            None if precision == "int8-shared" else int8_product(rows, bias, nonnegative=nonnegative)
        )
        if self._packed is None:
            self._packed = _torch_product(precision, rows, bias, nonnegative)

    def select(self, weight: Weight, index: Tensor) -> "Projection":
        """The same projection to some of its outputs; `weight` is what it is made from, see `stored`."""
        selected = Projection(self.in_features, len(index), bias=False, device="meta")
        if self.bias is not None:
            selected.bias = nn.Parameter(self.bias.detach()[index], requires_grad=False)
        if isinstance(weight, Int8Rows):
            selected.use_int8(Int8Rows(weight.values.index_select(0, index), weight.scales[index]))
        else:
            selected.weight = nn.Parameter(weight.index_select(0, index), requires_grad=False)
        if self._precision is not None:
            selected.pack(self._precision)
        return selected

    @property
    def native(self) -> NativeProduct | None:
        """The packed weights, for kernels that take them."""
        return self._packed if isinstance(self._packed, NativeProduct) else None

    def forward(self, x: Tensor, *, residual: Tensor | None = None, relu: bool = False) -> Tensor:
        if self._packed is not None:
            return self._packed(x, residual, relu)
        out = F.linear(x, self.weight, self.bias)
        if relu:
            return F.relu(out)
        return out if residual is None else out + residual


def _torch_product(
    precision: Precision, rows: Int8Rows, bias: Tensor | None, nonnegative: bool
) -> RowInt8 | SharedInt8:
    quantised = _quantised(rows)
    return (
        SharedInt8(quantised, bias) if precision == "int8-shared" else RowInt8(quantised, bias, nonnegative)
    )


def _quantised(rows: Int8Rows) -> Tensor:
    """int8 weights as a quantised tensor of torch.

    One scale is told from one for each row: of the latter, torch looks at each by itself when it packs them.
    """
    scales = rows.scales.double()
    with warnings.catch_warnings():
        # Torch means to drop quantised tensors one day; its newer int8 kernels are slower at few rows.
        warnings.simplefilter("ignore", UserWarning)
        if bool((scales == scales[0]).all()):
            return torch._make_per_tensor_quantized_tensor(rows.values, float(scales[0]), 0)
        zero = torch.zeros(len(scales), dtype=torch.int64)
        return torch._make_per_channel_quantized_tensor(rows.values, scales, zero, 0)


class PackedFloat:
    """Weights in oneDNN's blocked layout; ReLU and the residual are fused into the product."""

    def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
        self._plain = weight
        self._bias = bias
        self._weight = None
        if torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
            self._weight = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), _TYPICAL_ROWS)
        # Fewer rows are summed in another order, see `kernel_shapes`.
        packed_rows = 2 if weight.shape[1] > _MAX_TERMS_OF_ONE_ROW else 1
        self._least_rows = LEAST_ROWS if self._weight is None else packed_rows

    def __call__(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        num_rows = x.numel() // x.shape[-1]
        if num_rows < self._least_rows:
            return self._few(x.reshape(num_rows, -1), residual, relu).view(*x.shape[:-1], -1)
        if self._weight is None:
            plain = F.linear(x, self._plain, self._bias)
            plain = F.relu(plain) if relu else plain
            return plain if residual is None else plain + residual
        if num_rows <= _MAX_ROWS or num_rows % _MAX_ROWS == 0:
            return self._product(x, residual, relu)
        rows = x.reshape(num_rows, -1)
        added = None if residual is None else residual.reshape(num_rows, -1)
        whole = num_rows - num_rows % _MAX_ROWS
        parts = [
            self(rows[part], None if added is None else added[part], relu)
            for part in (slice(whole), slice(whole, None))
        ]
        return torch.cat(parts).view(*x.shape[:-1], -1)

    def _few(self, rows: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        added = None if residual is None else enough_rows(residual.reshape(len(rows), -1), self._least_rows)
        return self(enough_rows(rows, self._least_rows), added, relu)[: len(rows)]

    def _product(self, x: Tensor, residual: Tensor | None, relu: bool) -> Tensor:
        out: Tensor
        if residual is not None:
            operation = torch.ops.mkldnn._linear_pointwise.binary
            out = operation(x, residual, self._weight, self._bias, "add")
        else:
            operation = torch.ops.mkldnn._linear_pointwise.default
            out = operation(x, self._weight, self._bias, "relu" if relu else "none", [], "")
        return out
