"""A model on disk: a folder of `config.json`, `model.safetensors` and the tokenizer.

The format's number changes when an older version of the package could no longer read what a newer one
writes, or the other way round.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.models.config import ModelConfig
from lexalign.models.projection import Precision
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.tokenizer_files import has_tokenizer, load_tokenizer, save_tokenizer

FORMAT = 1
CONFIG, WEIGHTS = "config.json", "model.safetensors"


def save_model(
    path: Path,
    model: Transformer,
    tokenizer: ModelTokenizer,
    *,
    notes: dict[str, Any] | None = None,
    dtype: torch.dtype | None = None,
) -> None:
    """Write a whole folder or nothing. `notes` say where the model comes from."""
    weights = _distinct_weights(model, dtype)
    write_folder(
        path,
        model.config,
        tokenizer,
        lambda file: save_file(weights, file, metadata={"format": "pt"}),
        notes=notes,
    )


def write_folder(
    path: Path,
    config: ModelConfig,
    tokenizer: ModelTokenizer,
    write_weights: Callable[[Path], None],
    *,
    notes: dict[str, Any] | None = None,
) -> None:
    """As `save_model`, where the caller writes the weights."""
    content = {"format": FORMAT, "model": config.to_dict(), "notes": notes or {}}
    with new_folder(path) as folder:
        (folder / CONFIG).write_text(
            json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        write_weights(folder / WEIGHTS)
        save_tokenizer(tokenizer, folder)


def load_model(
    path: Path, *, device: str = "cpu", precision: Precision = "float32"
) -> tuple[Transformer, ModelTokenizer]:
    """Read a folder, check that its parts fit together and make the model ready for inference."""
    config = load_config(path)
    tokenizer = load_tokenizer(path)
    _check_sizes(path, config, tokenizer)
    with torch.device("meta"):
        model = Transformer(config)
    model.to_empty(device="cpu")
    model.tie()
    model.reset_positions()
    _fill(model, path / WEIGHTS)
    target = parse_device(device)
    if target.type == "cpu":
        return model.pack(precision), tokenizer
    if precision == "int8":
        raise LexalignError("int8 is for CPUs; leave it out with a GPU, where bfloat16 is faster")
    return model.to(target, torch.bfloat16).eval().requires_grad_(False), tokenizer


def load_config(path: Path) -> ModelConfig:
    if not path.is_dir():
        raise LexalignError(f"{path}: no such model folder")
    for name in (CONFIG, WEIGHTS):
        if not (path / name).is_file():
            raise LexalignError(f"{path}: {name} is missing; this is not a whole model folder")
    if not has_tokenizer(path):
        raise LexalignError(f"{path}: tokenizer.model is missing; this is not a whole model folder")
    try:
        content = json.loads((path / CONFIG).read_text(encoding="utf-8"))
        number, values = content["format"], dict(content["model"])
    except (ValueError, KeyError, TypeError) as error:
        raise LexalignError(f"{path / CONFIG}: not a model's config ({error})") from None
    if number != FORMAT:
        raise LexalignError(f"{path}: model format {number}; this version of lexalign reads format {FORMAT}")
    return ModelConfig.from_dict(values)


def _check_sizes(path: Path, config: ModelConfig, tokenizer: ModelTokenizer) -> None:
    sizes = config.source_vocabulary_size or config.vocabulary_size, config.vocabulary_size
    found = tokenizer.source_size, tokenizer.target_size
    for side, size, entries in zip(("source", "target"), sizes, found, strict=True):
        if size != entries:
            raise LexalignError(
                f"{path}: the tokenizer has {entries} entries for the {side} and the model {size}; "
                "they belong to different models"
            )


def parse_device(name: str) -> torch.device:
    """`cpu`, `cuda`, `cuda:1`, or `auto` for a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise LexalignError(f"unknown device {name!r}; use cpu, cuda, cuda:0, or auto")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise LexalignError(f"device {name!r} is not there: torch sees {torch.cuda.device_count()} GPUs")
    return device


def _distinct_weights(model: Transformer, dtype: torch.dtype | None) -> dict[str, Tensor]:
    """Every parameter once, in its first name: tied weights are tied again by the config."""
    return {name: value.detach().to("cpu", dtype).contiguous() for name, value in model.named_parameters()}


def _fill(model: Transformer, path: Path) -> None:
    wanted = dict(model.named_parameters())
    try:
        with safe_open(path, framework="pt") as weights:
            found = set(weights.keys())
            if missing := sorted(set(wanted) - found):
                raise LexalignError(
                    f"{path}: weight {missing[0]} is missing; the file belongs to another model"
                )
            if extra := sorted(found - set(wanted)):
                raise LexalignError(
                    f"{path}: weight {extra[0]} is not in the config; the file belongs to another model"
                )
            for name, parameter in wanted.items():
                value = weights.get_tensor(name)
                if value.shape != parameter.shape:
                    shapes = f"is {tuple(value.shape)}, the config says {tuple(parameter.shape)}"
                    raise LexalignError(f"{path}: weight {name} {shapes}")
                with torch.no_grad():
                    parameter.copy_(value)
    except (SafetensorError, OSError) as error:
        raise LexalignError(f"{path}: cannot be read ({error}); copy the model again") from None
