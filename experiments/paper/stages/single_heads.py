"""ShiftATT by single heads in place of layers: chosen on validation text, and measured on the gold set."""

from experiments.paper.pipeline.attention import load_models, validation_attention
from experiments.paper.pipeline.gold import read_gold
from experiments.paper.pipeline.pairs import DIRECTIONS
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.align import SYMMETRIZATION, score_aligners
from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.links import LinkOptions
from lexalign.translator.word_aligner import WordAligner


def run(workspace: Workspace, _: str) -> Result:
    models = load_models(workspace)
    held_out, marks = validation_attention(workspace, models)
    chosen, agreement = held_out.choose_heads(marks)
    workspace.say(f"AER between the two directions' ShiftATT: {100 * agreement:.1f} by {chosen}")
    aligners = {
        direction: WordAligner(
            *models[direction],
            ShiftedAttention(layer=layer, head=head, sentence_final_ids=marks),
            LinkOptions(threshold=0.0),
        )
        for direction, (layer, head) in zip(DIRECTIONS, chosen.places, strict=True)
    }
    scored = score_aligners(workspace, read_gold(workspace), aligners, "shift-att-single")
    return {
        "agreement": agreement,
        "layers": chosen.layers,
        "heads": chosen.heads,
        "methods": {"shift-att": scored},
    }


def options(_: Workspace) -> object:
    return [SYMMETRIZATION]


STAGE = Stage(name="single-heads", run=run, options=options, needs=("train",))
