"""A model on disk: a folder of `config.json`, `model.safetensors` and the tokenizer.

The format number changes when an older version of the package cannot read what a newer one writes, or the
other way round. Format 2 is format 1 with weights in int8; see `weights.py`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from lexalign.contracts.errors import LexalignError, ModelNotFoundError
from lexalign.models.config import ModelConfig
from lexalign.models.embedding import TokenEmbedding
from lexalign.models.projection import Precision, Projection, StoredPrecision
from lexalign.models.streamed_weights import PlannedTensor, stream_weights
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.model_languages import as_config, languages_of_folder
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.text.tokenizer_files import has_tokenizer, load_tokenizer, save_tokenizer
from lexalign.weights import Int8Rows, Weight, WeightFile, write_weights

FORMATS: dict[StoredPrecision, int] = {"float32": 1, "int8": 2}
CONFIG, WEIGHTS = "config.json", "model.safetensors"


def save_model(
    path: Path,
    model: Transformer,
    tokenizer: ModelTokenizer,
    *,
    languages: Languages | None = None,
    notes: dict[str, Any] | None = None,
    dtype: torch.dtype | None = None,
) -> None:
    """Write the folder atomically. `notes` say where the model comes from."""
    model.check_float()
    with new_folder(path) as folder:
        _write_config(folder, "float32", model.config, languages, notes or {})
        # Every parameter once, under its first name: the config ties tied weights again.
        write_weights(
            folder / WEIGHTS,
            {name: value.detach().to("cpu", dtype) for name, value in model.named_parameters()},
        )
        save_tokenizer(tokenizer, folder)


def stream_model(
    folder: Path,
    config: ModelConfig,
    tokenizer: ModelTokenizer,
    dtypes: Mapping[str, torch.dtype],
    load: Callable[[str], Weight],
    *,
    languages: Languages | None = None,
    notes: dict[str, Any],
    stored: StoredPrecision = "float32",
) -> None:
    """Write a model weight by weight, as `load` returns them; in int8 all matrices are quantised."""
    model = _meta_model(config)
    matrices = {name for name, _ in _quantisable_modules(model)} if stored == "int8" else set()
    plan = [
        PlannedTensor(name=name, shape=tuple(shape), dtype=torch.int8 if name in matrices else dtypes[name])
        for name, shape in _shapes(model).items()
    ]
    _write_config(folder, stored, config, languages, notes)
    stream_weights(folder / WEIGHTS, plan, load)
    save_tokenizer(tokenizer, folder)


def quantize_model(path: Path, to: Path) -> None:
    """Write the model of one folder into another, in int8."""
    config, file = load_config(path), _weight_file(path)
    file.check(_shapes(_meta_model(config)), "the config")
    stream_model(
        to,
        config,
        load_tokenizer(path),
        {name: file.dtype(name) for name in file.names},
        file.read,
        languages=languages_of_folder(path),
        notes=_read_config(path)["notes"],
        stored="int8",
    )


def load_model(
    path: Path, *, device: str = "cpu", precision: Precision | None = None
) -> tuple[Transformer, ModelTokenizer]:
    """Read a folder, check that its parts fit together and prepare the model for inference.

    On a CPU a model computes in the precision that it is stored in, float32 or int8, unless a `precision` is
    given; in both no sentence depends on the others of its batch. In `int8-shared` it does, which is faster.
    On a GPU the precision is bfloat16.
    """
    config, target = load_config(path), parse_device(device)
    if target.type != "cpu" and precision in ("int8", "int8-shared"):
        raise LexalignError("int8 is for CPUs; leave it out with a GPU, where bfloat16 is faster")
    tokenizer = load_tokenizer(path)
    _check_sizes(path, config, tokenizer)
    chosen: Precision = precision or stored_precision(path)
    if target.type == "cpu":
        return _read_model(config, _weight_file(path), chosen).pack(chosen), tokenizer
    model = _read_model(config, _weight_file(path), "float32")
    return model.to(target, torch.bfloat16).eval().requires_grad_(False), tokenizer


def copy_weights(model: Transformer, folder: Path) -> None:
    """Copy the weights of a folder into a model."""
    file = _weight_file(folder)
    file.check(_shapes(model), "the config")
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(file.read_float(name))


def load_config(path: Path) -> ModelConfig:
    if not path.is_dir():
        raise ModelNotFoundError(
            f"{path}: no such model folder; see which models are here: lexalign models list",
            in_python=f"{path}: no such model folder; lexalign.list_models() tells which models are here",
        )
    for name in (CONFIG, WEIGHTS):
        if not (path / name).is_file():
            raise LexalignError(f"{path}: {name} is missing; this is not a complete model folder")
    if not has_tokenizer(path):
        raise LexalignError(f"{path}: tokenizer.model is missing; this is not a complete model folder")
    content = _read_config(path)
    if content["format"] not in FORMATS.values():
        known = " and ".join(str(number) for number in FORMATS.values())
        raise LexalignError(
            f"{path}: model format {content['format']}; this version of lexalign reads format {known}"
        )
    return ModelConfig.from_dict(content["model"])


def stored_precision(path: Path) -> StoredPrecision:
    return "int8" if _read_config(path)["format"] == FORMATS["int8"] else "float32"


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
    """The device of a name: `cpu`, `cuda`, `cuda:1`, or `auto` for a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
    except RuntimeError:
        device = None
    if device is None or device.type not in ("cpu", "cuda"):
        raise LexalignError(f"unknown device {name!r}; use cpu, cuda, cuda:0, or auto")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise LexalignError(
            f"there is no device {name!r}: torch sees {torch.cuda.device_count()} GPUs; use cpu or auto"
        )
    return device


