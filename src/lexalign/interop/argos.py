"""Import of Argos packages, the models of Argos Translate and LibreTranslate.

A package (`.argosmodel`) is a zip archive of one folder:

    metadata.json          from_code and to_code
    model/                 a CTranslate2 model
    sentencepiece.model    the segmentation of both languages
    stanza/                a sentence splitter, which is not needed here

Archives come from strangers: members outside of the folder, links, and contents far larger than the archive
are refused before anything is unpacked.
"""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from stat import S_ISLNK

from lexalign.contracts.errors import LexalignError
from lexalign.interop.ctranslate2.binary import BINARY
from lexalign.interop.ctranslate2.reading import read_ctranslate2
from lexalign.interop.foreign_files import read_json
from lexalign.interop.hub_tokenizers import read_pieces
from lexalign.interop.transfer import ForeignModel
from lexalign.interop.weight_files import Weights
from lexalign.text.languages import is_language, primary

METADATA, PIECES, MODEL = "metadata.json", "sentencepiece.model", "model"
_BYTE_PAIRS = "bpe.model"
# Weights hardly compress: what is so many times larger than its archive is no model.
_LARGEST_RATIO = 20
_LARGEST_SMALL = 64 * 2**20  # bytes that any archive may have


def is_argos(path: Path) -> bool:
    """Whether a path is a package, packed or unpacked."""
    if path.is_dir():
        return (path / METADATA).is_file() and (path / MODEL).is_dir()
    return path.suffix == ".argosmodel"


@contextmanager
def open_argos(path: Path) -> Iterator[tuple[ForeignModel, Weights]]:
    if path.is_dir():
        yield _read_package(path)
        return
    with tempfile.TemporaryDirectory() as scratch:
        try:
            found = _read_package(_unpack(path, Path(scratch)))
        except LexalignError as error:  # names members of the archive, not where they were unpacked
            raise LexalignError(f"{path}: {str(error).replace(f'{scratch}/', '')}") from None
        yield found


def _read_package(folder: Path) -> tuple[ForeignModel, Weights]:
    metadata = read_json(folder / METADATA)
    if metadata.get("type", "translate") != "translate":
        raise LexalignError(
            f"a package of the type {metadata['type']!r}; only translation packages have a model"
        )
    if not (folder / PIECES).is_file() and (folder / _BYTE_PAIRS).is_file():
        raise LexalignError(
            f"{_BYTE_PAIRS}: packages with Moses tokens and byte pairs are not supported, only those with "
            f"{PIECES}; import the OPUS-MT model that this one was converted from"
        )
    pieces = read_pieces(folder / PIECES)
    model, weights = read_ctranslate2(folder / MODEL, (pieces, pieces))
    codes = [str(metadata.get(name) or "") for name in ("from_code", "to_code")]
    source, target = map(primary, codes)
    if model.vocabulary.tokenizer.languages or not (is_language(source) and is_language(target)):
        return model, weights
    return replace(model, vocabulary=replace(model.vocabulary, languages=(source, target))), weights


def _unpack(path: Path, scratch: Path) -> Path:
    """The folder of the package, without what is not needed of it."""
    try:
        with zipfile.ZipFile(path) as archive:
            root, members = _checked_members(archive, path.stat().st_size)
            for name, member in members.items():
                (scratch / name).parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as packed, (scratch / name).open("wb") as file:
                    shutil.copyfileobj(packed, file)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise LexalignError(f"not a complete zip archive ({error}); download the package again") from None
    return scratch / root


def _checked_members(archive: zipfile.ZipFile, size: int) -> tuple[str, dict[str, zipfile.ZipInfo]]:
    """The name of the package's folder, and the files that are needed by their names."""
    members = {one.filename: one for one in archive.infolist() if not one.is_dir()}
    for name, member in members.items():
        parts = PurePosixPath(name.replace("\\", "/")).parts
        if (
            name.startswith(("/", "\\"))
            or ".." in parts
            or ":" in name
            or S_ISLNK(member.external_attr >> 16)
        ):
            raise LexalignError(f"the member {name!r} points outside of the package; it is not unpacked")
    total = sum(member.file_size for member in members.values())
    if total > max(_LARGEST_SMALL, _LARGEST_RATIO * size):
        raise LexalignError(f"{total} bytes in an archive of {size}; no real model is compressed so much")
    found = [name for name in members if PurePosixPath(name).name == METADATA]
    if not found:
        raise LexalignError(f"no {METADATA} in the archive; it is not an Argos package")
    root = min((PurePosixPath(name).parent for name in found), key=lambda parent: len(parent.parts))
    needed = {METADATA, PIECES, _BYTE_PAIRS}
    chosen = {
        name: member
        for name, member in members.items()
        if (place := PurePosixPath(name)).is_relative_to(root)
        and (str(place.relative_to(root)) in needed or place.relative_to(root).parts[0] == MODEL)
    }
    if str(root / MODEL / BINARY) not in chosen:
        raise LexalignError(f"no {MODEL}/{BINARY} in the archive; the package has no model")
    return str(root), chosen
