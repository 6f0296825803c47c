"""A checkpoint to carry from one machine to another, in files of at most 16 MB.

    DIR/manifest.json     how far the run is, what it belongs to, and name, size and SHA-256 of each part
    DIR/part-000, ...     one safetensors file, cut into pieces

It holds the weights, the optimiser's state unless it is left out, the log and the vocabulary. In 16 bits,
weights are float16, which keeps three more bits of them than bfloat16 and has all the range they need;
the optimiser's averages of squared gradients are far below that range, and are bfloat16. In 32 bits the
run goes on exactly as it would have.

Unpacking makes a checkpoint in the folder of a run, from which it is resumed as ever.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from lexalign.contracts.errors import LexalignError
from lexalign.models.config import ModelConfig
from lexalign.storage import new_file, new_folder, write_text

MANIFEST = "manifest.json"
PART_BYTES = 16_000_000
_FORMAT = 1
_OPTIMIZER = "optimizer"
_LOG, _VOCABULARY = "log.jsonl", "tokenizer.model"
_WEIGHT_TYPES = {16: torch.float16, 32: torch.float32}
_STATE_TYPES = {16: torch.bfloat16, 32: torch.float32}
# What a run is recognised by, in the words of an error.
_SUBJECTS = {
    "model": "another model",
    "training": "other options",
    "batches": "updates of another size",
    "tokenizer": "another vocabulary",
    "data": "other data",
    "start": "another start",
}

Content = dict[str, Any]  # of a checkpoint, see `Checkpoints`
Identity = dict[str, Any]  # of a run: what it learns from and how


@dataclass(frozen=True, kw_only=True)
class PartOptions:
    """How a run is cut into parts. None of it changes what is learned, but for rounding to 16 bits."""

    portable: Path | None = None  # where a portable checkpoint is written whenever the run is saved
    continue_from: Path | None = None  # where one is taken up, if the run's folder is not further
    with_optimizer: bool = True
    bits: int = 16
    stop_after_updates: int = 0  # 0: never
    stop_after_seconds: float = 0.0  # since the command was given; 0: never

    def __post_init__(self) -> None:
        if self.bits not in _WEIGHT_TYPES:
            raise LexalignError(f"portable checkpoints have 16 or 32 bits, not {self.bits}")
        if self.stop_after_updates < 0 or self.stop_after_seconds < 0:
            raise LexalignError("a run cannot stop before it has begun; give a positive number")
        if self.portable is not None and _is_foreign(self.portable):
            raise LexalignError(
                f"{self.portable} exists and is not a portable checkpoint; choose another folder"
            )


def _is_foreign(path: Path) -> bool:
    """Whether writing a checkpoint here would replace something else."""
    if not path.exists() or (path / MANIFEST).exists():
        return False
    return not path.is_dir() or any(path.iterdir())


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """What `manifest.json` says, and where it is."""

    folder: Path
    values: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        path = folder / MANIFEST
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            known = values["format"] == _FORMAT
        except OSError as error:
            raise LexalignError(f"{folder} is not a portable checkpoint: {path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError):
            raise LexalignError(f"{path} is damaged; copy it again") from None
        if not known:
            raise LexalignError(f"{path} is of format {values['format']}; this version reads {_FORMAT}")
        return cls(folder=folder, values=values)

    @property
    def update(self) -> int:
        return int(self.values["update"])

    @property
    def batches(self) -> int:
        """Of an update, over all ranks."""
        return int(self.values["progress"]["batches"])

    def check(self, identity: Identity) -> None:
        """Refuse a run that would learn something else."""
        found, expected = (_with_defaults(one) for one in (self.values["identity"], identity))
        for name, subject in _SUBJECTS.items():
            one, other = found.get(name), expected.get(name)
            if one != other:
                raise LexalignError(
                    f"{self.folder} belongs to a run with {subject}{_difference(one, other)}; "
                    "give the command that it was started with"
                )

    def read_parts(self) -> bytes:
        """The content of all parts, if they are whole."""
        return b"".join(self._read_part(**part) for part in self.values["parts"])

    def _read_part(self, name: str, size: int, sha256: str) -> bytes:
        path = self.folder / name
        try:
            content = path.read_bytes()
        except OSError as error:
            raise LexalignError(
                f"{path}: {error.strerror}; {len(self.values['parts'])} parts are needed"
            ) from None
        if len(content) != size:
            raise LexalignError(f"{path} has {len(content)} bytes, not {size}; copy it again")
        if hashlib.sha256(content).hexdigest() != sha256:
            raise LexalignError(f"{path} is damaged: its SHA-256 is not that of the manifest; copy it again")
        return content


def pack(content: Content, options: PartOptions, run: Path, identity: Identity, settings: Content) -> None:
    """Write a checkpoint's content, with the log and the vocabulary of the run, as a portable checkpoint."""
    assert options.portable is not None
    blob = save(_tensors(content, options, run))
    progress = content["progress"]
    with new_folder(options.portable) as folder:
        parts = []
        for number, first in enumerate(range(0, len(blob), PART_BYTES)):
            piece, name = blob[first : first + PART_BYTES], f"part-{number:03}"
            (folder / name).write_bytes(piece)
            parts.append({"name": name, "size": len(piece), "sha256": hashlib.sha256(piece).hexdigest()})
        manifest = {
            "format": _FORMAT,
            "update": progress["update"],
            "position": progress["position"],
            "bits": options.bits,
            "optimizer": options.with_optimizer,
            "progress": {name: None if value == math.inf else value for name, value in progress.items()},
            "losses": content["losses"].tolist(),
            "signature": content["signature"],
            "identity": _plain(identity),
            "options": _plain(settings),
            "parts": parts,
        }
        write_text(folder / MANIFEST, json.dumps(manifest, indent=2) + "\n")