def _read_config(path: Path) -> dict[str, Any]:
    try:
        content = json.loads((path / CONFIG).read_text(encoding="utf-8"))
        return {
            "format": content["format"],
            "model": dict(content["model"]),
            "notes": content.get("notes", {}),
        }
    except (ValueError, KeyError, TypeError) as error:
        raise LexalignError(f"{path / CONFIG}: not a model's config ({error})") from None


def _write_config(
    folder: Path,
    stored: StoredPrecision,
    config: ModelConfig,
    languages: Languages | None,
    notes: dict[str, Any],
) -> None:
    content = {
        "format": FORMATS[stored],
        **as_config(languages),
        "model": config.to_dict(),
        "notes": notes,
    }
    (folder / CONFIG).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _weight_file(path: Path) -> WeightFile:
    return WeightFile(path / WEIGHTS, "copy the model again")


def _meta_model(config: ModelConfig) -> Transformer:
    """A model on the meta device, without memory."""
    with torch.device("meta"):
        return Transformer(config)


def _shapes(model: Transformer) -> dict[str, torch.Size]:
    return {name: parameter.shape for name, parameter in model.named_parameters()}


def _quantisable_modules(model: Transformer) -> Iterator[tuple[str, Projection | TokenEmbedding]]:
    """The modules that can be int8, with the name of their weight in a file, which tied weights share."""
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    for module in model.modules():
        if isinstance(module, Projection | TokenEmbedding):
            yield names[id(module.weight)], module


def _read_model(config: ModelConfig, file: WeightFile, precision: Precision) -> Transformer:
    """The model with its weights; in int8, each weight is in floating point only while it is quantised."""
    model = _meta_model(config)
    file.check(_shapes(model), "the config")
    if precision != "float32":
        quantised: dict[str, Int8Rows] = {}  # by name, so that tied weights share one
        for name, module in list(_quantisable_modules(model)):
            module.use_int8(_read_int8(file, name, quantised))
    for name, parameter in list(model.named_parameters()):
        if parameter.is_meta:
            # One by one: torch's own `to_empty` would import sympy for meta tensors.
            owner, _, own_name = name.rpartition(".")
            value = torch.empty(parameter.shape).copy_(file.read_float(name))
            setattr(model.get_submodule(owner), own_name, nn.Parameter(value))
    model.tie()
    model.reset_positions()
    return model


def _read_int8(file: WeightFile, name: str, quantised: dict[str, Int8Rows]) -> Int8Rows:
    """A weight in int8, mapped anew if it is stored so: its pages are freed once it is packed."""
    weight = file.read(name)
    if isinstance(weight, Int8Rows):
        return weight
    if name not in quantised:
        quantised[name] = Int8Rows.of(weight)
    return quantised[name]
