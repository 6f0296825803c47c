"""From the weights of another toolkit to a folder of ours, one tensor at a time.

Which tables are one is seen in the weights: where source and target, or target and output, are equal.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.key_map import Layout, their_names
from lexalign.interop.weight_files import Weights
from lexalign.models.config import ModelConfig
from lexalign.models.folder import stream_model
from lexalign.models.projection import StoredPrecision
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.subwords import Languages, ModelTokenizer

SOURCE, TARGET, OUTPUT, BIAS = (
    "encoder.embedding.tokens.weight",
    "decoder.embedding.tokens.weight",
    "output.weight",
    "output.bias",
)
_FLOATS = (torch.float32, torch.float16, torch.bfloat16)

Parts = Mapping[str, list[str]]  # what each weight of ours is made of


def transfer(
    weights: Weights,
    layout: Layout,
    config: ModelConfig,
    tokenizer: ModelTokenizer,
    folder: Path,
    notes: dict[str, Any],
    stored: StoredPrecision = "float32",
    languages: Languages | None = None,
) -> ModelConfig:
    """Write a whole model folder or nothing; the config comes back with what the weights say of tables.

    What is not `stored` in int8 keeps the precision that it has.
    """
    config, tables = _tables(weights, layout, config)
    with torch.device("meta"):
        wanted = dict(Transformer(config).named_parameters())
    parts = {name: tables[name] if name in tables else their_names(name, layout) for name in wanted}
    _check(weights, layout, parts, wanted)
    dtypes = {name: _dtype(weights.get(parts[name][0])) for name in wanted}

    def load(name: str) -> Tensor:
        found = [weights.get(one) for one in parts[name]]
        value = found[0] if len(found) == 1 else torch.cat(found)
        return value[0] if name == BIAS else value  # theirs has a row for a batch

    with new_folder(folder) as new:
        stream_model(new, config, tokenizer, dtypes, load, languages=languages, notes=notes, stored=stored)
    return config


def _tables(weights: Weights, layout: Layout, config: ModelConfig) -> tuple[ModelConfig, Parts]:
    source, target = (_first(weights, _names(layout, side)) for side in ("encoder", "decoder"))
    output = target if config.tied_output else _first(weights, layout.output)
    one_table = _same(weights, source, target)
    tied_output = _same(weights, target, output)
    sizes = len(weights.get(source)), len(weights.get(target))
    bias = _has_bias(weights, layout)
    config = replace(
        config,
        tied_encoder_decoder=one_table,
        tied_output=tied_output,
        output_bias=bias,
        vocabulary_size=sizes[1],
        source_vocabulary_size=None if one_table or sizes[0] == sizes[1] else sizes[0],
    )
    tables = {SOURCE: [source], TARGET: [target], OUTPUT: [output], BIAS: [layout.bias or ""]}
    return config, tables


def _names(layout: Layout, side: str) -> tuple[str, ...]:
    """Where the table of a side may be; one that all share goes by any of their names."""
    other = layout.table("decoder" if side == "encoder" else "encoder")
    shared = () if layout.shared is None else (layout.shared,)
    return (layout.table(side), *shared, other, *layout.output)


def _first(weights: Weights, names: tuple[str, ...]) -> str:
    found = next((name for name in names if name in weights.names), None)
    if found is None:
        raise LexalignError(f"weight {names[0]} is missing; the model is not whole")
    return found


def _same(weights: Weights, one: str, other: str) -> bool:
    if one == other:
        return True
    first, second = weights.get(one), weights.get(other)
    return first.shape == second.shape and torch.equal(first, second)


def _has_bias(weights: Weights, layout: Layout) -> bool:
    """A bias of zeros, as most models have it, would only cost time."""
    if layout.bias is None or layout.bias not in weights.names:
        return False
    return bool(weights.get(layout.bias).any())


def _check(weights: Weights, layout: Layout, parts: Parts, wanted: Mapping[str, Tensor]) -> None:
    """That nothing is missing, of another shape, or left over."""
    for name, value in wanted.items():
        if missing := [one for one in parts[name] if one not in weights.names]:
            raise LexalignError(f"weight {missing[0]} is missing; the model is not whole, or not of its kind")
        if name == BIAS:
            continue
        shapes = [tuple(weights.get(one).shape) for one in parts[name]]
        rows = sum(shape[0] for shape in shapes)
        if (rows, *shapes[0][1:]) != tuple(value.shape):
            raise LexalignError(f"weight {parts[name][0]} is {shapes[0]}, which the config does not say")
    used = {one for names in parts.values() for one in names}
    left = sorted(name for name in weights.names - used if not _may_be_left(name, layout))
    if left:
        raise LexalignError(f"weight {left[0]} has no place in a model of this kind; it is another")


def _may_be_left(name: str, layout: Layout) -> bool:
    """Other names of tables that were taken, sines, and what a toolkit notes down."""
    doubles = {layout.shared, layout.bias, layout.table("encoder"), layout.table("decoder"), *layout.output}
    return name in doubles or name.endswith(
        ("embed_positions.weight", "embed_positions.weights", *layout.ignored)
    )


def _dtype(value: Tensor) -> torch.dtype:
    return value.dtype if value.dtype in _FLOATS else torch.float32
