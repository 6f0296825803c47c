"""What a run of head training is asked for, and what it loads for that: models, text, heads saved before.

A run ends by saving new heads beside the models, so it copies the old ones to its own folder: a run that goes
on must find what it began with.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from lexalign.alignment.attention import sentence_final_ids
from lexalign.alignment.head_files import load_head, save_head, saved_heads
from lexalign.contracts.errors import LexalignError
from lexalign.data.filters import FilterOptions
from lexalign.data.preparation import file_digest
from lexalign.data.reader import ParallelText
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.training.heads.frozen_models import FrozenModels
from lexalign.training.heads.head_set import SavedHead, SavedHeads, check_shapes
from lexalign.training.heads.held_out import HeldOut
from lexalign.training.heads.labels import LabelFiles
from lexalign.training.heads.options import HeadOptions
from lexalign.training.ranks import Ranks, check_shared
from lexalign.training.stores import Say, Texts, prepare_texts


@dataclass(frozen=True, kw_only=True)
class HeadRun:
    """What is asked for, and where it is computed."""

    model_folders: Sequence[Path]  # of the forward model and, where there is one, of the backward model
    corpora: Sequence[ParallelText]
    valid: ParallelText
    labels: LabelFiles | None  # without files, the options name the teacher
    filters: FilterOptions
    folder: Path
    options: HeadOptions
    ranks: Ranks
    device: torch.device
    say: Say

    @property
    def both_directions(self) -> bool:
        return len(self.model_folders) == 2

    @property
    def distinct_folders(self) -> Sequence[Path]:
        """A multilingual model may be its own reverse."""
        distinct = {folder.resolve() for folder in self.model_folders}
        return self.model_folders[:1] if len(distinct) == 1 else self.model_folders


@dataclass(frozen=True, kw_only=True, eq=False)
class HeadInputs:
    """What all stages read, and none changes."""

    models: FrozenModels
    texts: Texts
    held_out: HeldOut
    saved: SavedHeads
    continues_word: Tensor  # (V,), tokens that continue a word
    final_ids: tuple[int, ...]  # of the marks that end sentences, which ShiftATT sets apart
    source_final_ids: tuple[int, ...]  # the same of the source, which may have a vocabulary of its own


def load_inputs(run: HeadRun) -> HeadInputs:
    models, tokenizer = _load_models(run)
    options, ranks = run.options, run.ranks
    check_shapes(models, options)
    with ranks.in_turn():
        check_shared(run.folder, ranks)
        saved = _saved(run, models) if run.labels is None and options.teacher == "post-aln" else []
        texts = prepare_texts(
            run.corpora, run.valid, tokenizer, run.filters, models.forward.config, run.folder, run.say
        )
    return HeadInputs(
        models=models,
        texts=texts,
        held_out=HeldOut(models, texts.valid.store, options.batch_tokens, ranks),
        saved=saved,
        continues_word=word_continuation_mask(tokenizer.target).to(run.device),
        final_ids=sentence_final_ids(tokenizer.target) if options.pin_marks else (),
        source_final_ids=_source_final_ids(run, tokenizer),
    )


def _source_final_ids(run: HeadRun, tokenizer: ModelTokenizer) -> tuple[int, ...]:
    """Only one model that is its own teacher may read other tokens than it writes."""
    if run.options.teacher != "self" or not run.options.pin_marks:
        return ()
    return sentence_final_ids(tokenizer.between(run.corpora[0].languages).source)


def _load_models(run: HeadRun) -> tuple[FrozenModels, ModelTokenizer]:
    folders = run.model_folders
    loaded = [load_model(folder, device=str(run.device)) for folder in run.distinct_folders]
    tokenizer = loaded[0][1]
    if any(other.fingerprint != tokenizer.fingerprint for _, other in loaded):
        raise LexalignError(
            f"{folders[0]} and {folders[1]} have different vocabularies; train one with --tokenizer of the "
            "other, or align the text by `lexalign align --symmetrize` and give it as --labels"
        )
    if run.both_directions and not tokenizer.mirrored:
        raise LexalignError(
            f"{folders[0]} reads and writes in different tokens; train without --reverse-model"
        )
    return FrozenModels(loaded[0][0], loaded[-1][0] if run.both_directions else None), tokenizer


def _saved(run: HeadRun, models: FrozenModels) -> SavedHeads:
    """The heads that are beside the models when the run begins."""
    places = [run.folder / "teacher" / side for side in ("forward", "backward")]
    for folder in run.model_folders:
        load_head(folder, "post-aln")
    for folder, place in zip(run.model_folders, places, strict=True):
        _copy_heads(folder, place)
    return [_load_heads(place, model) for place, model in zip(places, models.all, strict=True)]


def _copy_heads(model_folder: Path, place: Path) -> None:
    """Copy all heads of a model, unless this was done before."""
    if place.exists():
        return
    with new_folder(place) as folder:
        for kind in saved_heads(model_folder):
            save_head(folder, *load_head(model_folder, kind))


def _load_heads(place: Path, model: Transformer) -> dict[str, SavedHead]:
    found = {}
    for kind in saved_heads(place):
        head, settings = load_head(place, kind)
        if head.width != model.config.width or not 0 <= settings.layer < model.decoder_layers:
            raise LexalignError(f"{place}: the {kind} head is of another model")
        found[kind] = SavedHead(head=head.to(model.device), settings=settings)
    return found


def saved_heads_fingerprints(folder: Path) -> list[str]:
    """Of the heads that a run has copied from each model."""
    return [_heads_fingerprint(place) for place in sorted((folder / "teacher").glob("*"))]


def _heads_fingerprint(place: Path) -> str:
    digests = [file_digest(place / f"{kind}.safetensors") for kind in saved_heads(place)]
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()
