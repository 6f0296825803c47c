"""Export to folders of HuggingFace, which CTranslate2 converts too.

A model with norms behind the sub-layers is a Marian one. A model with norms before them, as our recipe makes
it, is a Pegasus one: the family that has its sinusoidal positions, its norm after the last layer, its start
from the padding, and no norm of embeddings. (M2M100's positions have other wavelengths, so a model could not
be the same there.) Both have Marian's tokenizer, which reads our SentencePiece model as it is.

Marian has padding at the end of the vocabulary, and CTranslate2 drops the last entry for that reason. So
padding moves to the end there, and the entries behind its old position move by one:

    ours, Pegasus   0 <pad>  1 </s>   2 <unk>  3 <s>  4 ...
    Marian          0 </s>   1 <unk>  2 <s>    3 ...  last <pad>
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.huggingface import FAMILIES
from lexalign.interop.key_map import HUGGINGFACE, their_names
from lexalign.models.config import Activation, ModelConfig
from lexalign.models.embedding import position_table
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.foreign.segmenters import SentencePieceSegmenter
from lexalign.text.foreign.tokenizer import ForeignTokenizer
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.tokenizer import Tokenizer

_SHARED_TABLE = {"model.shared.weight": "decoder.embedding.tokens.weight"}
_OWN_TABLES = {
    "model.encoder.embed_tokens.weight": "encoder.embedding.tokens.weight",
    "model.decoder.embed_tokens.weight": "decoder.embedding.tokens.weight",
}
_OWN_OUTPUT = {"lm_head.weight": "output.weight"}
_ARCHITECTURES = {"marian": "MarianMTModel", "pegasus": "PegasusForConditionalGeneration"}
_ACTIVATIONS: dict[Activation, str] = {
    "relu": "relu", "gelu": "gelu", "gelu-tanh": "gelu_new", "swish": "swish"
}  # fmt: skip

# Settings that both formats fix; norms decide which of them it is.
_REQUIRED: dict[str, Any] = {
    "decoder_autoregression": "self-attention",
    "positions": "sinusoidal",
    "position_offset": 0,
    "embedding_norm": False,
    "head_width": None,
    "attention_scale": True,
    "rms_norm": False,
    "norm_epsilon": 1e-5,
    "gated_feedforward": False,
    "projection_bias": True,
    "source_eos": True,
}

# transformers forbids tokens after it has normalised the scores, and CTranslate2 does not read its list of
# them. A bias forbids them before, as our search does. The number fits into float16 too.
_FORBIDDEN = -1e4


def export_huggingface(
    model: Transformer, tokenizer: ModelTokenizer, folder: Path, source_language: str, target_language: str
) -> None:
    """Write the folder atomically."""
    model.check_float()
    _check(model, tokenizer)
    pieces = _read_pieces(tokenizer)
    _check_names(model.config, pieces.vocabulary)
    order = exported_order(model.config)
    with new_folder(folder) as new:
        save_file(_weights(model, order), new / "model.safetensors", metadata={"format": "pt"})
        _write_json(new / "config.json", _config(model.config, order))
        _write_json(new / "generation_config.json", _generation_config(model.config, order))
        _write_json(new / "tokenizer_config.json", _tokenizer_config(model, source_language, target_language))
        _write_json(new / "vocab.json", {pieces.vocabulary[old]: index for index, old in enumerate(order)})
        (new / "source.spm").write_bytes(pieces.source)
        (new / "target.spm").write_bytes(pieces.target)


def exported_order(config: ModelConfig) -> list[int]:
    """Our ids in the order of the exported vocabulary: in Marian's, padding is last."""
    if _kind(config) == "pegasus":
        return list(range(config.vocabulary_size))
    return [index for index in range(config.vocabulary_size) if index != config.pad_id] + [config.pad_id]


@dataclass(frozen=True, kw_only=True)
class _Pieces:
    """The SentencePiece models of both sides, and their common vocabulary."""

    vocabulary: list[str]
    source: bytes
    target: bytes


def _read_pieces(tokenizer: ModelTokenizer) -> _Pieces:
    if isinstance(tokenizer, Tokenizer):
        vocabulary = tokenizer.pieces(range(tokenizer.vocabulary_size))
        return _Pieces(vocabulary=vocabulary, source=tokenizer.content, target=tokenizer.content)
    if isinstance(tokenizer, ForeignTokenizer):
        sides = tokenizer.source_side, tokenizer.target_side
        by_pieces = all(isinstance(side.segmenter, SentencePieceSegmenter) for side in sides)
        if by_pieces and sides[0].vocabulary == sides[1].vocabulary:
            source, target = (side.segmenter.content for side in sides)
            return _Pieces(vocabulary=list(sides[0].vocabulary), source=source, target=target)
    raise LexalignError(
        "the export needs SentencePiece and one vocabulary; this model has others and cannot be exported"
    )


def _check_names(config: ModelConfig, vocabulary: list[str]) -> None:
    """Marian's tokenizer finds its special tokens by these names, and every token by its own."""
    named = vocabulary[config.pad_id], vocabulary[config.eos_id]
    if named != ("<pad>", "</s>") or len(set(vocabulary)) < len(vocabulary):
        raise LexalignError(
            f"the vocabulary names padding and end {named[0]!r} and {named[1]!r}, or a token twice, which "
            "Marian's tokenizer cannot; this model cannot be exported"
        )


def _kind(config: ModelConfig) -> str:
    """The type of HuggingFace's models that has these norms."""
    return "pegasus" if config.norm == "pre" else "marian"


