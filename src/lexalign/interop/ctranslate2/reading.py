"""Import of CTranslate2 folders: the shape is read from the weights, as CTranslate2 itself does it.

Encoder-decoder models of its TransformerSpec, converted from OpenNMT, fairseq, Marian or HuggingFace, in any
of its number formats. Weights in int8 stay as they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.interop.ctranslate2.binary import BINARY, BinaryModel, read_binary
from lexalign.interop.ctranslate2.vocabulary import (
    EOS_ID,
    PAD_ID,
    Settings,
    find_segmenters,
    make_vocabulary,
    read_settings,
    read_token_tables,
)
from lexalign.interop.ctranslate2.weights import CTranslate2Weights
from lexalign.interop.foreign_files import error_context, read_json
from lexalign.interop.hub_tokenizers import ForeignVocabulary
from lexalign.interop.key_map import ctranslate2_key_map
from lexalign.interop.transfer import ForeignModel
from lexalign.interop.weight_files import Weights, multiply
from lexalign.models.config import Activation, ModelConfig, Positions
from lexalign.models.embedding import position_table
from lexalign.text.foreign.segmenters import Segmenter
from lexalign.weights import Weight

_ACTIVATIONS: dict[int, Activation] = {0: "relu", 1: "gelu-tanh", 2: "swish", 3: "gelu"}
# A table of sines need not be stored; half precision has steps of this size.
_SAME_POSITIONS = 2e-3
_SINES: tuple[tuple[Positions, int], ...] = (
    ("sinusoidal", 0),
    ("sinusoidal-fairseq", 2),
    ("sinusoidal-fairseq", 1),
    ("sinusoidal-interleaved", 0),
)


def is_ctranslate2(folder: Path) -> bool:
    """Whether a folder has CTranslate2's binary; Marian's, which begins with version 1, is another format."""
    path = folder / BINARY
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) != (1).to_bytes(4, "little")


def read_ctranslate2(
    folder: Path, segmenters: tuple[Segmenter, Segmenter] | None = None
) -> tuple[ForeignModel, Weights]:
    """`segmenters` are those of source and target, where they are not in the folder itself."""
    binary = read_binary(folder / BINARY)
    with error_context(folder / BINARY):
        shape = CTranslate2Weights(binary)
        shape.check_supported()
    settings = read_settings(_stated_settings(folder, binary))
    source, target = read_token_tables(folder, settings.eos_token)
    with error_context(folder):
        shape.check_sizes(source, target)
        vocabulary = make_vocabulary(
            source,
            target,
            settings,
            segmenters or find_segmenters(folder),
            zero_start=shape.flag("decoder/start_from_zero_embedding"),
        )
        config = _config(shape, settings, vocabulary, _epsilon(folder, shape))
    key_map = ctranslate2_key_map(gated=shape.gated)
    changes: dict[str, Callable[[Weight], Weight]] = {
        key_map.table["encoder"]: source.take,
        key_map.table["decoder"]: target.take,
        key_map.output[0]: target.take,
        "decoder/projection/bias": target.take,
    }
    if (scale := shape.attribute("decoder/scale_outputs", 1)) != 1:
        changes["decoder/layer_norm/gamma"] = multiply(scale)
    model = ForeignModel(
        config=config,
        vocabulary=vocabulary,
        key_map=key_map,
        changes=changes,
        stored="int8" if shape.tensor("decoder/embeddings/weight").dtype == torch.int8 else "float32",
    )
    return model, shape


def _stated_settings(folder: Path, binary: BinaryModel) -> Mapping[str, object]:
    """Settings of tokens: `config.json`, or attributes before binary version 6."""
    if (folder / "config.json").is_file():
        return read_json(folder / "config.json")
    flags = {name: binary.attributes.get(name) for name in ("with_source_bos", "with_source_eos")}
    tokens = {f"{name}_token": binary.text(f"{name}_token", "") for name in ("unk", "bos", "eos")}
    starts_with_bos = binary.attributes.get("with_target_bos", 1)
    start = (tokens["bos_token"] or "<s>") if starts_with_bos else (tokens["eos_token"] or "</s>")
    return tokens | {
        "add_source_bos": flags["with_source_bos"],
        "add_source_eos": flags["with_source_eos"],
        "decoder_start_token": start,
    }


def _epsilon(folder: Path, shape: CTranslate2Weights) -> float:
    stated = (
        read_json(folder / "config.json").get("layer_norm_epsilon")
        if (folder / "config.json").is_file()
        else None
    )
    if isinstance(stated, float):
        return stated
    return 1e-5 if shape.has("layer_0/self_attention/layer_norm/beta") else 1e-6


def _config(
    shape: CTranslate2Weights, settings: Settings, vocabulary: ForeignVocabulary, epsilon: float
) -> ModelConfig:
    heads, width = shape.heads("encoder"), shape.width
    inner = shape.tensor("encoder/layer_0/self_attention/linear_1/weight").shape[1]
    config = ModelConfig(
        vocabulary_size=1,  # replaced by the size of the embeddings
        width=width,
        feedforward_width=shape.tensor("encoder/layer_0/ffn/linear_0/weight").shape[0],
        encoder_heads=heads,
        decoder_heads=shape.heads("decoder"),
        encoder_layers=shape.layers("encoder"),
        decoder_layers=shape.layers("decoder"),
        head_width=None if inner == width else inner // heads,
        attention_scale=_is_scaled(shape, inner // heads),
        norm="pre" if shape.both("pre_norm", 1) else "post",
        final_norm=shape.has("layer_norm/gamma"),
        rms_norm=not shape.has("layer_0/self_attention/layer_norm/beta"),
        norm_epsilon=epsilon,
        activation=_activation(int(shape.both("activation", 0))),
        gated_feedforward=shape.gated,
        projection_bias=shape.biased,
        embedding_scale=_is_embedding_scaled(shape),
        embedding_norm=shape.has("layernorm_embedding/gamma"),
        tied_output=False,  # unless the weights are equal
        pad_id=PAD_ID,
        eos_id=EOS_ID,
        source_eos=_reads_end(settings),
        target_prefix=vocabulary.target_prefix,
        never_generated=vocabulary.never_generated,
        unlinked=vocabulary.unlinked,
    )
    return _with_positions(config, shape)


def _activation(number: int) -> Activation:
    if number not in _ACTIVATIONS:
        raise LexalignError(f"activation {number} is not one of {', '.join(_ACTIVATIONS.values())}")
    return _ACTIVATIONS[number]


def _reads_end(settings: Settings) -> bool:
    """Whether sources have an end of sentence.

    CTranslate2 adds it, or leaves it to the caller, whose tokenizer does it in all toolkits but OpenNMT; and
    only OpenNMT's decoders start with <s>.
    """
    return settings.add_source_eos or settings.decoder_start_token != "<s>"


def _is_scaled(shape: CTranslate2Weights, head_width: int) -> bool:
    """Whether attention is scaled as usual; T5's is not at all."""
    usual = head_width**-0.5
    scales = {
        shape.attribute(name.removesuffix("linear_0/weight") + "queries_scale", usual)
        for name in shape.names
        if name.endswith("attention/linear_0/weight")
    }
    if any(abs(scale - usual) > 1e-6 for scale in scales) and scales != {1.0}:
        raise LexalignError(f"queries_scale is {min(scales)}; only {usual:.4f} and 1 are supported")
    return scales != {1.0}


