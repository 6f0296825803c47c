"""AER of the online methods on the gold set: both directions, and both made one.

WORK/PAIR/align/METHOD.{forward,backward,symmetrised}.pharaoh    the links, source first
"""

from collections.abc import Sequence
from pathlib import Path

from experiments.gold import GoldSet, read_gold
from experiments.pairs import DIRECTIONS
from experiments.stage import Stage
from experiments.workspace import Result, Workspace
from lexalign.alignment.formats import pharaoh_line
from lexalign.alignment.symmetrization import Method
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.metrics.aer import score_alignments
from lexalign.storage import write_text
from lexalign.translator.aligners import ONLINE_METHODS, OnlineMethod
from lexalign.translator.mutual_alignment import symmetrized
from lexalign.translator.word_aligner import WordAligner

SYMMETRIZATION: Method = "grow-diag"  # the paper's


def run(workspace: Workspace, _: str) -> Result:
    gold = read_gold(workspace)
    return {"methods": {method: _method(workspace, gold, method) for method in ONLINE_METHODS}}


def options(_: Workspace) -> object:
    return [ONLINE_METHODS, SYMMETRIZATION]


def _method(workspace: Workspace, gold: GoldSet, method: OnlineMethod) -> Result:
    aligned: list[list[WordAlignment]] = []
    signature = ""
    for direction in DIRECTIONS:
        aligner = WordAligner.load(workspace.model(direction), method, device=workspace.device)
        signature = aligner.signature
        pairs = gold.turned(direction).pairs
        aligned.append([found.words for found in aligner.align(pairs)])
    folder = workspace.folder / "align"
    return score_both(gold, aligned[0], aligned[1], folder, method) | {"links": signature}


def score_both(
    gold: GoldSet,
    forward: Sequence[WordAlignment],
    backward: Sequence[WordAlignment],
    folder: Path,
    name: str,
) -> Result:
    """AER of the directions, each in its own terms, and of both made one."""
    joined = [symmetrized(ahead, back, SYMMETRIZATION) for ahead, back in zip(forward, backward, strict=True)]
    scored = {
        "forward": (gold, forward),
        "backward": (gold.turned("backward"), backward),
        "symmetrised": (gold, joined),
    }
    result: Result = {}
    for kind, (wanted, found) in scored.items():
        links: list[tuple[Link, ...]] = [one.links for one in found]
        write_text(folder / f"{name}.{kind}.pharaoh", "".join(pharaoh_line(row) + "\n" for row in links))
        score = score_alignments(wanted.links, links, lengths_checked=True)
        result[kind] = {
            "aer": round(100 * score.aer, 2),
            "precision": round(100 * score.precision, 2),
            "recall": round(100 * score.recall, 2),
            "signature": score.signature,
        }
    return result | {"symmetrisation": SYMMETRIZATION}


STAGE = Stage(name="align", run=run, options=options, needs=("heads",))
