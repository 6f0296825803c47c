"""Import of HuggingFace folders: Marian, M2M100, NLLB, mBART-50, BART, Pegasus and T5.

`FAMILIES` has what the code of a family fixes, whatever the config says; checked against transformers 5.22.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context, number, read_json
from lexalign.interop.hub_tokenizers import ForeignVocabulary, read_tokenizer
from lexalign.interop.key_map import HUGGINGFACE
from lexalign.interop.t5 import T5_TYPES, read_t5
from lexalign.interop.transfer import ForeignModel
from lexalign.interop.weight_files import Weights, open_weights
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
    # The shape of our own models with norms before the sub-layers, which are exported so.
    "pegasus": Family(norm="pre", positions="sinusoidal", position_offset=0, embedding_norm=False),
}


@contextmanager
def open_huggingface(folder: Path) -> Iterator[tuple[ForeignModel, Weights]]:
    config = read_json(folder / "config.json")
    generation = folder / "generation_config.json"
    settings = config | (_without_none(read_json(generation)) if generation.is_file() else {})
    kind = str(config.get("model_type"))
    if kind not in (*FAMILIES, *T5_TYPES):
        known = ", ".join((*FAMILIES, *T5_TYPES))
        raise LexalignError(
            f"{folder}: models of the type {config.get('model_type')!r} cannot be imported; "
            f"those that can: {known}"
        )
    model = (read_t5 if kind in T5_TYPES else _read_family)(folder, settings)
    with open_weights(folder) as weights:
        yield model, weights


def _read_family(folder: Path, settings: Mapping[str, Any]) -> ForeignModel:
    family = FAMILIES[settings["model_type"]]
    with error_context(folder / "config.json"):
        _check_supported(settings, family)
    vocabulary = read_tokenizer(folder, settings["model_type"], settings)
    with error_context(folder / "config.json"):
        config = _config(settings, family, vocabulary)
    return ForeignModel(config=config, vocabulary=vocabulary, key_map=HUGGINGFACE)


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _config(settings: Mapping[str, Any], family: Family, vocabulary: ForeignVocabulary) -> ModelConfig:
    return ModelConfig(
        vocabulary_size=vocabulary.tokenizer.target_size,
        width=number(settings, "d_model"),
        feedforward_width=number(settings, "encoder_ffn_dim"),
        encoder_heads=number(settings, "encoder_attention_heads"),
        decoder_heads=number(settings, "decoder_attention_heads"),
        encoder_layers=number(settings, "encoder_layers"),
        decoder_layers=number(settings, "decoder_layers"),
        norm=family.norm,
        final_norm=family.final_norm,
        activation=_ACTIVATIONS[settings.get("activation_function", "gelu")],
        positions=family.positions,
        position_offset=family.position_offset,
        max_positions=number(settings, "max_position_embeddings"),
        embedding_scale=bool(settings.get("scale_embedding", False)),
        embedding_norm=family.embedding_norm,
        tied_output=bool(settings.get("tie_word_embeddings", True)),
        dropout=float(settings.get("dropout", 0.1)),
        pad_id=number(settings, "pad_token_id"),
        eos_id=number(settings, "eos_token_id"),
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
