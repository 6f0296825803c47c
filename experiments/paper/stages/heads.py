"""Train alignment heads for both directions, with as many rounds of self-training as validation text says.

heads                                        the run
heads/text/{source,target}                   what it learns from, if that is a part of the training text
heads/data/labels-*.npz                      what statistics say of it, made here or by the stage `labels`
heads/round-1/{forward,backward}, ...        the heads of each round

The models get the heads of the round whose two directions agree best on validation text. Every token is
linked for that: directions that link little agree easily.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from experiments.paper.pipeline.pairs import DIRECTIONS
from experiments.paper.pipeline.stage import Stage, check_made_with, made_with
from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.alignment.head_files import load_head, save_head
from lexalign.data.reader import ParallelText
from lexalign.storage import write_text
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.run import train_aligner

_TEACHERS = "single heads"  # of the first round, where they agree better than layers, and at all
_JUDGED = "post-aln"  # the kind that is judged, and that teaches the next round


def run(workspace: Workspace, _: str) -> Result:
    rounds = {number: _train(workspace, number) for number in workspace.pair.setting.rounds}
    agreement = {number: report["agreement"][_JUDGED] for number, report in rounds.items()}
    best = min(agreement, key=lambda number: (agreement[number], number))
    for direction in DIRECTIONS:
        kept = round_folder(workspace, best) / direction
        _copy_heads(kept, workspace.model(direction), workspace.pair.setting.heads.kinds)
    workspace.say(f"the heads of round {best} of {max(rounds)} agree best on validation text")
    notes = load_head(workspace.model("forward"), _JUDGED)[1].notes
    return {
        "rounds": {str(number): report for number, report in rounds.items()},
        "best": best,
        "teacher": notes["training"]["teacher"],  # of the first round
    }


def options(workspace: Workspace) -> object:
    setting, limit = workspace.pair.setting, _limit(workspace)
    return [_described(setting.heads), setting.rounds, *([] if limit is None else [limit]), _TEACHERS]


# Options that the committed results did not have yet; where they are off, they change nothing.
_LATER = ("second_opinion", "label_heads")


def _described(heads: HeadOptions) -> dict[str, object]:
    """The options as the committed results name them, with one that has a single value left."""
    values = {name: value for name, value in asdict(heads).items() if name not in _LATER or value}
    return {**values, "heads_teach": "probabilities"}


def _train(workspace: Workspace, rounds: int) -> Result:
    """What validation text says of the heads after so many rounds; the run goes on from the rounds before."""
    folder, kept = workspace.folder / "heads", round_folder(workspace, rounds)
    depends_on = [
        _described(workspace.pair.setting.heads),
        _limit(workspace),
        workspace.fingerprint("layers"),
        _TEACHERS,
    ]
    if (kept / "heads.json").exists():
        check_made_with(kept, depends_on)
    else:
        text = text_of_heads(workspace)
        train_aligner(
            workspace.model("forward"),
            workspace.model("backward"),
            [text],
            workspace.text("valid"),
            folder,
            replace(workspace.pair.setting.heads, rounds=rounds),
            filters=workspace.pair.recipe.filters,
            device=workspace.device,
            say=workspace.say,
        )
        for direction in DIRECTIONS:
            _copy_heads(workspace.model(direction), kept / direction, workspace.pair.setting.heads.kinds)
        made_with(kept, depends_on)
        write_text(kept / "heads.json", (folder / "heads.json").read_text(encoding="utf-8"))
    report: Result = json.loads((kept / "heads.json").read_text(encoding="utf-8"))
    return report


def text_of_heads(workspace: Workspace) -> ParallelText:
    """The training text, whose tokens may be there already, or as many pairs of it as are wanted."""
    folder, wanted = workspace.folder / "heads", _limit(workspace)
    if wanted is None:
        share_tokens(workspace.folder / "forward" / "data", folder)
        return workspace.text("train")
    part = ParallelText(folder / "text" / "source", folder / "text" / "target")
    sides = zip(*workspace.training_sample(wanted), strict=True)
    for path, lines in zip(part.paths, sides, strict=True):
        write_text(path, "".join(f"{line}\n" for line in lines))
    return part


def share_tokens(stores: Path, folder: Path) -> None:
    """Let a run use the tokens of another, which has the same text and vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    if stores.exists() and not (folder / "data").exists():
        (folder / "data").symlink_to(stores.resolve(), target_is_directory=True)


def _limit(workspace: Workspace) -> int | None:
    """How many pairs heads learn from, if not from all."""
    wanted = workspace.pair.setting.head_pairs
    return None if wanted is None or wanted >= workspace.result("prepare")["train_pairs"] else wanted


def round_folder(workspace: Workspace, number: int) -> Path:
    return workspace.folder / "heads" / f"round-{number}"


def _copy_heads(origin: Path, to: Path, kinds: Iterable[str]) -> None:
    for kind in kinds:
        save_head(to, *load_head(origin, kind))


STAGE = Stage(name="heads", run=run, options=options, needs=("layers",))
