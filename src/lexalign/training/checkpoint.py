"""What a run needs to go on as if it had never stopped, and the models it averages in the end."""

import pickle
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import START, Position
from lexalign.storage import new_file

CHECKPOINT = "checkpoint.pt"


@dataclass
class Progress:
    """How far a run has come."""

    update: int = 0
    batches: int = 0  # of an update, over all ranks; 0 where an older version did not say
    position: Position = START
    seconds: float = 0.0  # of training, validation left out
    target_tokens: int = 0
    tokens_since_log: int = 0
    seconds_since_log: float = 0.0
    best_loss: float = float("inf")
    validations_without_gain: int = 0
    stopped_early: bool = False
    optimizer_start: int = 0  # the update after which the optimiser began without a state


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """What is read back beside the model."""

    progress: Progress
    optimizer: dict[str, Any] | None  # where a portable checkpoint has left it out
    losses: Tensor  # summed since the last log


class Checkpoints:
    """The files of a run: one checkpoint to resume from, and the last few models."""

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep
        self._file = folder / CHECKPOINT
        folder.mkdir(parents=True, exist_ok=True)

    def save(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        progress: Progress,
        losses: Tensor,
        signature: str,
    ) -> dict[str, Any]:
        """Write the checkpoint, and give back its content."""
        content = {
            "progress": asdict(progress),
            "model": _weights(model),
            "optimizer": optimizer.state_dict(),
            "losses": losses.cpu(),
            "signature": signature,
        }
        with new_file(self._file) as temporary:
            torch.save(content, temporary)
        return content

    def check(self, signature: str) -> None:
        """Refuse the checkpoint of another run."""
        if self._file.exists() and _read(self._file, peek=True)["signature"] != signature:
            raise LexalignError(
                f"{self._file} belongs to a run with other options, models or data; use another folder"
            )

    def load(self, model: nn.Module, signature: str) -> "Checkpoint | None":
        """Bring the model to where the run stopped, if it had begun."""
        if not self._file.exists():
            return None
        self.check(signature)
        content = _read(self._file)
        load_weights(model, content["model"])
        values = content["progress"]
        progress = Progress(**{**values, "position": Position(**values["position"])})
        return Checkpoint(progress=progress, optimizer=content["optimizer"], losses=content["losses"])

    def snapshot(self, model: nn.Module, update: int) -> None:
        """Keep this model for the average, and drop the oldest."""
        with new_file(self._folder / f"model-{update}.safetensors") as temporary:
            save_file(_weights(model), temporary)
        for path in self._snapshots()[: -self._keep]:
            path.unlink()

    def forget(self, updates: Callable[[int], bool]) -> None:
        """Drop the models of some updates from the average."""
        for path in self._snapshots():
            if updates(_update(path)):
                path.unlink()

    def average(self) -> dict[str, Tensor]:
        """The mean of the last models."""
        paths = self._snapshots()[-self._keep :]
        total: dict[str, Tensor] = {}
        for path in paths:
            for name, value in load_file(path).items():
                total[name] = total[name] + value.double() if name in total else value.double()
        return {name: (value / len(paths)).float() for name, value in total.items()}

    def _snapshots(self) -> list[Path]:
        """Oldest first."""
        return sorted(self._folder.glob("model-*.safetensors"), key=_update)


def _update(snapshot: Path) -> int:
    return int(snapshot.stem.split("-")[1])


def _weights(model: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().cpu().contiguous() for name, value in model.named_parameters()}


def load_weights(model: nn.Module, weights: dict[str, Tensor]) -> None:
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(weights[name])


def saved_batches(path: Path) -> int | None:
    """How many batches an update of a run has, if it has begun."""
    return _saved(path).get("batches", 0) or None


def saved_update(path: Path) -> int:
    """How far a run is; 0 if it has not begun."""
    return int(_saved(path).get("update", 0))


def _saved(path: Path) -> dict[str, Any]:
    content = _read(path, peek=True) if path.exists() else {}
    found: dict[str, Any] = content.get("progress", content)
    return found


def _read(path: Path, *, peek: bool = False) -> dict[str, Any]:
    """With `peek`, weights are left on the disk until they are looked at."""
    try:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True, mmap=peek)
    except (RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:
        raise LexalignError(f"{path}: cannot be read ({error}); delete it to start again") from None
    return content
