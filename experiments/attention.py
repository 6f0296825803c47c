"""A pair's two models and its validation text, to see where their attention agrees."""

from experiments.pairs import DIRECTIONS
from experiments.workspace import Workspace
from lexalign.alignment.final_marks import final_marks
from lexalign.models.folder import load_model
from lexalign.training.heads.validation import HeldOut
from lexalign.training.heads.views import Onlookers
from lexalign.training.stores import validation_store

_BATCH_TOKENS = 4_500


def validation_attention(workspace: Workspace) -> tuple[HeldOut, tuple[int, ...]]:
    """And the final marks of the vocabulary, which ShiftATT sets apart."""
    models = [load_model(workspace.model(direction), device=workspace.device) for direction in DIRECTIONS]
    (forward, tokenizer), (backward, _) = models
    folder = workspace.folder / "layers"
    store = validation_store(workspace.text("valid"), tokenizer, forward.config, folder, workspace.say)
    return HeldOut(Onlookers(forward, backward), store, _BATCH_TOKENS), final_marks(tokenizer.target)
