"""Models in the cache folder: got by name, described, removed."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lexalign.alignment.head_files import saved_heads
from lexalign.bundled import BundledModels
from lexalign.bundled.cache import (
    folder_of_name,
    is_model_name,
    models_folder,
    parse_index_name,
)
from lexalign.contracts.errors import LexalignError
from lexalign.hub.download import OnProgress, UnreachableError, download
from lexalign.hub.huggingface import list_huggingface
from lexalign.hub.indexes import list_argos, list_firefox
from lexalign.hub.listing import Listing
from lexalign.interop.importing import import_model
from lexalign.storage import cache_folder
from lexalign.text.model_languages import languages_of_folder
from lexalign.text.subwords import Languages

Say = Callable[[str], None]


def get_model(
    name: str,
    *,
    int8: bool = False,
    say: Say = lambda _: None,
    on_progress: OnProgress = lambda *_: None,
) -> Path:
    """Download and import a model, unless it is there; return its folder.

    What is downloaded stays until it is imported, so that a command that was stopped goes on.
    """
    folder = folder_of_name(_checked(name))
    if folder.is_dir():
        return folder
    try:
        listing = _list(name)
        say(f"{name}, version {listing.version}: {len(listing.files)} files, {_megabytes(listing.size)}")
        downloads = cache_folder() / "downloads" / folder.name
        content = downloads / name.rpartition("/")[2].replace(":", "-")
        paths = [download(file, content, on_progress) for file in listing.files]
    except UnreachableError as error:
        raise LexalignError(
            f"{error}; without a network, run `lexalign models get {name}` elsewhere, and bring its folder "
            f"models/{folder.name} here, to {folder}"
        ) from None
    notes = {"name": name, "version": listing.version}
    import_model(
        paths[0] if listing.packed else content, folder, int8=int8, languages=listing.languages, notes=notes
    )
    shutil.rmtree(downloads)
    return folder


def _checked(name: str) -> str:
    if not is_model_name(name):
        raise LexalignError(
            f"{name!r} is not the name of a model; names look like Helsinki-NLP/opus-mt-de-en, "
            "firefox:en-de or argos:de-en"
        )
    return name


def _list(name: str) -> Listing:
    parsed = parse_index_name(name)
    if parsed is None:
        return list_huggingface(name)
    index, source, target = parsed
    return list_firefox(source, target) if index == "firefox" else list_argos(source, target)


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size else "of unknown size"


@dataclass(frozen=True, kw_only=True)
class ModelDescription:
    """A model that `--model` takes by its name, or `--from` and `--to` find."""

    name: str
    folder: Path
    languages: Languages | None
    size: int  # of its files, in bytes
    version: str | None  # None for bundled models
    has_head: bool
    is_default: bool  # `--from` and `--to` find it

    @property
    def direction(self) -> str:
        return " to ".join(self.languages) if self.languages else "many languages"


def describe_models() -> list[ModelDescription]:
    """All downloaded and bundled models."""
    found = BundledModels.installed().folders
    chosen = {folder.resolve() for folder in found.values()}
    cached = sorted(models_folder().iterdir()) if models_folder().is_dir() else []
    downloaded = [path for path in cached if (path / "config.json").is_file()]
    others = [path for path in found.values() if path not in downloaded]
    return [_describe(path, path.resolve() in chosen) for path in (*downloaded, *others)]


def describe_model(name: str) -> ModelDescription:
    for one in describe_models():
        if name in (one.name, str(one.folder)):
            return one
    raise _not_here(name)


def _describe(folder: Path, is_default: bool) -> ModelDescription:
    notes = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("notes", {})
    is_cached = folder.parent == models_folder()
    return ModelDescription(
        name=str(notes.get("name", folder.name)) if is_cached else folder.name,
        folder=folder,
        languages=languages_of_folder(folder),
        size=sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
        version=str(notes.get("version", "")) if is_cached else None,
        has_head="post-aln" in saved_heads(folder),
        is_default=is_default,
    )


def remove_model(name: str) -> Path:
    """Remove a downloaded model, or what has come of its download."""
    folder = folder_of_name(_checked(name))
    downloads = cache_folder() / "downloads" / folder.name
    if not folder.is_dir() and not downloads.is_dir():
        raise _not_here(name)
    for path in (folder, downloads):
        if path.is_dir():
            shutil.rmtree(path)
    return folder


def _not_here(name: str) -> LexalignError:
    names = ", ".join(one.name for one in describe_models())
    return LexalignError(
        f"{name} is not installed; those installed are {names}; get another: lexalign models get NAME"
    )
