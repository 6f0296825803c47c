"""Choose the layers whose attention aligns: those on which both directions agree best on validation text."""

from experiments.paper.pipeline.attention import load_models, validation_attention
from experiments.paper.pipeline.pairs import DIRECTIONS
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.alignment.attention_files import AttentionMethod, write_attention

_METHODS: tuple[AttentionMethod, ...] = ("naive-att", "shift-att")


def run(workspace: Workspace, _: str) -> Result:
    held_out, marks = validation_attention(workspace, load_models(workspace))
    tables = held_out.choose_layers(marks)
    for side, direction in enumerate(DIRECTIONS):
        write_attention(
            workspace.model(direction), {method: (tables[method].best[side], None) for method in _METHODS}
        )
    workspace.say(f"AER between the two directions' ShiftATT, by layers\n{tables['shift-att']}")
    return {method: {"aer": tables[method].aer, "best": tables[method].best} for method in _METHODS}


def options(_: Workspace) -> object:
    return _METHODS


STAGE = Stage(name="layers", run=run, options=options, needs=("train",))
