"""Choose the layers whose attention aligns: those on which both directions agree best on validation text."""

from experiments.pairs import DIRECTIONS
from experiments.stage import Stage
from experiments.workspace import Result, Workspace
from lexalign.alignment.attention_layers import write_attention_layers
from lexalign.alignment.final_marks import final_marks
from lexalign.models.folder import load_model
from lexalign.training.heads.validation import HeldOut
from lexalign.training.heads.views import Onlookers
from lexalign.training.stores import validation_store

_METHODS = ("naive-att", "shift-att")
_BATCH_TOKENS = 4_500


def run(workspace: Workspace, _fingerprint: str) -> Result:
    models = [load_model(workspace.model(direction), device=workspace.device) for direction in DIRECTIONS]
    (forward, tokenizer), (backward, _) = models
    folder = workspace.folder / "layers"
    store = validation_store(workspace.text("valid"), tokenizer, forward.config, folder, workspace.say)
    tables = HeldOut(Onlookers(forward, backward), store, _BATCH_TOKENS).choose_layers(
        final_marks(tokenizer.target)
    )
    for side, direction in enumerate(DIRECTIONS):
        chosen = {method: tables[method].best[side] for method in _METHODS}
        write_attention_layers(workspace.model(direction), chosen)
    workspace.say(f"AER between the two directions' ShiftATT, by layers\n{tables['shift-att']}")
    return {method: {"aer": tables[method].aer, "best": tables[method].best} for method in _METHODS}


def options(_: Workspace) -> object:
    return _METHODS


STAGE = Stage(name="layers", run=run, options=options, needs=("train",))
