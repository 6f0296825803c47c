"""A pair's two models, and its validation text to see where their attention agrees."""

from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.workspace import Workspace
from lexalign.alignment.attention import sentence_final_ids
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import ModelTokenizer
from lexalign.training.heads.frozen_models import FrozenModels
from lexalign.training.heads.held_out import HeldOut
from lexalign.training.stores import validation_store

Models = dict[Direction, tuple[Transformer, ModelTokenizer]]
_BATCH_TOKENS = 4_500


def load_models(workspace: Workspace) -> Models:
    return {one: load_model(workspace.model(one), device=workspace.device) for one in DIRECTIONS}


def validation_attention(workspace: Workspace, models: Models) -> tuple[HeldOut, tuple[int, ...]]:
    """The attention on validation text, and the sentence-final ids, which ShiftATT sets apart."""
    (forward, tokenizer), (backward, _) = models["forward"], models["backward"]
    folder = workspace.folder / "layers"
    store = validation_store(workspace.text("valid"), tokenizer, forward.config, folder, workspace.say)
    held_out = HeldOut(FrozenModels(forward, backward), store, _BATCH_TOKENS)
    return held_out, sentence_final_ids(tokenizer.target)
