"""Heads saved beside the models as the beginning of a run.

A run ends by saving new heads in their place, so it keeps the old ones in its own folder: a run that goes on,
or is looked at again, must find what it began with.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from lexalign.alignment.aligner import LearnedAligner
from lexalign.alignment.head_files import HeadSettings, load_head, save_head, saved_heads
from lexalign.alignment.learned import AlignmentHead
from lexalign.contracts.errors import LexalignError
from lexalign.data.preparation import file_digest
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder


@dataclass(frozen=True, kw_only=True)
class SavedHead:
    head: AlignmentHead
    settings: HeadSettings

    def aligner(self, model: Transformer) -> LearnedAligner:
        return LearnedAligner(
            self.head,
            model.target_embedding,
            layer=self.settings.layer,
            temperature=self.settings.temperature,
        )


def keep_heads(model_folder: Path, kept: Path) -> None:
    """Copy all heads of a model, unless this was done before."""
    if kept.exists():
        return
    with new_folder(kept) as folder:
        for kind in saved_heads(model_folder):
            save_head(folder, *load_head(model_folder, kind))


def kept_heads(kept: Path, model: Transformer) -> dict[str, SavedHead]:
    found = {}
    for kind in saved_heads(kept):
        head, settings = load_head(kept, kind)
        if head.width != model.config.width or not 0 <= settings.layer < model.decoder_layers:
            raise LexalignError(f"{kept}: the {kind} head is of another model")
        found[kind] = SavedHead(head=head.to(model.device), settings=settings)
    return found


def heads_fingerprint(kept: Path) -> str:
    digests = [file_digest(kept / f"{kind}.safetensors") for kind in saved_heads(kept)]
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()
