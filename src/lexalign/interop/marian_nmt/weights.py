"""The weights of a Marian model by our names.

Marian has no padding, and starts a decoder from a vector of zeros. Here that is an entry of the vocabulary
behind all others, whose vector is zero; two vocabularies get the same size.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from lexalign.contracts.errors import LexalignError
from lexalign.interop.key_map import marian_names
from lexalign.interop.marian_nmt.tensors import SETTINGS, MarianTensors
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.weights import Int8Rows, Weight

SOURCE, TARGET, OUTPUT, BIAS = (
    "encoder.embedding.tokens.weight",
    "decoder.embedding.tokens.weight",
    "output.weight",
    "output.bias",
)
_OUTPUT, _OUTPUT_BIAS = "decoder_ff_logit_out_W", "decoder_ff_logit_out_b"
# Scales of activations are not used: a scale for each row, which is found in passing, is more exact.
_ACTIVATION_SCALE = "_QuantMultA"


class MarianWeights:
    """Checks that no weight is missing, unused, or of another shape than the config says."""

    def __init__(self, tensors: MarianTensors, config: ModelConfig) -> None:
        self._tensors, self._config = tensors, config
        with torch.device("meta"):
            self._wanted = dict(Transformer(config).named_parameters())
        self._parts = {name: self._names(name) for name in self._wanted}
        self._check()

    @property
    def names(self) -> list[str]:
        return list(self._wanted)

    @property
    def in_int8(self) -> bool:
        return any(isinstance(self._matrix(name), Int8Rows) for name in self._parts if self._is_matrix(name))

    def load(self, name: str) -> Weight:
        if not self._is_matrix(name):
            return self._vector(name)
        weight = self._matrix(name)
        rows = self._wanted[name].shape[0] if name in (SOURCE, TARGET, OUTPUT) else weight.shape[0]
        weight = _with_rows(weight, rows)
        if tuple(weight.shape) != tuple(self._wanted[name].shape):
            raise LexalignError(
                f"weight {self._parts[name][0]} is {tuple(weight.shape)}, "
                f"and the model's options say {tuple(self._wanted[name].shape)}"
            )
        return weight

    def _is_matrix(self, name: str) -> bool:
        return self._wanted[name].dim() == 2

    def _names(self, name: str) -> list[str]:
        shared = self._config.tied_encoder_decoder
        tables = {
            SOURCE: "Wemb" if shared else "encoder_Wemb",
            TARGET: "Wemb" if shared else "decoder_Wemb",
            OUTPUT: _OUTPUT,
            BIAS: _OUTPUT_BIAS,
        }
        return [tables[name]] if name in tables else marian_names(name)

    def _matrix(self, name: str) -> Weight:
        return _joined([self._tensors.matrix(part) for part in self._parts[name]])

    def _vector(self, name: str) -> Tensor:
        size, parts = self._wanted[name].shape[0], self._parts[name]
        found = [self._tensors.vector(part) if part else torch.zeros(size // len(parts)) for part in parts]
        vector = torch.cat(found)
        if name == BIAS:
            vector = F.pad(vector, (0, size - len(vector)))
        if len(vector) != size:
            raise LexalignError(f"weight {parts[-1]} has {len(vector)} values, and {size} are needed")
        return vector

    def _check(self) -> None:
        used = {part for parts in self._parts.values() for part in parts if part}
        if missing := sorted(used - self._tensors.names):
            raise LexalignError(
                f"weight {missing[0]} is missing; the model is incomplete, or of another kind"
            )
        extra = {
            name
            for name in self._tensors.names - used
            if name != SETTINGS and not name.endswith(_ACTIVATION_SCALE)
        }
        if extra:
            raise LexalignError(f"weight {min(extra)} is not known; models of this kind cannot be imported")


def _joined(parts: Sequence[Weight]) -> Weight:
    if len(parts) == 1:
        return parts[0]
    quantised = [part for part in parts if isinstance(part, Int8Rows)]
    if len(quantised) == len(parts):
        return Int8Rows(
            torch.cat([part.values for part in quantised]), torch.cat([part.scales for part in quantised])
        )
    return torch.cat([part.dequantised() if isinstance(part, Int8Rows) else part for part in parts])


def _with_rows(weight: Weight, rows: int) -> Weight:
    """The weight with rows of zeros at its end."""
    missing = rows - weight.shape[0]
    if isinstance(weight, Int8Rows):
        last = weight.scales[-1:].expand(max(missing, 0))
        return Int8Rows(F.pad(weight.values, (0, 0, 0, missing)), torch.cat([weight.scales, last]))
    return F.pad(weight, (0, 0, 0, missing))
