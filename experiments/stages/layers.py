"""Choose the layers whose attention aligns: those on which both directions agree best on validation text."""

from collections.abc import Callable, Sequence

from experiments.pairs import DIRECTIONS
from experiments.stage import Stage
from experiments.workspace import Result, Workspace
from lexalign.alignment.attention import NaiveAttention, ShiftedAttention
from lexalign.alignment.attention_layers import write_attention_layers
from lexalign.alignment.final_marks import final_marks
from lexalign.alignment.layer_selection import LayerTable
from lexalign.contracts.alignment import Aligner
from lexalign.models.folder import load_model
from lexalign.models.transformer import Transformer
from lexalign.text.subwords import ModelTokenizer
from lexalign.translator.word_aligner import WordAligner, read_words

Points = set[tuple[int, int, int]]  # sentence, source and target subword, as the forward direction has them
_METHODS = ("naive-att", "shift-att")


def run(workspace: Workspace, _: str) -> Result:
    models = [load_model(workspace.model(direction), device=workspace.device) for direction in DIRECTIONS]
    lines = list(workspace.text("valid").read())
    tables = {}
    marks = final_marks(models[0][1].target)
    for method in _METHODS:

        def attention(layer: int, method: str = method) -> Aligner:
            if method == "naive-att":
                return NaiveAttention(layer=layer)
            return ShiftedAttention(layer=layer, final_marks=marks)

        forward = _links_by_layer(*models[0], attention, lines, turned=False)
        backward = _links_by_layer(*models[1], attention, lines, turned=True)
        tables[method] = LayerTable(
            aer=tuple(tuple(_disagreement(ahead, back) for back in backward) for ahead in forward)
        )
    for side, direction in enumerate(DIRECTIONS):
        chosen = {method: table.best[side] for method, table in tables.items()}
        write_attention_layers(workspace.model(direction), chosen)
    workspace.say(f"AER between the two directions' ShiftATT, by layers\n{tables['shift-att']}")
    return {method: {"aer": table.aer, "best": table.best} for method, table in tables.items()}


def options(_: Workspace) -> object:
    return _METHODS


def _links_by_layer(
    model: Transformer,
    tokenizer: ModelTokenizer,
    attention: Callable[[int], Aligner],
    lines: Sequence[tuple[str, str]],
    *,
    turned: bool,
) -> list[Points]:
    """Links of every layer between the subwords of the lines."""
    pairs = [(read_words(source), read_words(target)) for source, target in lines]
    if turned:
        pairs = [(target, source) for source, target in pairs]
    found = []
    for layer in range(model.decoder_layers):
        aligned = WordAligner(model, tokenizer, attention(layer)).align(pairs)
        found.append(
            {
                (sentence, link.target, link.source) if turned else (sentence, link.source, link.target)
                for sentence, pair in enumerate(aligned)
                for link in pair.subwords.links
            }
        )
    return found


def _disagreement(ahead: Points, back: Points) -> float:
    """The AER of one direction's links against the other's, all of them sure."""
    return 1 - 2 * len(ahead & back) / max(len(ahead) + len(back), 1)


STAGE = Stage(name="layers", run=run, options=options, needs=("train",))
