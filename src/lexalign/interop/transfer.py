"""Conversion of another toolkit's weights to a model folder, one tensor at a time.

Embeddings are tied if the weights are equal: those of source and target, or of target and output.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.hub_tokenizers import ForeignVocabulary
from lexalign.interop.key_map import KeyMap, their_names
from lexalign.interop.weight_files import ChangedWeights, Changes, Weights
from lexalign.models.config import ModelConfig
from lexalign.models.folder import stream_model
from lexalign.models.projection import StoredPrecision
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.subwords import Languages
from lexalign.weights import Int8Rows, Weight

SOURCE, TARGET, OUTPUT, BIAS = (
    "encoder.embedding.tokens.weight",
    "decoder.embedding.tokens.weight",
    "output.weight",
    "output.bias",
)
_FLOATS = (torch.float32, torch.float16, torch.bfloat16)

Parts = Mapping[str, list[str]]  # their names of the parts of each weight of ours


@dataclass(frozen=True, kw_only=True)
class ForeignModel:
    """A model of another toolkit, without its weights."""

    config: ModelConfig  # which embeddings are tied is seen from the weights
    vocabulary: ForeignVocabulary
    key_map: KeyMap
    changes: Changes = field(default_factory=dict)  # of weights, by their names of them
    stored: StoredPrecision = "float32"  # int8 where its weights are


def transfer(
    model: ForeignModel,
    weights: Weights,
    folder: Path,
    notes: dict[str, Any],
    stored: StoredPrecision = "float32",
    languages: Languages | None = None,
) -> ModelConfig:
    """Write a model folder atomically; the returned config says which embeddings are tied.

    Weights that are not `stored` in int8 keep their precision.
    """
    weights, key_map = ChangedWeights(weights, model.changes), model.key_map
    config, tables = _tables(weights, key_map, model.config)
    with torch.device("meta"):
        wanted = dict(Transformer(config).named_parameters())
    parts = {name: tables[name] if name in tables else their_names(name, key_map) for name in wanted}
    _check(weights, key_map, parts, wanted)
    dtypes = {name: _dtype(weights.get(parts[name][0])) for name in wanted}

    def load(name: str) -> Weight:
        found = _concatenate([weights.get(one) for one in parts[name]])
        # HuggingFace's bias has a batch dimension.
        return found.flatten() if name == BIAS and isinstance(found, Tensor) else found

    stored = "int8" if "int8" in (stored, model.stored) else "float32"
    tokenizer = model.vocabulary.tokenizer
    with new_folder(folder) as new:
        stream_model(new, config, tokenizer, dtypes, load, languages=languages, notes=notes, stored=stored)
    return config


def _concatenate(parts: list[Weight]) -> Weight:
    if len(parts) == 1:
        return parts[0]
    rows = [part for part in parts if isinstance(part, Int8Rows)]
    if len(rows) == len(parts):
        return Int8Rows(torch.cat([part.values for part in rows]), torch.cat([part.scales for part in rows]))
    return torch.cat([part.dequantised() if isinstance(part, Int8Rows) else part for part in parts])


def _tables(weights: Weights, key_map: KeyMap, config: ModelConfig) -> tuple[ModelConfig, Parts]:
    source, target = (_first(weights, _names(key_map, side)) for side in ("encoder", "decoder"))
    output = target if config.tied_output else _first(weights, key_map.output)
    one_table = _same(weights, source, target)
    tied_output = _same(weights, target, output)
    sizes = weights.get(source).shape[0], weights.get(target).shape[0]
    bias = _has_bias(weights, key_map)
    config = replace(
        config,
        tied_encoder_decoder=one_table,
        tied_output=tied_output,
        output_bias=bias,
        vocabulary_size=sizes[1],
        source_vocabulary_size=None if one_table or sizes[0] == sizes[1] else sizes[0],
    )
    tables = {SOURCE: [source], TARGET: [target], OUTPUT: [output], BIAS: [key_map.bias or ""]}
    return config, tables


def _names(key_map: KeyMap, side: str) -> tuple[str, ...]:
    """The possible names of the embedding of a side; a shared one may have any of their names."""
    other = key_map.table["decoder" if side == "encoder" else "encoder"]
    shared = () if key_map.shared is None else (key_map.shared,)
    return (key_map.table[side], *shared, other, *key_map.output)


def _first(weights: Weights, names: tuple[str, ...]) -> str:
    found = next((name for name in names if name in weights.names), None)
    if found is None:
        raise LexalignError(f"weight {names[0]} is missing; the model is incomplete")
    return found


def _same(weights: Weights, one: str, other: str) -> bool:
    if one == other:
        return True
    first, second = weights.get(one), weights.get(other)
    if isinstance(first, Int8Rows) and isinstance(second, Int8Rows):
        return torch.equal(first.values, second.values) and torch.equal(first.scales, second.scales)
    return isinstance(first, Tensor) and isinstance(second, Tensor) and torch.equal(first, second)


def _has_bias(weights: Weights, key_map: KeyMap) -> bool:
    """Whether there is a bias that is not all zeros; one of zeros, as in most models, only costs time."""
    if key_map.bias is None or key_map.bias not in weights.names:
        return False
    found = weights.get(key_map.bias)
    return isinstance(found, Tensor) and bool(found.any())


def _check(weights: Weights, key_map: KeyMap, parts: Parts, wanted: Mapping[str, Tensor]) -> None:
    """Check that no weight is missing, of another shape, or unused."""
    for name, value in wanted.items():
        if missing := [one for one in parts[name] if one not in weights.names]:
            raise LexalignError(
                f"weight {missing[0]} is missing; the model is incomplete, or of another kind"
            )
        if name == BIAS:
            continue
        shapes = [tuple(weights.get(one).shape) for one in parts[name]]
        rows = sum(shape[0] for shape in shapes)
        if (rows, *shapes[0][1:]) != tuple(value.shape):
            raise LexalignError(f"weight {parts[name][0]} is {shapes[0]}, which the config does not say")
    used = {one for names in parts.values() for one in names}
    unused = sorted(name for name in weights.names - used if not _may_be_unused(name, key_map))
    if unused:
        raise LexalignError(f"weight {unused[0]} does not belong to a model of this kind")


def _may_be_unused(name: str, key_map: KeyMap) -> bool:
    """Whether a weight is another name of an embedding, sinusoidal positions, or metadata."""
    doubles = {
        key_map.shared,
        key_map.bias,
        *key_map.table.values(),
        *key_map.output,
    }
    return name in doubles or name.endswith(
        ("embed_positions.weight", "embed_positions.weights", *key_map.ignored)
    )


def _dtype(value: Weight) -> torch.dtype:
    return value.dtype if isinstance(value, Tensor) and value.dtype in _FLOATS else torch.float32
