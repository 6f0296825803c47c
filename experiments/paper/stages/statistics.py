"""AER of other people's statistical aligners on the gold set, over subwords as in the paper.

They learn from the training text, or from a sample of it, with the gold sentences added, without their links.
Of a whole corpus fast_align itself learns, which has threads; of a sample thot's. An aligner that is not
installed is left out, and the tables have no numbers there.

WORK/PAIR/statistics-FINGERPRINT/METHOD.json      what is there is not done again
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from experiments.paper.pipeline.gold_subwords import GoldSubwords, training_pairs
from experiments.paper.pipeline.pairs import StatisticalMethod
from experiments.paper.pipeline.stage import Stage, UnavailableError
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.align import score_both
from lexalign.alignment.statistical import (
    Points,
    SentencePair,
    eflomal,
    fast_align_directions,
    is_installed,
    thot_align,
)
from lexalign.storage import write_text


def run(workspace: Workspace, fingerprint: str) -> Result:
    found = {}
    for method, num_pairs in workspace.pair.setting.statistical:
        path = kept_scores(workspace, fingerprint, method)
        if not path.exists() and not is_installed(_program(method, num_pairs)):
            workspace.say(f"statistics: {method} is left out, since it is not installed")
            continue
        if not path.exists():
            write_text(path, json.dumps(align(workspace, method, num_pairs)) + "\n")
        found[method] = json.loads(path.read_text(encoding="utf-8"))
        workspace.say(f"statistics: {method} is done")
    if not found:
        raise UnavailableError("they need extras: pip install 'lexalign[fast-align,thot]'")
    return {"methods": found}


def _program(method: StatisticalMethod, num_pairs: int | None) -> Literal["fast-align", "eflomal", "thot"]:
    return "thot" if method == "fast-align" and num_pairs else method


def kept_scores(workspace: Workspace, fingerprint: str, method: StatisticalMethod) -> Path:
    return workspace.folder / f"statistics-{fingerprint}" / f"{method}.json"


def align(workspace: Workspace, method: StatisticalMethod, num_pairs: int | None) -> Result:
    """The scores of one method, which learns from so many pairs (None: all)."""
    gold = GoldSubwords(workspace)
    corpus = list(training_pairs(workspace, gold.tokenizer, num_pairs))
    find = _on_samples if num_pairs else _on_corpora
    ahead, back = find(method, corpus, gold.pairs)
    scores = score_both(
        gold.gold, gold.words(ahead), gold.words(back, "backward"), workspace.folder / "align", method
    )
    return scores | {"learnt_from": len(corpus) + len(gold.pairs)}


def _on_corpora(
    method: StatisticalMethod, corpus: list[SentencePair], pairs: Sequence[SentencePair]
) -> tuple[list[Points], list[Points]]:
    """The points of both directions, each in its own terms."""
    if method == "eflomal":
        ahead, back = eflomal(corpus, pairs)
    else:
        ahead, back = fast_align_directions([*corpus, *pairs], pairs)
    return ahead, [sorted((target, source) for source, target in points) for points in back]


def _on_samples(
    method: StatisticalMethod, corpus: list[SentencePair], pairs: Sequence[SentencePair]
) -> tuple[list[Points], list[Points]]:
    if method == "eflomal":
        return _on_corpora(method, corpus, pairs)
    learnt = [*corpus, *pairs]
    return thot_align(learnt, pairs, model=method), thot_align(_turn(learnt), _turn(pairs), model=method)


def options(workspace: Workspace) -> object:
    return workspace.pair.setting.statistical


def _turn(pairs: Sequence[SentencePair]) -> list[SentencePair]:
    return [(target, source) for source, target in pairs]


STAGE = Stage(name="statistics", run=run, options=options, needs=("prepare",))
