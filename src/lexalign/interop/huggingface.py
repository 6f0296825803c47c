"""Import of the config of HuggingFace folders: Marian, M2M100, NLLB, mBART-50 and BART.

`FAMILIES` has what the code of a family fixes, whatever the config says; checked against transformers 5.22.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context, read_json
from lexalign.interop.hub_tokenizers import ForeignVocabulary, read_tokenizer
from lexalign.models.config import Activation, ModelConfig, Norm, Positions

_ACTIVATIONS: dict[str, Activation] = {"relu": "relu", "gelu": "gelu", "swish": "swish", "silu": "swish"}


@dataclass(frozen=True, kw_only=True)
class Family:
    norm: Norm
    positions: Positions
    position_offset: int
    embedding_norm: bool

    @property
    def final_norm(self) -> bool:
        return self.norm == "pre"


# fairseq's positions count from the one after the padding's id, 1; learned ones keep two rows before them.
FAMILIES = {
    "marian": Family(norm="post", positions="sinusoidal", position_offset=0, embedding_norm=False),
    "m2m_100": Family(norm="pre", positions="sinusoidal-fairseq", position_offset=2, embedding_norm=False),
    "mbart": Family(norm="pre", positions="learned", position_offset=2, embedding_norm=True),
    "bart": Family(norm="post", positions="learned", position_offset=2, embedding_norm=True),
}


def read_huggingface(folder: Path) -> tuple[ModelConfig, ForeignVocabulary]:
    config = read_json(folder / "config.json")
    generation = folder / "generation_config.json"
    settings = config | (_without_none(read_json(generation)) if generation.is_file() else {})
    kind = config.get("model_type")
    family = FAMILIES.get(str(kind))
    if family is None:
        raise LexalignError(
            f"{folder}: models of the type {kind!r} cannot be imported; those that can: {', '.join(FAMILIES)}"
        )
    with error_context(folder / "config.json"):
        _check_supported(config, family)
    vocabulary = read_tokenizer(folder, str(kind), settings)
    with error_context(folder / "config.json"):
        return _config(config, settings, family, vocabulary), vocabulary


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _config(
    config: Mapping[str, Any],
    settings: Mapping[str, Any],
    family: Family,
    vocabulary: ForeignVocabulary,
) -> ModelConfig:
    return ModelConfig(
        vocabulary_size=vocabulary.tokenizer.target_size,
        width=_number(config, "d_model"),
        feedforward_width=_number(config, "encoder_ffn_dim"),
        encoder_heads=_number(config, "encoder_attention_heads"),
        decoder_heads=_number(config, "decoder_attention_heads"),
        encoder_layers=_number(config, "encoder_layers"),
        decoder_layers=_number(config, "decoder_layers"),
        norm=family.norm,
        final_norm=family.final_norm,
        activation=_ACTIVATIONS[config.get("activation_function", "gelu")],
        positions=family.positions,
        position_offset=family.position_offset,
        max_positions=_number(config, "max_position_embeddings"),
        embedding_scale=bool(config.get("scale_embedding", False)),
        embedding_norm=family.embedding_norm,
        tied_output=bool(config.get("tie_word_embeddings", True)),
        dropout=float(config.get("dropout", 0.1)),
        pad_id=_number(settings, "pad_token_id"),
        eos_id=_number(settings, "eos_token_id"),
        target_prefix=vocabulary.target_prefix,
        never_generated=vocabulary.never_generated,
        unlinked=vocabulary.unlinked,
    )


def _check_supported(config: Mapping[str, Any], family: Family) -> None:
    activation = config.get("activation_function", "gelu")
    if activation not in _ACTIVATIONS:
        raise LexalignError(f"the activation {activation!r} is not one of {', '.join(_ACTIVATIONS)}")
    if config.get("encoder_ffn_dim") != config.get("decoder_ffn_dim"):
        raise LexalignError("encoder_ffn_dim and decoder_ffn_dim differ; such models are not supported")
    if bool(config.get("normalize_before", family.norm == "pre")) != (family.norm == "pre"):
        raise LexalignError(f"normalize_before is not that of the type {config['model_type']}")


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name)
    if isinstance(value, list) and value:  # several ends of sentence; the first is the trained one
        value = value[0]
    if type(value) is not int:
        raise LexalignError(f"{name} is {value!r}; a number is needed")
    return value
