"""Train alignment heads by the paper's rules, where a pair's setting asks for them.

Their labels are ShiftATT of the whole layers that agree best on validation text, in one round, from all of
the training text. Elsewhere the heads of the first round of the stage `heads` stand for them.

paper-heads                          the run
paper-heads/{forward,backward}       the models, by links, and these heads beside them
"""

import json
from dataclasses import replace
from pathlib import Path

from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage, UnavailableError
from experiments.paper.pipeline.workspace import Result, Workspace
from experiments.paper.stages.heads import share_tokens
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.run import train_aligner


def run(workspace: Workspace, _: str) -> Result:
    chosen = workspace.pair.setting.paper_heads
    if chosen is None:
        raise UnavailableError("the heads of the first round stand for the paper's")
    folder, folders = workspace.folder / "paper-heads", heads_folders(workspace)
    share_tokens(workspace.folder / "forward" / "data", folder)
    for direction, copy in folders.items():
        _link_files(workspace.model(direction), copy)
    train_aligner(
        folders["forward"],
        folders["backward"],
        [workspace.text("train")],
        workspace.text("valid"),
        folder,
        _with_layers(chosen, workspace),
        filters=workspace.pair.recipe.filters,
        device=workspace.device,
        say=workspace.say,
    )
    report: Result = json.loads((folder / "heads.json").read_text(encoding="utf-8"))
    return report


def options(workspace: Workspace) -> object:
    return repr(workspace.pair.setting.paper_heads)


def heads_folders(workspace: Workspace) -> dict[Direction, Path]:
    return {one: workspace.folder / "paper-heads" / one for one in DIRECTIONS}


def _with_layers(heads: HeadOptions, workspace: Workspace) -> HeadOptions:
    forward, backward = workspace.result("layers")["shift-att"]["best"]
    return replace(heads, label_layers=(forward, backward))


def _link_files(model: Path, copy: Path) -> None:
    """A folder of the same model, so that two runs of heads do not write to one place."""
    copy.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        if not (copy / name).exists():
            (copy / name).symlink_to((model / name).resolve())


STAGE = Stage(name="paper-heads", run=run, options=options, needs=("layers",))
