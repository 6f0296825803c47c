"""The weights of a CTranslate2 model of any revision, and what they tell of its shape."""

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.ctranslate2.binary import BinaryModel
from lexalign.interop.ctranslate2.vocabulary import TokenTable
from lexalign.weights import Weight

REVISIONS = range(2, 8)
_HEADS = {"TransformerSpec": None, "TransformerBase": 8, "TransformerBig": 16}  # by specification
# Attributes that this file reads, and those that say nothing of what a model computes.
_KNOWN = {
    "num_heads", "pre_norm", "activation", "embeddings_merge", "scale_embeddings", "multiply_by_sqrt_depth",
    "scale_outputs", "start_from_zero_embedding", "queries_scale", "relative_attention_max_distance",
    "head_dim", "alignment_layer", "alignment_heads", "layernorm_embedding", "with_source_bos",
    "with_source_eos", "with_target_bos", "alibi_use_positive_positions", "scale_alibi",
    "with_relative_position",
}  # fmt: skip
# Features that our model does not have, unless they are off.
_MUST_BE_OFF = {"alibi", "multi_query_attention", "user_decoder_start_tokens"}


class CTranslate2Weights:
    """The weights under their current names, and what they and the attributes tell of the model.

    Implements `Weights`.
    """

    def __init__(self, binary: BinaryModel) -> None:
        _check_specification(binary)
        self._binary = binary
        self._own = {_current_name(name): name for name in binary.weights}
        self._attributes = {
            name.replace("/embeddings/", "/"): value for name, value in binary.attributes.items()
        }
        linear = [name.removesuffix("/weight") for name in self._own if name.endswith("/weight")]
        in_layers = [name for name in linear if "/layer_" in name]
        self.biased = any(f"{name}/bias" in self._own for name in in_layers)
        # A projection without bias beside others that have one.
        unbiased = [name for name in in_layers if self.biased and f"{name}/bias" not in self._own]
        self._zeros = {f"{name}/bias": f"{name}/weight" for name in unbiased}

    @property
    def names(self) -> set[str]:
        return {*self._own, *self._zeros}

    def get(self, name: str) -> Weight:
        if name in self._zeros:
            return torch.zeros(self.tensor(self._zeros[name]).shape[0])
        return self._binary.read(self._own[name])

    def tensor(self, name: str) -> Tensor:
        """A weight as it is stored, for its shape and type."""
        if name not in self._own:
            raise LexalignError(f"weight {name} is missing; the model is incomplete, or of another kind")
        return self._binary.find(self._own[name])

    def attribute(self, name: str, default: float) -> float:
        """An attribute; in older revisions it has no side."""
        return self._attributes.get(name, self._attributes.get(name.partition("/")[2], default))

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self.attribute(name, default))

    def both(self, name: str, default: float) -> float:
        """An attribute that encoder and decoder must agree in."""
        values = [self.attribute(f"{side}/{name}", default) for side in ("encoder", "decoder")]
        if values[0] != values[1]:
            raise LexalignError(
                f"{name} is {values[0]} in the encoder and {values[1]} in the decoder; they must be the same"
            )
        return values[0]

    def has(self, name: str) -> bool:
        """Whether both sides have a weight, or none."""
        found = [f"{side}/{name}" in self._own for side in ("encoder", "decoder")]
        if found[0] != found[1]:
            raise LexalignError(f"only one of encoder and decoder has {name}; such models are not supported")
        return found[0]

    def layers(self, side: str) -> int:
        numbers = {name.split("/")[1] for name in self._own if name.startswith(f"{side}/layer_")}
        return len(numbers - {"layer_norm"})

    def heads(self, side: str) -> int:
        return int(self.attribute(f"{side}/num_heads", _HEADS[self._binary.specification] or 8))

    @property
    def width(self) -> int:
        return self.tensor("decoder/embeddings/weight").shape[1]

    @property
    def gated(self) -> bool:
        return self.has("layer_0/ffn/linear_0_noact/weight")

    @property
    def relative_bias(self) -> bool:
        return self.has("layer_0/self_attention/relative_attention_bias")

    @property
    def relative_vectors(self) -> bool:
        return self.has("layer_0/self_attention/relative_position_keys")

    def check_supported(self) -> None:
        for name, value in self._attributes.items():
            leaf = name.rpartition("/")[2]
            if leaf == "num_heads_kv" and value == self.heads(name.partition("/")[0]):
                continue
            if leaf not in _KNOWN and (value or leaf not in _MUST_BE_OFF):
                raise LexalignError(f"{name} is {value}; models with this feature are not supported")
        for name in self._own:
            if name.endswith("relative_attention_bias"):
                self._check_shared_bias(name)

    def _check_shared_bias(self, name: str) -> None:
        first = self.tensor(f"{name.partition('/')[0]}/layer_0/self_attention/relative_attention_bias")
        if not torch.equal(self.tensor(name), first):
            raise LexalignError(f"{name} is not that of the first layer; such models are not supported")

    def check_sizes(self, source: TokenTable, target: TokenTable) -> None:
        for side, table in (("encoder/embeddings_0", source), ("decoder/embeddings", target)):
            rows, tokens = self.tensor(f"{side}/weight").shape[0], len(set(table.rows) - {-1})
            if rows != tokens:
                raise LexalignError(
                    f"the vocabulary has {tokens} tokens and {side} {rows} rows; they are of different models"
                )


def _current_name(name: str) -> str:
    """Older revisions have one embedding of the source, without a number."""
    return name.replace("encoder/embeddings/", "encoder/embeddings_0/")


def _check_specification(binary: BinaryModel) -> None:
    if binary.specification not in _HEADS:
        raise LexalignError(
            f"a model of the kind {binary.specification!r}; only translation models (TransformerSpec) "
            "can be imported"
        )
    if binary.revision not in REVISIONS:
        raise LexalignError(
            f"revision {binary.revision} of {binary.specification}; revisions {REVISIONS[0]} to "
            f"{REVISIONS[-1]} can be imported"
        )
