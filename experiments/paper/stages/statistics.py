"""AER of thot's statistical aligners on the gold set, over subwords as in the paper.

They learn from the training text, or from a sample of it, with the gold sentences added, without their links.
IBM 4 is the last of GIZA++'s models. Where thot is not installed the stage is left out, and the
tables have no numbers there.

WORK/PAIR/statistics-FINGERPRINT/METHOD.json      what is there is not done again
"""

import json
from collections.abc import Sequence
from importlib import import_module

from experiments.paper.pipeline.gold_subwords import GoldSubwords, training_pairs
from experiments.paper.pipeline.stage import Stage, UnavailableError
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.align import score_both
from lexalign.alignment.statistical import SentencePair, ThotModel, thot_align
from lexalign.storage import write_text


def run(workspace: Workspace, fingerprint: str) -> Result:
    _check_installed()
    gold = GoldSubwords(workspace)
    found = {}
    for method, num_pairs in workspace.pair.setting.statistical:
        path = workspace.folder / f"statistics-{fingerprint}" / f"{method}.json"
        if not path.exists():
            scores = _align(workspace, gold, method, num_pairs)
            write_text(path, json.dumps(scores) + "\n")
        found[method] = json.loads(path.read_text(encoding="utf-8"))
        workspace.say(f"statistics: {method} is done")
    return {"methods": found}


def _align(workspace: Workspace, gold: GoldSubwords, method: ThotModel, num_pairs: int | None) -> Result:
    corpus = [*training_pairs(workspace, gold.tokenizer, num_pairs), *gold.pairs]
    ahead = thot_align(corpus, gold.pairs, model=method)
    back = thot_align(_turn(corpus), _turn(gold.pairs), model=method)
    scores = score_both(
        gold.gold, gold.words(ahead), gold.words(back, "backward"), workspace.folder / "align", method
    )
    return scores | {"learnt_from": len(corpus)}


def options(workspace: Workspace) -> object:
    return workspace.pair.setting.statistical


def _check_installed() -> None:
    try:
        import_module("thot.alignment")
    except ImportError:
        raise UnavailableError("it needs an extra: pip install 'lexalign[thot]'") from None


def _turn(pairs: Sequence[SentencePair]) -> list[SentencePair]:
    return [(target, source) for source, target in pairs]


STAGE = Stage(name="statistics", run=run, options=options, needs=("prepare",))
