"""`import_model`: a folder or a file of another toolkit, found out by what it holds."""

from pathlib import Path

from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.interop.fairseq import find_checkpoint, read_fairseq
from lexalign.interop.foreign_files import about
from lexalign.interop.hub_tokenizers import ForeignVocabulary
from lexalign.interop.huggingface import read_huggingface
from lexalign.interop.key_map import FAIRSEQ, HUGGINGFACE
from lexalign.interop.transfer import transfer
from lexalign.interop.weight_files import open_weights
from lexalign.models.config import ModelConfig
from lexalign.models.projection import StoredPrecision
from lexalign.text.model_languages import languages_of_name
from lexalign.text.subwords import Languages


def import_model(
    path: Path,
    folder: Path,
    *,
    int8: bool = False,
    languages: Languages | None = None,
    notes: dict[str, str] | None = None,
) -> ModelConfig:
    """Write a whole model folder, or nothing; in `int8`, or in the precision that the weights have.

    `languages` of a model of one pair are what its files or its name say, unless they are given.
    """
    if not path.exists():
        raise LexalignError(f"{path}: no such file or folder")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LexalignError(f"{folder} exists; import into a new folder")
    stored: StoredPrecision = "int8" if int8 else "float32"
    told = {"lexalign": __version__, "imported": path.resolve().name, **(notes or {})}
    if (path / "config.json").is_file():
        config, vocabulary = read_huggingface(path)
        with open_weights(path) as weights, about(path):
            pair = _languages(path, vocabulary, languages)
            return transfer(weights, HUGGINGFACE, config, vocabulary.tokenizer, folder, told, stored, pair)
    checkpoint = find_checkpoint(path)
    if checkpoint is None:
        raise LexalignError(
            f"{path}: neither config.json of HuggingFace nor a checkpoint of fairseq (*.pt) is there"
        )
    config, vocabulary, weights = read_fairseq(checkpoint)
    with about(path):
        pair = _languages(path, vocabulary, languages)
        return transfer(weights, FAIRSEQ, config, vocabulary.tokenizer, folder, told, stored, pair)


def _languages(path: Path, vocabulary: ForeignVocabulary, given: Languages | None) -> Languages | None:
    if not vocabulary.tokenizer.languages:
        return given or vocabulary.languages or languages_of_name(path)
    if given is not None:
        raise LexalignError("the model has many languages, to choose from when it translates; leave them out")
    return None
