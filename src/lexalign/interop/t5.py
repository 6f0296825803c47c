"""Import of T5 and its like from HuggingFace folders: T5, T5 1.1, mT5 and MADLAD-400.

They have relative positions, norms by the root mean square, no biases and unscaled attention. T5 divides by
the square root of the width before its output, which is its embedding; here the last norm's weight does that.

The vocabulary is that of `spiece.model`, then unused entries and masks (`<extra_id_0>`). MADLAD-400 has a
code of the target language before the source:

    source  <2de> The house </s>      decoder  <unk> Das Haus
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.interop.foreign_files import error_context, number, read_json
from lexalign.interop.hub_tokenizers import (
    ForeignVocabulary,
    in_order,
    new_side,
    read_hub,
    read_pieces,
    stated_ids,
)
from lexalign.interop.key_map import t5_key_map
from lexalign.interop.transfer import ForeignModel
from lexalign.interop.weight_files import multiply
from lexalign.models.config import Activation, ModelConfig
from lexalign.text.foreign.segmenters import Segmenter
from lexalign.text.foreign.tokenizer import ForeignTokenizer, LanguageCodes

T5_TYPES = ("t5", "mt5")
PIECES = "spiece.model"
_ACTIVATIONS: dict[str, Activation] = {
    "relu": "relu", "gelu": "gelu", "gelu_new": "gelu-tanh", "silu": "swish", "swish": "swish"
}  # fmt: skip
_CODE = re.compile(r"<2(.+)>")
# Relative positions have no end, but a table of positions has; the texts are cut long before.
_MAX_POSITIONS = 1024


def read_t5(folder: Path, settings: Mapping[str, Any]) -> ForeignModel:
    with error_context(folder / "config.json"):
        start = {"decoder_start_token_id": settings.get("pad_token_id"), "num_decoder_layers": None}
        settings = start | {name: value for name, value in settings.items() if value is not None}
        gated, activation = _feedforward(settings)
        width = number(settings, "d_model")
    vocabulary = _vocabulary(folder, settings)
    with error_context(folder / "config.json"):
        config = _config(settings, vocabulary, gated, activation)
    scaled = {"decoder.final_layer_norm.weight": multiply(width**-0.5)}
    return ForeignModel(
        config=config,
        vocabulary=vocabulary,
        key_map=t5_key_map(gated=gated),
        changes=scaled if _is_output_scaled(settings) else {},
    )


def _feedforward(settings: Mapping[str, Any]) -> tuple[bool, Activation]:
    stated = str(settings.get("feed_forward_proj", "relu"))
    name = stated.removeprefix("gated-")
    if stated == "gated-gelu":  # which stands for the approximation that T5 1.1 was trained with
        name = "gelu_new"
    if name not in _ACTIVATIONS:
        raise LexalignError(f"the activation {name!r} is not one of {', '.join(_ACTIVATIONS)}")
    return stated.startswith("gated-"), _ACTIVATIONS[name]


def _config(
    settings: Mapping[str, Any], vocabulary: ForeignVocabulary, gated: bool, activation: Activation
) -> ModelConfig:
    layers = number(settings, "num_layers")
    return ModelConfig(
        vocabulary_size=vocabulary.tokenizer.target_size,
        width=number(settings, "d_model"),
        feedforward_width=number(settings, "d_ff"),
        encoder_heads=number(settings, "num_heads"),
        decoder_heads=number(settings, "num_heads"),
        encoder_layers=layers,
        decoder_layers=settings["num_decoder_layers"] or layers,
        head_width=number(settings, "d_kv"),
        attention_scale=False,
        norm="pre",
        final_norm=True,
        rms_norm=True,
        norm_epsilon=float(settings.get("layer_norm_epsilon", 1e-6)),
        activation=activation,
        gated_feedforward=gated,
        projection_bias=False,
        positions="relative-bias",
        max_positions=_MAX_POSITIONS,
        relative_buckets=number(settings, "relative_attention_num_buckets"),
        relative_distance=int(settings.get("relative_attention_max_distance", 128)),
        embedding_scale=False,
        tied_output=False,  # unless the weights are equal
        dropout=float(settings.get("dropout_rate", 0.1)),
        pad_id=number(settings, "pad_token_id"),
        eos_id=number(settings, "eos_token_id"),
        target_prefix=vocabulary.target_prefix,
        never_generated=vocabulary.never_generated,
        unlinked=vocabulary.unlinked,
    )


def _is_output_scaled(settings: Mapping[str, Any]) -> bool:
    """T5's first version is; the config tells it by tied embeddings, or since transformers 5 by name."""
    return bool(settings.get("scale_decoder_outputs", settings.get("tie_word_embeddings", True)))


def _vocabulary(folder: Path, settings: Mapping[str, Any]) -> ForeignVocabulary:
    with error_context(folder / "config.json"):
        size, eos_id = number(settings, "vocab_size"), number(settings, "eos_token_id")
        start, pad_id = number(settings, "decoder_start_token_id"), number(settings, "pad_token_id")
    segmenter, known = _pieces(folder)
    own = read_json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    vocabulary = in_order(known | stated_ids(folder, own), size)
    codes = {match[1]: index for index, piece in enumerate(vocabulary) if (match := _CODE.fullmatch(piece))}
    named = [vocabulary.index(piece) for piece in ("<s>", "<pad>", "</s>") if piece in vocabulary]
    unused = [index for index, piece in enumerate(vocabulary) if not piece or piece.startswith("<extra_id_")]
    controls = [pad_id, eos_id, *named, *unused, *codes.values()]
    side = new_side(segmenter, vocabulary, controls, "sentencepiece")
    tokenizer = ForeignTokenizer(
        source_side=side,
        target_side=side,
        codes=LanguageCodes(ids=dict(sorted(codes.items())), before_source="target" if codes else None),
    )
    return ForeignVocabulary.of(tokenizer, target_prefix=(start,), eos_id=eos_id)


def _pieces(folder: Path) -> tuple[Segmenter, dict[str, int]]:
    if (folder / PIECES).is_file():
        segmenter = read_pieces(folder / PIECES)
        return segmenter, {piece: index for index, piece in enumerate(segmenter.vocabulary())}
    if (folder / "tokenizer.json").is_file():
        hub, known, _ = read_hub(folder)
        return hub, known
    raise LexalignError(f"{folder / PIECES} is missing; a model cannot be imported without its tokenizer")
