"""Train alignment heads for both directions, with as many rounds of self-training as validation text says.

heads/rounds-1, heads/rounds-2, ...       a run each; its heads are kept in `forward` and `backward`

The models get the heads of the run whose two directions agree best on validation text.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from experiments.pairs import DIRECTIONS
from experiments.stage import Stage
from experiments.workspace import Result, Workspace
from lexalign.alignment.head_files import load_head, save_head
from lexalign.storage import new_folder
from lexalign.training.heads.run import train_aligner

_JUDGED = "post-aln"  # the kind that is judged, and that teaches the next round


def run(workspace: Workspace, _: str) -> Result:
    rounds = {number: _train(workspace, number) for number in workspace.pair.setting.rounds}
    agreement = {number: report["agreement"][_JUDGED] for number, report in rounds.items()}
    best = min(agreement, key=lambda number: (agreement[number], number))
    for direction in DIRECTIONS:
        kept = _folder(workspace, best) / direction
        _copy_heads(kept, workspace.model(direction), workspace.pair.setting.heads.kinds)
    workspace.say(f"heads after {best} of {max(rounds)} rounds agree best on validation text")
    return {"rounds": {str(number): report for number, report in rounds.items()}, "best": best}


def options(workspace: Workspace) -> object:
    setting = workspace.pair.setting
    return [asdict(setting.heads), setting.rounds]


def _train(workspace: Workspace, rounds: int) -> Result:
    """What validation text says of the heads after so many rounds."""
    folder = _folder(workspace, rounds)
    if not (folder / "backward").exists():
        _share_tokens(workspace.folder / "forward" / "data", folder)
        best_layers = tuple(workspace.result("layers")["shift-att"]["best"])
        train_aligner(
            workspace.model("forward"),
            workspace.model("backward"),
            [workspace.text("train")],
            workspace.text("valid"),
            folder,
            replace(workspace.pair.setting.heads, rounds=rounds, label_layers=best_layers),
            filters=workspace.pair.recipe.filters,
            device=workspace.device,
            say=workspace.say,
        )
        for direction in DIRECTIONS:
            with new_folder(folder / direction) as kept:
                _copy_heads(workspace.model(direction), kept, workspace.pair.setting.heads.kinds)
    report: Result = json.loads((folder / "heads.json").read_text(encoding="utf-8"))
    return report


def _folder(workspace: Workspace, rounds: int) -> Path:
    return workspace.folder / "heads" / f"rounds-{rounds}"


def _share_tokens(stores: Path, folder: Path) -> None:
    """The forward model's training has the same text in the same tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "data").exists():
        (folder / "data").symlink_to(stores.resolve(), target_is_directory=True)


def _copy_heads(origin: Path, to: Path, kinds: Iterable[str]) -> None:
    for kind in kinds:
        save_head(to, *load_head(origin, kind))


STAGE = Stage(name="heads", run=run, options=options, needs=("layers",))
