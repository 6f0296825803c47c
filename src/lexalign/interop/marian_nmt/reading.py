"""Import of a Marian model into a model folder."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.decoding.lexical_shortlist import LexicalShortlist
from lexalign.interop.foreign_files import error_context
from lexalign.interop.marian_nmt.files import MarianFiles, find_files
from lexalign.interop.marian_nmt.options import check_options, model_config
from lexalign.interop.marian_nmt.shortlists import read_shortlist
from lexalign.interop.marian_nmt.tensors import SETTINGS, MarianTensors, read_tensors
from lexalign.interop.marian_nmt.vocabularies import END, padded_size, read_vocabularies
from lexalign.interop.marian_nmt.weights import MarianWeights
from lexalign.interop.marian_nmt.yaml_files import read_yaml
from lexalign.models.config import ModelConfig
from lexalign.models.folder import stream_model
from lexalign.storage import new_folder
from lexalign.text.foreign.tokenizer import ForeignTokenizer
from lexalign.text.model_languages import languages_of_name
from lexalign.text.subwords import Languages


@dataclass(frozen=True, kw_only=True)
class MarianModel:
    config: ModelConfig
    tokenizer: ForeignTokenizer
    weights: MarianWeights
    shortlist: LexicalShortlist | None
    files: MarianFiles


def import_marian(
    model: Path, folder: Path, *, int8: bool, languages: Languages | None, notes: dict[str, Any]
) -> ModelConfig:
    """Write a model folder atomically. Weights in int8 stay as they are, to the last bit."""
    found = read_marian(model)
    pair = languages or found.files.languages or languages_of_name(model.parent)
    if found.tokenizer.languages:
        if languages is not None:
            raise LexalignError(
                "the model has many languages, to choose from when it translates; leave them out"
            )
        pair = None
    with error_context(model), new_folder(folder) as new:
        stream_model(
            new,
            found.config,
            found.tokenizer,
            dict.fromkeys(found.weights.names, torch.float32),
            found.weights.load,
            languages=pair,
            notes=notes,
            stored="int8" if int8 or found.weights.in_int8 else "float32",
        )
        if found.shortlist is not None:
            found.shortlist.save(new, found.tokenizer.fingerprint)
    return found.config


def read_marian(model: Path) -> MarianModel:
    files, tensors = find_files(model), read_tensors(model)
    with error_context(model):
        options = _options(tensors)
        check_options(options)
        sizes = _sizes(tensors)
    vocabulary = read_vocabularies(*files.vocabularies, sizes)
    tokenizer = vocabulary.tokenizer
    with error_context(model):
        config = replace(
            model_config(options, padded_size(sizes)),
            eos_id=tokenizer.target_side.vocabulary.index(END),
            target_prefix=vocabulary.target_prefix,
            never_generated=vocabulary.never_generated,
            unlinked=vocabulary.unlinked,
        )
        weights = MarianWeights(tensors, config)
    shortlist = read_shortlist(files.shortlist, tokenizer, sizes, files.limits) if files.shortlist else None
    return MarianModel(config=config, tokenizer=tokenizer, weights=weights, shortlist=shortlist, files=files)


def _options(tensors: MarianTensors) -> dict[str, Any]:
    if SETTINGS not in tensors.names:
        raise LexalignError(f"{SETTINGS} is missing; the model does not say of what kind it is")
    with error_context(Path(SETTINGS)):
        return read_yaml(tensors.text(SETTINGS))


def _sizes(tensors: MarianTensors) -> tuple[int, int]:
    """The entries of the source and target vocabularies."""
    found = [
        tensors.matrix(own if own in tensors.names else "Wemb").shape[0]
        for own in ("encoder_Wemb", "decoder_Wemb")
        if own in tensors.names or "Wemb" in tensors.names
    ]
    if len(found) < 2:
        raise LexalignError("weight Wemb is missing; the model is incomplete, or of another kind")
    return found[0], found[1]