def _is_embedding_scaled(shape: CTranslate2Weights) -> bool:
    """Whether embeddings are multiplied by the square root of the width: a flag, or the number itself."""
    usual = shape.width**0.5
    scale = shape.both("scale_embeddings", shape.both("multiply_by_sqrt_depth", 1))
    if isinstance(scale, int):
        return bool(scale)
    if scale != 1 and abs(scale - usual) > 1e-3:
        raise LexalignError(f"scale_embeddings is {scale}; only {usual:.4f} and 1 are supported")
    return scale != 1


def _with_positions(config: ModelConfig, shape: CTranslate2Weights) -> ModelConfig:
    if shape.relative_bias:
        table = shape.tensor("encoder/layer_0/self_attention/relative_attention_bias")
        distance = shape.attribute("encoder/layer_0/self_attention/relative_attention_max_distance", 128)
        return replace(
            config,
            positions="relative-bias",
            relative_buckets=table.shape[0],
            relative_distance=int(distance),
        )
    if shape.relative_vectors:
        table = shape.tensor("encoder/layer_0/self_attention/relative_position_keys")
        return replace(config, positions="relative-vectors", relative_distance=table.shape[0] // 2)
    if not shape.has("position_encodings/encodings"):
        return replace(config, positions="sinusoidal-fairseq", position_offset=1)
    tables = [shape.tensor(f"{side}/position_encodings/encodings").float() for side in ("encoder", "decoder")]
    length = min(map(len, tables))
    for positions, offset in _SINES:
        sines = replace(config, positions=positions, position_offset=offset, max_positions=length)
        expected = position_table(sines)[offset:]
        if all((table[:length] - expected).abs().max() < _SAME_POSITIONS for table in tables):
            return sines
    return replace(config, positions="learned", max_positions=length)
