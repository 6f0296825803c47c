"""Alignment heads on disk, beside their model: `post-aln.safetensors` and `post-aln.json`, by their kind."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from lexalign.alignment.learned import HEADS, AlignmentHead
from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text
from lexalign.weights import Int8Rows, WeightFile, write_weights

_FLOAT, _INT8 = 1, 2  # format numbers of weights in floating point and in int8


@dataclass(frozen=True, kw_only=True)
class HeadSettings:
    """The settings of a head beside its weights; `notes` tell where the head comes from."""

    layer: int  # of the decoder, from 0
    temperature: float = 1.0
    threshold: float = 0.0  # word links below this probability are left out
    notes: dict[str, Any] = field(default_factory=dict)


def save_head(folder: Path, head: AlignmentHead, settings: HeadSettings, *, int8: bool = False) -> None:
    number = _INT8 if int8 else _FLOAT
    shape = {"format": number, "kind": head.kind, "width": head.width, "heads": head.heads}
    weights = {name: value.detach().cpu() for name, value in head.state_dict().items()}
    write_weights(
        folder / f"{head.kind}.safetensors",
        {name: Int8Rows.of(value) if int8 else value for name, value in weights.items()},
    )
    content = json.dumps(shape | asdict(settings), indent=2, ensure_ascii=False)
    write_text(folder / f"{head.kind}.json", content + "\n")


def load_head(folder: Path, kind: str) -> tuple[AlignmentHead, HeadSettings]:
    if kind not in HEADS:
        raise LexalignError(f"there is no alignment head {kind!r}; the kinds are {', '.join(HEADS)}")
    description, weights = folder / f"{kind}.json", folder / f"{kind}.safetensors"
    for path in (description, weights):
        if not path.is_file():
            raise LexalignError(f"{path} is missing; train a {kind} head for this model first")
    head, settings = _read_description(description, kind)
    _load_weights(head, weights)
    return head.eval().requires_grad_(False), settings


def saved_heads(folder: Path) -> list[str]:
    """The kinds of heads that a model's folder holds."""
    return [kind for kind in HEADS if (folder / f"{kind}.json").is_file()]


def _read_description(path: Path, kind: str) -> tuple[AlignmentHead, HeadSettings]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        number, found = content["format"], content["kind"]
        width, heads = int(content["width"]), int(content["heads"])
        settings = HeadSettings(
            layer=int(content["layer"]),
            temperature=float(content["temperature"]),
            threshold=float(content.get("threshold", 0.0)),
            notes=content.get("notes", {}),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise LexalignError(f"{path}: not the description of an alignment head ({error})") from None
    if number not in (_FLOAT, _INT8):
        known = f"{_FLOAT} and {_INT8}"
        raise LexalignError(f"{path}: head format {number}; this version of lexalign reads format {known}")
    if found != kind:
        raise LexalignError(f"{path}: describes a {found} head; the file was renamed")
    if heads < 1 or width < 1 or width % heads:
        raise LexalignError(f"{path}: width {width} is not a multiple of {heads} heads")
    if settings.temperature <= 0:
        raise LexalignError(f"{path}: the temperature {settings.temperature} is not positive")
    return HEADS[kind](width, heads), settings


def _load_weights(head: AlignmentHead, path: Path) -> None:
    """Weights in int8 become floating point, because a head is small and computes in it."""
    file = WeightFile(path, "copy the head again")
    file.check({name: value.shape for name, value in head.state_dict().items()}, "the description")
    with torch.no_grad():
        head.load_state_dict({name: file.read_float(name).float() for name in file.names})
