"""Train a model for each direction, with one vocabulary; goes on where it was stopped.

WORK/PAIR/DIRECTION            the run of the recipe
WORK/PAIR/DIRECTION/first      its place where another run goes on from its model
"""

from dataclasses import asdict
from pathlib import Path

from experiments.pairs import DIRECTIONS, Direction
from experiments.stage import Stage, UnavailableError, check_made_with, made_with
from experiments.workspace import Result, Workspace
from lexalign.training.log import read_log
from lexalign.training.recipe import Recipe
from lexalign.training.run import train_model


def run(workspace: Workspace, _: str) -> Result:
    for direction in DIRECTIONS:
        if workspace.only in (None, direction):
            _train(workspace, direction)
    waiting = [direction for direction in DIRECTIONS if not workspace.model(direction).exists()]
    if waiting:
        raise UnavailableError(f"the other direction, {waiting[0]}, is not trained yet")
    return {direction: _summary(workspace, direction) for direction in DIRECTIONS}


def options(workspace: Workspace) -> object:
    polish = workspace.pair.setting.polish
    return [asdict(workspace.pair.recipe), *([] if polish is None else [asdict(polish)])]


def _train(workspace: Workspace, direction: Direction) -> None:
    folder, polish = workspace.folder / direction, workspace.pair.setting.polish
    first = folder if polish is None else folder / "first"
    depends_on = [asdict(workspace.pair.recipe), workspace.fingerprint("prepare")]
    if (first / "model").exists():
        check_made_with(first, depends_on)
    else:
        _run(workspace, direction, first, workspace.pair.recipe)
        made_with(first, depends_on)
    if polish is not None:
        share_tokens(first / "data", folder)
        _run(workspace, direction, folder, polish, start=first / "model")


def _run(
    workspace: Workspace, direction: Direction, folder: Path, recipe: Recipe, start: Path | None = None
) -> None:
    train_model(
        [workspace.text("train", direction)],
        workspace.text("valid", direction),
        folder,
        recipe,
        device=workspace.device,
        tokenizer=workspace.tokenizer if start is None else None,
        start=start,
        say=workspace.say,
    )


def share_tokens(stores: Path, folder: Path) -> None:
    """Let a run use the tokens of another, which has the same text and vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    if stores.exists() and not (folder / "data").exists():
        (folder / "data").symlink_to(stores.resolve(), target_is_directory=True)


def _summary(workspace: Workspace, direction: Direction) -> Result:
    folder = workspace.folder / direction
    if workspace.pair.setting.polish is None:
        return {"recipe": _last_words(folder)}
    return {"first": _last_words(folder / "first"), "polish": _last_words(folder)}


def _last_words(run: Path) -> Result:
    """Of a training's own log."""
    log = read_log(run / "log.jsonl")
    trained = [entry for entry in log if entry["kind"] == "train"][-1]
    validated = [entry for entry in log if entry["kind"] == "valid"]
    return {
        "updates": trained["update"],
        "target_tokens": trained["target_tokens"],
        "training_seconds": round(trained["seconds"], 1),
        "valid_loss": validated[-1]["loss"] if validated else None,
        "valid_bleu": validated[-1].get("bleu") if validated else None,
    }


STAGE = Stage(name="train", run=run, options=options, needs=("prepare",))