def unpack(manifest: Manifest, run: Path, checkpoint: Path, signature: str) -> None:
    """Put a portable checkpoint into the folder of a run, as one of that signature."""
    tensors = _load(manifest)
    tensors.pop(f"file.{_VOCABULARY}", None)
    if f"file.{_LOG}" in tensors:
        _write(run / _LOG, tensors.pop(f"file.{_LOG}"))
    values = manifest.values
    progress = {name: math.inf if value is None else value for name, value in values["progress"].items()}
    state: dict[int, dict[str, Tensor]] = {}
    for name in [name for name in tensors if name.startswith(f"{_OPTIMIZER}.")]:
        _, number, kind = name.split(".")
        state.setdefault(int(number), {})[kind] = tensors.pop(name).float()
    content = {
        "progress": progress,
        "model": {name.removeprefix("model."): value.float() for name, value in tensors.items()},
        "optimizer": {"state": state} if state else None,
        "losses": torch.tensor(values["losses"], dtype=torch.float64),
        "signature": signature,
    }
    with new_file(checkpoint) as temporary:
        torch.save(content, temporary)


def unpack_vocabulary(manifest: Manifest, run: Path) -> None:
    """Put the vocabulary of a portable checkpoint into the folder of a run."""
    tensors = _load(manifest)
    if f"file.{_VOCABULARY}" in tensors:
        _write(run / _VOCABULARY, tensors[f"file.{_VOCABULARY}"])


def _load(manifest: Manifest) -> dict[str, Tensor]:
    try:
        return load(manifest.read_parts())
    except SafetensorError as error:
        raise LexalignError(f"{manifest.folder} is damaged ({error}); copy it again") from None


def _write(path: Path, content: Tensor) -> None:
    with new_file(path) as temporary:
        temporary.write_bytes(content.numpy().tobytes())


def _tensors(content: Content, options: PartOptions, run: Path) -> dict[str, Tensor]:
    tensors = {
        f"model.{name}": value.to(_WEIGHT_TYPES[options.bits]) for name, value in content["model"].items()
    }
    if not all(bool(value.isfinite().all()) for value in tensors.values()):
        raise LexalignError("a weight exceeds 65,504, the maximum of 16 bits; use --portable-bits 32")
    if options.with_optimizer:
        kind = _STATE_TYPES[options.bits]
        for number, state in content["optimizer"]["state"].items():
            for name, value in state.items():
                exact = torch.float32 if value.ndim == 0 else kind  # the number of steps
                tensors[f"{_OPTIMIZER}.{number}.{name}"] = value.detach().to("cpu", exact)
    for name in (_LOG, _VOCABULARY):
        path = run / name
        if path.exists() and path.stat().st_size:
            tensors[f"file.{name}"] = torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8)
    return tensors


def _with_defaults(identity: Identity) -> Identity:
    """With all fields of the model: an older version may not have had, or may have named, some defaults."""
    return _plain({**identity, "model": ModelConfig.from_dict(_plain(identity["model"])).to_dict()})


def _plain(values: Content) -> Content:
    """As JSON gives it back."""
    plain: Content = json.loads(json.dumps(values))
    return plain


def _difference(found: Any, expected: Any) -> str:
    """The first field that differs, where there are fields."""
    if not isinstance(found, dict) or not isinstance(expected, dict):
        return ""
    name = next(name for name in {**found, **expected} if found.get(name) != expected.get(name))
    return f" ({name} = {found.get(name)!r}, here {expected.get(name)!r})"
