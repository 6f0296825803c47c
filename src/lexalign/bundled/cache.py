"""The cache folder: LEXALIGN_HOME, or `lexalign` among the user's caches (XDG_CACHE_HOME, ~/.cache).

models/       downloaded models, ready to translate, in folders named after them: firefox--en-de
downloads/    files of downloads that are not finished
attention/    which attention aligns, for models in folders that cannot be written
detection/    the model that detects languages, as it is in memory
native/       compiled kernels

A model has a name where it can be downloaded: `Helsinki-NLP/opus-mt-de-en`, `firefox:en-de`, `argos:de-en`.
The name of a bundled model, or of one in a folder that LEXALIGN_MODELS lists, is that of its folder: `de-en`.
"""

import os
import re
from pathlib import Path

from lexalign.contracts.errors import LexalignError, ModelNotFoundError
from lexalign.storage import cache_folder

_BUNDLED = Path(__file__).parent
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_INDEX_NAME = re.compile(r"(firefox|argos):([A-Za-z_]{2,8})-([A-Za-z_]{2,8})")


def models_folder() -> Path:
    return cache_folder() / "models"


def model_places() -> list[Path]:
    """The folders in which models are found: the user's own, that of downloads, and that of bundled ones."""
    own = [Path(part) for part in os.environ.get("LEXALIGN_MODELS", "").split(os.pathsep) if part]
    for folder in own:
        if not folder.is_dir():
            raise LexalignError(f"LEXALIGN_MODELS names {folder}, and there is no such folder")
    downloaded = [models_folder()] if models_folder().is_dir() else []
    return [*own, *downloaded, _BUNDLED]


def is_model_name(text: str) -> bool:
    return bool(_HUB_NAME.fullmatch(text) or _INDEX_NAME.fullmatch(text))


def parse_index_name(name: str) -> tuple[str, str, str] | None:
    """The index and both languages of `firefox:en-de`; None for other names."""
    found = _INDEX_NAME.fullmatch(name)
    return (found[1], found[2], found[3]) if found else None


def folder_of_name(name: str) -> Path:
    """Where the model of a name is, or would be."""
    return models_folder() / name.replace("/", "--").replace(":", "--")


def find_folder(given: str | Path) -> Path:
    """The folder of a model that is given by its folder, by that of its training run, or by its name."""
    path = Path(given)
    name = str(given)
    if not path.exists() and path.name == name and (installed := _installed(name)):
        return installed
    if path.exists() or not is_model_name(name):
        trained = path / "model"
        return trained if not (path / "config.json").exists() and trained.is_dir() else path
    folder = folder_of_name(name)
    if not folder.is_dir():
        raise ModelNotFoundError(
            f"{name} is neither a folder nor downloaded; get it: lexalign models get {name}",
            in_python=f'{name} is neither a folder nor downloaded; get it: lexalign.download("{name}")',
        )
    return folder


def refuse_bundled(folder: Path) -> None:
    """Bundled models stay as they are installed."""
    if folder.resolve().parent == _BUNDLED.resolve():
        raise LexalignError(
            f"{folder.name} is a bundled model; copy its folder, {folder}, and change the copy"
        )


def _installed(name: str) -> Path | None:
    found = (place / name for place in model_places())
    return next((folder for folder in found if (folder / "config.json").is_file()), None)
