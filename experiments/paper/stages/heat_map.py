"""The source word of each word of one sentence by three methods, which `experiments.paper.figures` draws.

The sentence is one of our own, with links by hand; a synthetic pair shows the first of its gold set. Heads
are those of the round that was chosen, without their thresholds, so that weak links are seen too.
"""

from dataclasses import astuple

from experiments.paper.pipeline.gold import GoldSet, read_gold, read_sentence
from experiments.paper.pipeline.stage import Stage, UnavailableError
from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.alignment.links import LinkOptions
from lexalign.models.folder import load_model
from lexalign.translator.aligners import load_aligner
from lexalign.translator.options import OnlineMethod
from lexalign.translator.word_aligner import WordAligner

METHODS: tuple[OnlineMethod, ...] = ("naive-att", "shift-att", "post-aln")


def run(workspace: Workspace, _: str) -> Result:
    shown = _sentence(workspace)
    if shown is None:
        raise UnavailableError("the pair has no sentence to draw")
    folder = workspace.model("forward")
    model = load_model(folder, device=workspace.device)
    found: Result = {}
    for method in METHODS:
        aligner = load_aligner(folder, *model, method, pin_marks=True)
        (aligned,) = WordAligner(*model, aligner, LinkOptions(threshold=0.0)).align(shown.pairs[:1])
        found[method] = [astuple(link) for link in aligned.words.links]
    source, target = shown.pairs[0]
    return {
        "source": source.words,
        "target": target.words,
        "gold": [astuple(link) for link in shown.links[0]],
        "links": found,
    }


def options(workspace: Workspace) -> object:
    shown = None if workspace.pair.synthetic else _sentence(workspace)
    return [METHODS, shown and [[side.line for side in shown.pairs[0]], shown.links[0]]]


def _sentence(workspace: Workspace) -> GoldSet | None:
    return read_gold(workspace) if workspace.pair.synthetic else read_sentence(workspace.pair)


STAGE = Stage(name="heat-map", run=run, options=options, needs=("heads",))
