"""ShiftATT by single heads in place of layers: chosen on validation text, and measured on the gold set."""

from experiments.attention import validation_attention
from experiments.gold import read_gold
from experiments.pairs import DIRECTIONS
from experiments.stage import Stage
from experiments.stages.align import SYMMETRIZATION, score_both
from experiments.workspace import Result, Workspace
from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.final_marks import final_marks
from lexalign.alignment.links import LinkOptions
from lexalign.models.folder import load_model
from lexalign.translator.word_aligner import WordAligner


def run(workspace: Workspace, _: str) -> Result:
    held_out, marks = validation_attention(workspace)
    chosen, agreement = held_out.choose_heads(marks)
    workspace.say(f"AER between the two directions' ShiftATT: {100 * agreement:.1f} by {chosen}")
    gold = read_gold(workspace)
    aligned = []
    signatures = {}
    for direction, (layer, head) in zip(DIRECTIONS, chosen.places, strict=True):
        model, tokenizer = load_model(workspace.model(direction), device=workspace.device)
        shifted = ShiftedAttention(
            layer=layer,
            head=head,
            final_marks=final_marks(tokenizer.target),
            source_marks=final_marks(tokenizer.source),
        )
        aligner = WordAligner(model, tokenizer, shifted, LinkOptions(threshold=0.0))
        signatures[direction] = aligner.signature
        aligned.append([found.words for found in aligner.align(gold.turned(direction).pairs)])
    scored = score_both(gold, aligned[0], aligned[1], workspace.folder / "align", "shift-att-single")
    return {
        "agreement": agreement,
        "layers": chosen.layers,
        "heads": chosen.heads,
        "methods": {"shift-att": scored | {"links": signatures}},
    }


def options(_: Workspace) -> object:
    return [SYMMETRIZATION]


STAGE = Stage(name="single-heads", run=run, options=options, needs=("train",))
