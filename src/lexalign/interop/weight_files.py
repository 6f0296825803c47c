"""Reading weights of other toolkits tensor by tensor: safetensors, PyTorch's files, and their shards.

PyTorch's files are pickles, which could run any code. They are read by torch's restricted unpickler; objects
of unknown classes, such as a toolkit's settings, become instances of an inert class.
"""

import json
import pickle
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from torch.serialization import get_unsafe_globals_in_checkpoint, safe_globals

from lexalign.contracts.errors import LexalignError
from lexalign.weights import Int8Rows, Weight

SAFETENSORS, PYTORCH = "model.safetensors", "pytorch_model.bin"


Changes = Mapping[str, Callable[[Weight], Weight]]  # of weights, by name


class Weights(Protocol):
    @property
    def names(self) -> set[str]: ...

    def get(self, name: str) -> Weight: ...


class LoadedWeights:
    """Weights that are in memory, or mapped from a file."""

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self._tensors = tensors

    @property
    def names(self) -> set[str]:
        return set(self._tensors)

    def get(self, name: str) -> Tensor:
        return self._tensors[name]


class SafetensorsWeights:
    """Weights of one safetensors file or of several shards."""

    def __init__(self, files: Mapping[str, Any]) -> None:
        self._files = files  # by the name of the tensor

    @property
    def names(self) -> set[str]:
        return set(self._files)

    def get(self, name: str) -> Tensor:
        found: Tensor = self._files[name].get_tensor(name)
        return found


class ChangedWeights:
    """Weights of which some are changed when they are read."""

    def __init__(self, weights: Weights, changes: Changes) -> None:
        self._weights, self._changes = weights, changes

    @property
    def names(self) -> set[str]:
        return self._weights.names

    def get(self, name: str) -> Weight:
        found = self._weights.get(name)
        return self._changes[name](found) if name in self._changes else found


def multiply(factor: float) -> Callable[[Weight], Weight]:
    """The change of a weight by a factor; its precision becomes float32, so that nothing is rounded twice."""

    def change(weight: Weight) -> Weight:
        value = weight.dequantised() if isinstance(weight, Int8Rows) else weight
        return value.float() * factor

    return change


@contextmanager
def open_weights(folder: Path) -> Iterator[Weights]:
    """The weights of a HuggingFace folder; safetensors before PyTorch's files."""
    for name, opened in ((SAFETENSORS, _open_safetensors), (PYTORCH, _open_pytorch)):
        paths = _shards(folder, name)
        if paths:
            with opened(paths) as weights:
                yield weights
            return
    raise LexalignError(f"{folder}: neither {SAFETENSORS} nor {PYTORCH} exists; the model is incomplete")


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The content of a file of torch.save, memory-mapped if its format allows."""
    try:
        unknown = get_unsafe_globals_in_checkpoint(path)
    except (ValueError, RuntimeError):  # the format before zip files, which cannot be inspected
        unknown = []
    inert_classes = [(_inert_class(name), name) for name in unknown]
    try:
        with safe_globals(inert_classes):  # type: ignore[arg-type]  # torch takes pairs too
            content = _load(path)
    except (RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LexalignError(f"{path}: cannot be read ({reason}); copy the model again") from None
    if not isinstance(content, dict):
        raise LexalignError(f"{path}: holds no weights but a {type(content).__name__}")
    return content


def _load(path: Path) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except RuntimeError as error:
        if "mmap" not in str(error):
            raise
        return torch.load(path, map_location="cpu", weights_only=True)


def _inert_class(name: str) -> type:
    """A class of the same name that runs no code; a Namespace, which may have settings, stays."""
    if name == "argparse.Namespace":
        return Namespace
    return type(name.rpartition(".")[2], (_Inert,), {})


class _Inert:
    def __init__(self, *_: object) -> None:
        pass

    def __setstate__(self, state: object) -> None:
        if isinstance(state, dict):
            self.__dict__.update(state)


def _shards(folder: Path, name: str) -> list[Path]:
    """The file of weights, or the shards that an index lists."""
    if (folder / name).is_file():
        return [folder / name]
    index = folder / f"{name}.index.json"
    if not index.is_file():
        return []
    try:
        names = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (ValueError, KeyError, AttributeError) as error:
        raise LexalignError(f"{index}: not an index of weights ({error!r})") from None
    for one in sorted(names):
        if Path(one).name != one or not (folder / one).is_file():
            raise LexalignError(f"{folder / one} is missing; {index.name} names it")
    return [folder / one for one in sorted(names)]


@contextmanager
def _open_safetensors(paths: list[Path]) -> Iterator[Weights]:
    files: dict[str, Any] = {}
    with ExitStack() as stack:
        for path in paths:
            try:
                opened = stack.enter_context(safe_open(path, framework="pt"))
            except (SafetensorError, OSError) as error:
                raise LexalignError(f"{path}: cannot be read ({error}); copy the model again") from None
            files.update(dict.fromkeys(opened.keys(), opened))
        yield SafetensorsWeights(files)


@contextmanager
def _open_pytorch(paths: list[Path]) -> Iterator[Weights]:
    tensors: dict[str, Tensor] = {}
    for path in paths:
        tensors.update(load_checkpoint(path))
    yield LoadedWeights(tensors)
