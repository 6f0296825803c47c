"""CTranslate2 folders of random weights, written by its own classes."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.interop import hub_models

WIDTH, FEEDFORWARD, HEADS = 24, 40, 4


def opennmt(
    folder: Path, quantization: str | None = None, shared: bool = False, end: float = 3, **options: Any
) -> Path:
    """As models of OpenNMT-py are converted: norms before, <s> before the target, no end of sources."""
    from ctranslate2.specs import TransformerSpec

    pieces = [hub_models.train_pieces("unigram", size) for size in ((90, 90) if shared else (90, 100))]
    tokens = [["<unk>", "<blank>", "<s>", "</s>", *hub_models.piece_list(one)[3:]] for one in pieces]
    if not shared:
        tokens[0].remove("</s>")
    spec = TransformerSpec.from_config((2, 3), HEADS, **options)
    generator = np.random.default_rng(7)
    for side in (spec.encoder, spec.decoder):
        size = len(tokens[side is spec.decoder])
        _fill(side, generator, [size, WIDTH])
    spec.decoder.projection.weight = _normal(generator, [len(tokens[1]), WIDTH])
    bias = _normal(generator, [len(tokens[1])])
    bias[tokens[1].index("</s>")] = end  # so that translations end
    spec.decoder.projection.bias = bias
    save(spec, folder, tokens, quantization)
    for name, content in zip(("source.spm", "target.spm"), pieces, strict=True):
        (folder / name).write_bytes(content)
    return folder


def argos(path: Path, **metadata: Any) -> Path:
    """A package as Argos Translate has them: its folder in a zip archive."""
    model = opennmt(path.parent / "unpacked" / "model", shared=True, quantization="int8")
    pieces = (model / "source.spm").read_bytes()
    for name in ("source.spm", "target.spm"):
        (model / name).unlink()
    values = {"package_version": "1.0", "argos_version": "1.9", "from_code": "de", "to_code": "en"} | metadata
    root = "translate-de_en-1_0"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{root}/metadata.json", json.dumps(values))
        archive.writestr(f"{root}/sentencepiece.model", pieces)
        archive.writestr(f"{root}/stanza/de/tokenize/gsd.pt", b"not needed")
        for file in model.iterdir():
            archive.write(file, f"{root}/model/{file.name}")
    return path


def save(spec: Any, folder: Path, tokens: Sequence[Sequence[str]], quantization: str | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    spec.register_source_vocabulary(list(tokens[0]))
    spec.register_target_vocabulary(list(tokens[-1]))
    spec.validate()
    spec.optimize(quantization=quantization)
    spec.save(str(folder))


def converted(model: Any, folder: Path, tokens: Sequence[str], quantization: str | None = None) -> Path:
    """A model of transformers by CTranslate2's own loader, with these tokens and those of its config."""
    from ctranslate2.converters import transformers as loaders

    loader = loaders._MODEL_LOADERS[type(model.config).__name__]
    spec = loader.get_model_spec(model)
    start = tokens[min(model.config.decoder_start_token_id, len(tokens) - 1)]
    zero_start = type(model.config).__name__ == "MarianConfig"
    spec.config.decoder_start_token = "</s>" if zero_start else start
    save(spec, folder, [tokens], quantization)
    return folder


def _fill(side: Any, generator: np.random.Generator, table: list[int]) -> None:
    embeddings = side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings
    embeddings.weight = _normal(generator, table)
    for norm in (getattr(side, name, None) for name in ("layer_norm", "layernorm_embedding")):
        if norm is not None:
            _fill_norm(norm, generator)
    for layer in side.layer:
        for block in (layer.self_attention, getattr(layer, "attention", None)):
            if block is not None:
                _fill_attention(block, generator)
        _fill_norm(layer.ffn.layer_norm, generator)
        for name, shape in (
            ("linear_0", [FEEDFORWARD, WIDTH]),
            ("linear_0_noact", [FEEDFORWARD, WIDTH]),
            ("linear_1", [WIDTH, FEEDFORWARD]),
        ):
            if hasattr(layer.ffn, name):
                _fill_linear(getattr(layer.ffn, name), generator, shape)


def _fill_attention(block: Any, generator: np.random.Generator) -> None:
    parts = (3, 1) if len(block.linear) == 2 else (1, 2, 1)
    for linear, number in zip(block.linear, parts, strict=True):
        _fill_linear(linear, generator, [number * WIDTH, WIDTH])
    _fill_norm(block.layer_norm, generator)
    if hasattr(block, "relative_position_keys"):
        block.relative_position_keys = _normal(generator, [9, WIDTH // HEADS])
        block.relative_position_values = _normal(generator, [9, WIDTH // HEADS])


def _fill_linear(linear: Any, generator: np.random.Generator, shape: list[int]) -> None:
    linear.weight, linear.bias = _normal(generator, shape), _normal(generator, shape[:1])


def _fill_norm(norm: Any, generator: np.random.Generator) -> None:
    norm.gamma = 1 + _normal(generator, [WIDTH])
    if hasattr(norm, "beta"):
        norm.beta = _normal(generator, [WIDTH])


def _normal(generator: np.random.Generator, shape: list[int]) -> Any:
    return generator.normal(scale=0.3, size=shape).astype(np.float32)


def change_config(folder: Path, **values: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
