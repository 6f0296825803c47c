"""Links of the text that heads learn from, by statistics: they have a say in the second round, and teach the
first where attention does not align.

They need neither models nor a GPU, and minutes of a CPU. Where this stage was not run, `heads` makes them.
"""

from experiments.paper.pipeline.stage import Stage, UnavailableError
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.heads import text_of_heads
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.heads.labels import SECOND_OPINION, statistical_labels
from lexalign.training.stores import prepare_texts


def run(workspace: Workspace, _: str) -> Result:
    recipe, heads = workspace.pair.recipe, workspace.pair.setting.heads
    if not heads.second_opinion:
        raise UnavailableError("heads learn without a second opinion")
    folder, tokenizer = workspace.folder / "heads", Tokenizer.load(workspace.tokenizer)
    config = recipe.model_config(tokenizer.vocabulary_size)
    text, valid = text_of_heads(workspace), workspace.text("valid")
    texts = prepare_texts([text], valid, tokenizer, recipe.filters, config, folder, workspace.say)
    stores = [texts.train.store, texts.valid.store]
    found = statistical_labels(SECOND_OPINION, stores, heads.symmetrization, folder / "data", workspace.say)
    return {"pairs": len(found), "links": len(found.points)}


def options(workspace: Workspace) -> object:
    setting = workspace.pair.setting
    return [setting.heads.symmetrization, setting.head_pairs, repr(workspace.pair.recipe.filters)]


STAGE = Stage(name="labels", run=run, options=options, needs=("prepare",))
