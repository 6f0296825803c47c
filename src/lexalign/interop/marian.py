"""Export to the format of HuggingFace's Marian, which CTranslate2 converts too.

Marian has padding at the end of the vocabulary, and CTranslate2 drops the last entry for that reason. So
padding moves to the end, and the entries behind its old position move by one:

    ours     0 <pad>  1 </s>   2 <unk>  3 <s>  4 ...
    Marian   0 </s>   1 <unk>  2 <s>    3 ...  last <pad>

CTranslate2 gives the decoder as many heads as the encoder; transformers allows two numbers.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.interop.key_map import HUGGINGFACE, their_names
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.foreign.segmenters import SentencePieceSegmenter
from lexalign.text.foreign.tokenizer import ForeignTokenizer
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.tokenizer import Tokenizer

_SHARED_TABLE = {"decoder.embedding.tokens.weight": "model.shared.weight"}
_OWN_TABLES = {
    "encoder.embedding.tokens.weight": "model.encoder.embed_tokens.weight",
    "decoder.embedding.tokens.weight": "model.decoder.embed_tokens.weight",
}
_OWN_OUTPUT = {"output.weight": "lm_head.weight"}

# Settings that Marian's format fixes.
_REQUIRED: dict[str, Any] = {
    "decoder_autoregression": "self-attention",
    "norm": "post",
    "final_norm": False,
    "positions": "sinusoidal",
    "position_offset": 0,
    "embedding_norm": False,
}

# transformers forbids tokens after it has normalised the scores, and CTranslate2 does not read its list of
# them. A bias forbids them before, as our search does. The number fits into float16 too.
_FORBIDDEN = -1e4


def export_marian(
    model: Transformer, tokenizer: ModelTokenizer, folder: Path, source_language: str, target_language: str
) -> None:
    """Write the folder atomically."""
    model.check_float()
    pieces = _read_pieces(tokenizer)
    _check(model, tokenizer)
    order = marian_order(model.config)
    with new_folder(folder) as new:
        save_file(_weights(model, order), new / "model.safetensors", metadata={"format": "pt"})
        _write_json(new / "config.json", _config(model.config, order))
        _write_json(new / "generation_config.json", _generation_config(model.config, order))
        _write_json(new / "tokenizer_config.json", _tokenizer_config(model, source_language, target_language))
        _write_json(new / "vocab.json", {pieces.vocabulary[old]: index for index, old in enumerate(order)})
        (new / "source.spm").write_bytes(pieces.source)
        (new / "target.spm").write_bytes(pieces.target)


def marian_order(config: ModelConfig) -> list[int]:
    """Our ids in the order of the exported vocabulary: padding last."""
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
    raise LexalignError("Marian's format needs SentencePiece and one vocabulary; this model has others")


def _check(model: Transformer, tokenizer: ModelTokenizer) -> None:
    config = model.config
    required = {**_REQUIRED, "target_prefix": (config.pad_id,)}
    for field in fields(config):
        value = getattr(config, field.name)
        if field.name in required and value != required[field.name]:
            raise LexalignError(
                f"Marian's format has no {field.name} {value!r}, only {required[field.name]!r}; "
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
    if bool(model.get_parameter("decoder.embedding.tokens.weight")[config.pad_id].any()):
        raise LexalignError(
            f"the target embedding of pad_id {config.pad_id} is not zero, and CTranslate2 starts a Marian "
            "decoder from zero; this model cannot be exported"
        )


def _weights(model: Transformer, order: list[int]) -> dict[str, Tensor]:
    ours = {name: value.detach().cpu() for name, value in model.named_parameters(remove_duplicate=False)}
    theirs = {theirs: value for name, value in ours.items() for theirs, value in _split(name, value)}
    theirs |= {name: ours[table][order] for table, name in _tables(model.config).items()}
    return theirs | {"final_logits_bias": _output_bias(model, order)}


def _split(name: str, value: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Their names and values of our parameter, if it belongs to a layer."""
    if ".layers." in name:
        names = their_names(name, HUGGINGFACE)
        for theirs, part in zip(names, value.chunk(len(names)), strict=True):
            yield theirs, part.clone()


def _tables(config: ModelConfig) -> dict[str, str]:
    """Embeddings to export: transformers ties all three, or the output to the target's, or none."""
    if _is_shared(config):
        return _SHARED_TABLE
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
    return {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "vocab_size": config.vocabulary_size,
        "decoder_vocab_size": config.vocabulary_size,
        "d_model": config.width,
        "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers,
        "encoder_attention_heads": config.encoder_heads,
        "decoder_attention_heads": config.decoder_heads,
        "encoder_ffn_dim": config.feedforward_width,
        "decoder_ffn_dim": config.feedforward_width,
        "activation_function": config.activation,
        "dropout": config.dropout,
        "max_position_embeddings": config.max_positions,
        "scale_embedding": config.embedding_scale,
        "share_encoder_decoder_embeddings": _is_shared(config),
        "tie_word_embeddings": config.tied_output,
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
