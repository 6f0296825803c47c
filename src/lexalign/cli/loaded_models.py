"""Translators that a helper process has loaded, for its forks; in any other process there are none."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexalign.models.projection import Precision
    from lexalign.text.subwords import Languages
    from lexalign.translator import Translator

_MAX_MODELS = 4

_loaded: dict[str, "Translator"] = {}  # by what was asked for and the state of the files, the oldest first
_on_load: list[Callable[[str], None]] = []  # who is told what a fork had to load


def load_translator(
    folder: Path, device: str, precision: "Precision | None", languages: "Languages | None"
) -> "Translator":
    """As `Translator.load`, or a translator that is there already."""
    from lexalign.translator import Translator

    key = json.dumps([str(folder.resolve()), device, precision, languages, _state(folder)])
    if key in _loaded:
        return _loaded[key]
    translator = Translator.load(folder, device=device, precision=precision, languages=languages)
    for tell in _on_load:
        tell(key)
    return translator


def tell_on_load(tell: Callable[[str], None]) -> None:
    _on_load.append(tell)


def keep_loaded(key: str) -> None:
    """Load what a fork has asked for, and what its first sentence needs, unless that is on a GPU."""
    import torch

    from lexalign.translator import Translator

    folder, device, precision, languages, state = json.loads(key)
    if key in _loaded or not (device == "cpu" or (device == "auto" and not torch.cuda.is_available())):
        return
    if _state(Path(folder)) != state:
        return
    languages = tuple(languages) if languages else None
    translator = Translator.load(folder, device="cpu", precision=precision, languages=languages)
    translator.translate("1 2 3.")
    while len(_loaded) >= _MAX_MODELS:
        del _loaded[next(iter(_loaded))]
    _loaded[key] = translator


def kept_folders() -> list[str]:
    return [json.loads(key)[0] for key in _loaded]


def _state(folder: Path) -> list[tuple[str, int, int]]:
    """What changes when the files of a model do; a folder that is not there is for loading to report."""
    inside = sorted(folder.iterdir()) if folder.is_dir() else []
    found = [(path.name, path.stat()) for path in inside if path.is_file()]
    return [[name, status.st_size, status.st_mtime_ns] for name, status in found]  # type: ignore[misc]