def _check(model: Transformer, tokenizer: ModelTokenizer) -> None:
    config, kind = model.config, _kind(model.config)
    if tokenizer.languages and kind == "pegasus":  # Marian's have codes in the vocabulary
        raise LexalignError(
            f"the model has {len(tokenizer.languages)} languages to choose from, and only models of one "
            "language pair can be exported; use the folder that it was imported from"
        )
    final_norm = FAMILIES[kind].final_norm
    required = {**_REQUIRED, "final_norm": final_norm, "target_prefix": (config.pad_id,)}
    for name, needed in required.items():
        if (value := getattr(config, name)) != needed:
            raise LexalignError(
                f"a {kind.capitalize()} model has no {name} {value!r}, only {needed!r}; "
                "this model cannot be exported"
            )
    if tokenizer.target_size != config.vocabulary_size:
        raise LexalignError(
            f"the tokenizer has {tokenizer.target_size} entries and the model {config.vocabulary_size}; "
            "they belong to different models"
        )
    ends = (config.pad_id, config.eos_id)
    if isinstance(tokenizer, Tokenizer) and (tokenizer.pad_id, tokenizer.eos_id) != ends:
        raise LexalignError("pad_id or eos_id of the model is not the tokenizer's; give the model's own one")
    starts_from_zero = kind == "marian"
    if starts_from_zero and model.get_parameter("decoder.embedding.tokens.weight")[config.pad_id].any():
        raise LexalignError(
            f"the target embedding of pad_id {config.pad_id} is not zero, and CTranslate2 starts a Marian "
            "decoder from zero; this model cannot be exported"
        )


def _weights(model: Transformer, order: list[int]) -> dict[str, Tensor]:
    ours = {name: value.detach().cpu() for name, value in model.named_parameters(remove_duplicate=False)}
    theirs = {theirs: value for name, value in ours.items() for theirs, value in _split(name, value)}
    theirs |= {name: ours[table][order].clone() for name, table in _tables(model.config).items()}
    if _kind(model.config) == "pegasus":  # which would report sines that are not stored as missing
        positions = {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}
        theirs |= {name: position_table(model.config) for name in positions}
    return theirs | {"final_logits_bias": _output_bias(model, order)}


def _split(name: str, value: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Their names and values of our parameter, if it belongs to a layer or follows the last."""
    if ".layers." in name or ".final_norm." in name:
        names = their_names(name, HUGGINGFACE)
        for theirs, part in zip(names, value.chunk(len(names)), strict=True):
            yield theirs, part.clone()


def _tables(config: ModelConfig) -> dict[str, str]:
    """Our tables by their names. Marian ties all, or output and target, or none; Pegasus all or none."""
    if _is_shared(config):
        return _SHARED_TABLE
    if _kind(config) == "pegasus":
        return {**_OWN_TABLES, **_OWN_OUTPUT, "model.shared.weight": "encoder.embedding.tokens.weight"}
    return _OWN_TABLES if config.tied_output else _OWN_TABLES | _OWN_OUTPUT


def _is_shared(config: ModelConfig) -> bool:
    return config.tied_encoder_decoder and config.tied_output


def _output_bias(model: Transformer, order: list[int]) -> Tensor:
    """The output bias (1, V)."""
    config = model.config
    bias = torch.zeros(config.vocabulary_size)
    if config.output_bias:
        bias.copy_(model.get_parameter("output.bias").detach())
    bias[list(config.never_generated)] = _FORBIDDEN
    return bias[order][None]


def _config(config: ModelConfig, order: list[int]) -> dict[str, Any]:
    kind, before = _kind(config), config.norm == "pre"
    return {
        "architectures": [_ARCHITECTURES[kind]],
        "model_type": kind,
        "normalize_before": before,  # which CTranslate2 reads
        "normalize_embedding": False,
        "vocab_size": config.vocabulary_size,
        "decoder_vocab_size": config.vocabulary_size,
        "d_model": config.width,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": config.encoder_heads,
        "decoder_attention_heads": config.decoder_heads,
        "encoder_ffn_dim": config.feedforward_width,
        "decoder_ffn_dim": config.feedforward_width,
        "activation_function": _ACTIVATIONS[config.activation],
        "dropout": config.dropout,
        "max_position_embeddings": config.max_positions,
        "scale_embedding": config.embedding_scale,
        "share_encoder_decoder_embeddings": _is_shared(config),
        "tie_word_embeddings": _is_shared(config) if before else config.tied_output,
        **_special_ids(config, order),
    }


def _generation_config(config: ModelConfig, order: list[int]) -> dict[str, Any]:
    """The defaults of our search, under the names of transformers."""
    return {
        "num_beams": 5,
        "early_stopping": "never",
        "length_penalty": 1.0,
        "max_length": 512,
        "bad_words_ids": [[order.index(index)] for index in config.never_generated],
        **_special_ids(config, order),
    }


def _special_ids(config: ModelConfig, order: list[int]) -> dict[str, int]:
    pad_id, eos_id = order.index(config.pad_id), order.index(config.eos_id)
    return {
        "pad_token_id": pad_id,
        "decoder_start_token_id": pad_id,
        "eos_token_id": eos_id,
        "forced_eos_token_id": eos_id,
    }


def _tokenizer_config(model: Transformer, source_language: str, target_language: str) -> dict[str, Any]:
    return {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": source_language,
        "target_lang": target_language,
        "unk_token": "<unk>",
        "eos_token": "</s>",
        "pad_token": "<pad>",
        "model_max_length": model.config.max_positions,
        "separate_vocabs": False,
    }


def _write_json(path: Path, values: dict[str, Any]) -> None:
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
