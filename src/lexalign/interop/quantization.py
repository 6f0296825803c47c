"""Quantization of a model folder, with its alignment heads, to int8."""

import shutil
from pathlib import Path

from lexalign.alignment.head_files import load_head, save_head, saved_heads
from lexalign.contracts.errors import LexalignError
from lexalign.models.folder import CONFIG, WEIGHTS, load_config, quantize_model
from lexalign.storage import new_folder
from lexalign.text.tokenizer_files import OWN


def quantize_folder(path: Path, to: Path) -> int:
    """Write the folder `to` atomically, and return its size in bytes."""
    load_config(path)
    if to.exists():
        raise LexalignError(f"{to} already exists; choose another folder, or remove it")
    with new_folder(to) as folder:
        quantize_model(path, folder)
        kinds = saved_heads(path)
        for kind in kinds:
            save_head(folder, *load_head(path, kind), int8=True)
        written = {CONFIG, WEIGHTS, OWN}.union(*({f"{kind}.json", f"{kind}.safetensors"} for kind in kinds))
        for file in path.iterdir():
            if file.is_file() and file.name not in written:  # a licence, a description, the attention layers
                shutil.copyfile(file, folder / file.name)
    return folder_size(to)


def folder_size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
