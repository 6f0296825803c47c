"""AER of the online methods on the gold set: both directions, and both made one.

`methods` are the paper's: heads by its rules (`paper_heads`), or of the first round, whose teacher is
ShiftATT too, link every target subword, and grow-diagonal makes one of two directions. `own` are ours: heads
of the round that was chosen, words that they link less probably than their threshold are not linked, and two
directions become one by the mean of their probabilities.

WORK/PAIR/align/METHOD.{forward,backward,symmetrised}.pharaoh    the links, source first
"""

from collections.abc import Sequence
from pathlib import Path

from experiments.paper.pipeline.attention import Models, load_models
from experiments.paper.pipeline.gold import GoldSet, read_gold
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.heads import round_folder
from experiments.paper.stages.paper_heads import heads_folders
from lexalign.alignment.formats import pharaoh_line
from lexalign.alignment.links import LinkOptions
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.metrics.aer import score_alignments
from lexalign.storage import write_text
from lexalign.translator.aligners import ONLINE_METHODS, load_aligner
from lexalign.translator.mutual_alignment import Joining, symmetrized
from lexalign.translator.options import OnlineMethod
from lexalign.translator.word_aligner import WordAligner

_ATTENTION = ("naive-att", "shift-att")
SYMMETRIZATION: Joining = "grow-diag-and"  # what the literature calls grow-diagonal


def run(workspace: Workspace, _: str) -> Result:
    gold = read_gold(workspace)
    models = load_models(workspace)
    folders = {one: workspace.model(one) for one in DIRECTIONS}
    found: Result = {"methods": {}, "own": {}, "rounds": {}}
    for method in ONLINE_METHODS:
        first = folders if method in _ATTENTION else _of_the_paper(workspace)
        found["methods"][method] = _score(workspace, gold, models, first, method, method)
    for method in (one for one in ONLINE_METHODS if one in workspace.pair.setting.heads.kinds):
        found["own"][method] = _score(workspace, gold, models, folders, method, f"{method}-own", own=True)
    found["shift-att, marks free"] = _score(
        workspace, gold, models, folders, "shift-att", "shift-att-free", pin_marks=False
    )
    for number in workspace.result("heads")["rounds"]:
        kept, name = _kept(workspace, int(number)), f"post-aln-{number}"
        found["rounds"][number] = {
            "paper": _score(workspace, gold, models, kept, "post-aln", name),
            "own": _score(workspace, gold, models, kept, "post-aln", f"{name}-own", own=True),
        }
    return found


def _of_the_paper(workspace: Workspace) -> dict[Direction, Path]:
    """Where the heads are that learnt by the paper's rules, or by those nearest to them."""
    return heads_folders(workspace) if workspace.pair.setting.paper_heads else _kept(workspace, 1)


def _kept(workspace: Workspace, number: int) -> dict[Direction, Path]:
    """Where the heads of a round are."""
    return {one: round_folder(workspace, number) / one for one in DIRECTIONS}


def options(workspace: Workspace) -> object:
    apart = [workspace.fingerprint("paper-heads")] if workspace.pair.setting.paper_heads else []
    return [ONLINE_METHODS, SYMMETRIZATION, *apart]


def _score(
    workspace: Workspace,
    gold: GoldSet,
    models: Models,
    folders: dict[Direction, Path],
    method: OnlineMethod,
    name: str,
    *,
    pin_marks: bool = True,
    own: bool = False,
) -> Result:
    """AER of the aligners in these folders, by the paper's rules or by our own."""
    options = LinkOptions() if own else LinkOptions(threshold=0.0)
    aligners = {
        one: WordAligner(*model, load_aligner(folders[one], *model, method, pin_marks=pin_marks), options)
        for one, model in models.items()
    }
    return score_aligners(workspace, gold, aligners, name, "mean" if own else SYMMETRIZATION)


def score_aligners(
    workspace: Workspace,
    gold: GoldSet,
    aligners: dict[Direction, WordAligner],
    name: str,
    joining: Joining = SYMMETRIZATION,
) -> Result:
    """AER of what the aligners of both directions find, with their signatures; see `score_both`."""
    forward, backward = (
        [found.words for found in aligners[direction].align(gold.in_direction(direction).pairs)]
        for direction in DIRECTIONS
    )
    scored = score_both(gold, forward, backward, workspace.folder / "align", name, joining)
    return scored | {"links": {direction: aligners[direction].signature for direction in DIRECTIONS}}


def score_both(
    gold: GoldSet,
    forward: Sequence[WordAlignment],
    backward: Sequence[WordAlignment],
    folder: Path,
    name: str,
    joining: Joining = SYMMETRIZATION,
) -> Result:
    """AER of the directions, each in its own terms, and of both made one."""
    joined = [symmetrized(ahead, back, joining) for ahead, back in zip(forward, backward, strict=True)]
    scored = {
        "forward": (gold, forward),
        "backward": (gold.in_direction("backward"), backward),
        "symmetrised": (gold, joined),
    }
    result: Result = {
        kind: score_links(wanted, found, folder, name, kind) for kind, (wanted, found) in scored.items()
    }
    return result | {"symmetrisation": joining}


def score_links(
    gold: GoldSet, found: Sequence[WordAlignment], folder: Path, name: str, kind: str = "symmetrised"
) -> Result:
    links: list[tuple[Link, ...]] = [one.links for one in found]
    write_text(folder / f"{name}.{kind}.pharaoh", "".join(pharaoh_line(row) + "\n" for row in links))
    score = score_alignments(gold.links, links, lengths_checked=True)
    return {
        "aer": round(100 * score.aer, 2),
        "precision": round(100 * score.precision, 2),
        "recall": round(100 * score.recall, 2),
        "signature": score.signature,
    }


STAGE = Stage(name="align", run=run, options=options, needs=("heads",))
