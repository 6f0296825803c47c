"""The tokenizer of a model folder: our own is one file, that of an imported model a folder."""

from pathlib import Path

from lexalign.text.foreign.folder import load_foreign
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.tokenizer import Tokenizer

OWN, FOREIGN = "tokenizer.model", "tokenizer"


def save_tokenizer(tokenizer: ModelTokenizer, folder: Path) -> None:
    tokenizer.save(folder / (OWN if isinstance(tokenizer, Tokenizer) else FOREIGN))


def load_tokenizer(folder: Path) -> ModelTokenizer:
    return load_foreign(folder / FOREIGN) if (folder / FOREIGN).is_dir() else Tokenizer.load(folder / OWN)


def has_tokenizer(folder: Path) -> bool:
    return (folder / FOREIGN).is_dir() or (folder / OWN).is_file()
