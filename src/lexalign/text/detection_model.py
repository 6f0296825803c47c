"""py3langid's model, from a copy in the cache folder: mapped into memory, where it is decompressed at every
start otherwise. Of 68 MB a text needs a few pages, which all processes share.
"""

import contextlib
from importlib.metadata import version
from pathlib import Path

import numpy as np
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from lexalign.storage import cache_folder, new_folder

_ARRAYS = ("nb_ptc", "nb_pc", "nb_classes", "tk_nextmove", "tk_output", "tk_row")  # their names in py3langid


def load_identifier() -> LanguageIdentifier:
    copy = cache_folder() / "detection" / f"py3langid-{version('py3langid')}"
    try:
        return _read(copy)
    except (OSError, ValueError, TypeError):
        identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # A home that cannot be written to, or another version's way of keeping the model: it stays as slow.
    with contextlib.suppress(OSError, AttributeError, TypeError, ValueError):
        _write(copy, identifier)
    return identifier


def _write(folder: Path, identifier: LanguageIdentifier) -> None:
    with new_folder(folder) as temporary:
        for name in _ARRAYS:
            np.save(temporary / f"{name}.npy", np.asarray(getattr(identifier, name)), allow_pickle=False)


def _read(folder: Path) -> LanguageIdentifier:
    stored = {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in _ARRAYS}
    return LanguageIdentifier(
        np.asarray(stored["nb_ptc"]),
        np.asarray(stored["nb_pc"]),
        stored["nb_classes"].tolist(),
        memoryview(stored["tk_nextmove"]),  # an array whose items are Python's own integers
        stored["tk_output"].tolist(),
        norm_probs=True,
        tk_row=stored["tk_row"].tolist(),
    )
