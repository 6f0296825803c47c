"""One model in the formats of all engines."""

import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch

from lexalign.alignment.head_files import load_head, save_head, saved_heads
from lexalign.interop.hub_export import export_huggingface
from lexalign.interop.importing import import_model
from lexalign.models.config import ModelConfig
from lexalign.models.folder import load_model, save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions

_VOCABULARY = 10_000


@dataclass(frozen=True, kw_only=True)
class Folders:
    """The same weights in three formats; ids of Marian's are lower than ours by `shift`."""

    lexalign: Path
    marian: Path
    ctranslate2: Path
    shift: int = 1


def exported_folders(model: Path | None, peers: list[str], scratch: Path, seed: int) -> Folders:
    """A model of ours, or random weights, and what the peers read of it."""
    folders = Folders(
        lexalign=model or scratch / "lexalign", marian=scratch / "marian", ctranslate2=scratch / "ctranslate2"
    )
    if model is None:
        save_random_model(folders.lexalign, seed)
    if peers:
        weights, tokenizer = load_model(folders.lexalign, precision="float32")
        export_huggingface(weights, tokenizer, folders.marian, "xx", "yy")
    if "ct2" in peers:
        _convert(folders)
    return folders


def imported_folders(
    marian: Path | None, own: Path | None, peers: list[str], scratch: Path, seed: int
) -> Folders:
    """A model of Marian's, or one of ours that is exported first, and imported; heads of ours go with it."""
    folders = Folders(
        lexalign=scratch / "imported",
        marian=marian or scratch / "marian",
        ctranslate2=scratch / "ctranslate2",
        shift=0,
    )
    if marian is None:
        if own is None:
            save_random_model(scratch / "own", seed)
        export_huggingface(*load_model(own or scratch / "own"), folders.marian, "xx", "yy")
    import_model(folders.marian, folders.lexalign)
    if own is not None:
        for kind in saved_heads(own):
            save_head(folders.lexalign, *load_head(own, kind))
    if "ct2" in peers:
        _convert(folders)
    return folders


def save_random_model(folder: Path, seed: int) -> None:
    """Weights of the default size."""
    torch.manual_seed(seed)
    generator = random.Random(seed)
    words = ("".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=9)) for _ in range(20_000))
    with tempfile.TemporaryDirectory() as scratch:
        options = TokenizerOptions(vocabulary_size=_VOCABULARY)
        tokenizer = Tokenizer.train(words, options, Path(scratch) / "tokenizer.model")
    save_model(folder, Transformer(ModelConfig(vocabulary_size=_VOCABULARY)), tokenizer)


def _convert(folders: Folders) -> None:
    from ctranslate2.converters import TransformersConverter

    TransformersConverter(str(folders.marian)).convert(str(folders.ctranslate2))
