"""`import_model`: import of a folder or file of another toolkit, detected by its content."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lexalign import __version__
from lexalign.bundled.cache import is_model_name
from lexalign.contracts.errors import LexalignError
from lexalign.interop.argos import is_argos, open_argos
from lexalign.interop.ctranslate2.reading import is_ctranslate2, read_ctranslate2
from lexalign.interop.fairseq import find_checkpoint, read_fairseq
from lexalign.interop.foreign_files import error_context
from lexalign.interop.hub_tokenizers import ForeignVocabulary
from lexalign.interop.huggingface import open_huggingface
from lexalign.interop.marian_nmt.files import find_model
from lexalign.interop.marian_nmt.reading import import_marian
from lexalign.interop.transfer import ForeignModel, transfer
from lexalign.interop.weight_files import Weights
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
    """Write a model folder atomically, in `int8` or in the precision of the weights.

    The languages of a model of one pair are those of its files or its name, unless they are given.
    """
    if not path.exists():
        raise LexalignError(f"{path}: no such file or folder{_advice(path)}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LexalignError(f"{folder} exists; import into a new folder")
    stored: StoredPrecision = "int8" if int8 else "float32"
    all_notes = {"lexalign": __version__, "imported": path.resolve().name, **(notes or {})}
    others = is_argos(path) or is_ctranslate2(path) or (path / "config.json").is_file()
    if not others and (marian := find_model(path)) is not None:
        return import_marian(marian, folder, int8=int8, languages=languages, notes=all_notes)
    with _open(path) as (model, weights), error_context(path):
        pair = _languages(path, model.vocabulary, languages)
        return transfer(model, weights, folder, all_notes, stored, pair)


@contextmanager
def _open(path: Path) -> Iterator[tuple[ForeignModel, Weights]]:
    if is_argos(path):
        with open_argos(path) as found:
            yield found
        return
    if is_ctranslate2(path):
        yield read_ctranslate2(path)
        return
    if (path / "config.json").is_file():
        with open_huggingface(path) as found:
            yield found
        return
    checkpoint = find_checkpoint(path)
    if checkpoint is None:
        raise LexalignError(
            f"{path}: neither config.json of HuggingFace, nor model.bin of CTranslate2, nor a model of "
            "Marian (*.npz, *.bin), nor a checkpoint of fairseq (*.pt) is there"
        )
    yield read_fairseq(checkpoint)


def _advice(path: Path) -> str:
    """A name of a hub is no folder, but can be got."""
    name = str(path)
    return (
        f"; if it is the name of a model, get it: lexalign models get {name}" if is_model_name(name) else ""
    )


def _languages(path: Path, vocabulary: ForeignVocabulary, given: Languages | None) -> Languages | None:
    if not vocabulary.tokenizer.languages:
        return given or vocabulary.languages or languages_of_name(path)
    if given is not None:
        raise LexalignError("the model has many languages, to choose from when it translates; leave them out")
    return None
