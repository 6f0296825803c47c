"""How the attention of a pair's two models agrees on validation text."""

from experiments.pairs import DIRECTIONS
from experiments.workspace import Workspace
from lexalign.alignment.final_marks import final_marks
from lexalign.alignment.layer_selection import AttentionTables
from lexalign.models.folder import load_model
from lexalign.training.heads.validation import HeldOut
from lexalign.training.heads.views import Onlookers
from lexalign.training.stores import validation_store

_BATCH_TOKENS = 4_500


def compare_attention(workspace: Workspace) -> AttentionTables:
    models = [load_model(workspace.model(direction), device=workspace.device) for direction in DIRECTIONS]
    (forward, tokenizer), (backward, _) = models
    folder = workspace.folder / "layers"
    store = validation_store(workspace.text("valid"), tokenizer, forward.config, folder, workspace.say)
    held_out = HeldOut(Onlookers(forward, backward), store, _BATCH_TOKENS)
    return held_out.compare_attention(final_marks(tokenizer.target))
