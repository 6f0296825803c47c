"""Train a model for each direction, with one vocabulary; goes on where it was stopped."""

from dataclasses import asdict
from pathlib import Path

from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage, UnavailableError, check_made_with, made_with
from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.training.log import read_log
from lexalign.training.run import train_model


def run(workspace: Workspace, _: str) -> Result:
    for direction in DIRECTIONS:
        if workspace.only in (None, direction):
            _train(workspace, direction)
    waiting = [direction for direction in DIRECTIONS if not workspace.model(direction).exists()]
    if waiting:
        raise UnavailableError(f"the other direction, {waiting[0]}, is not trained yet")
    return {direction: _final_figures(workspace.folder / direction) for direction in DIRECTIONS}


# Settings that the committed results did not have yet; where they are off, they change nothing.
_LATER = {"training": ("minutes", "cooldown", "packed"), "tokenizer": ("split_digits", "required_characters")}


def options(workspace: Workspace) -> list[object]:
    recipe = asdict(workspace.pair.recipe)
    for table, names in _LATER.items():
        for name in names:
            if not recipe[table][name]:
                del recipe[table][name]
    del recipe["training"]["optimizer_warmup"]  # concerns only a run that goes on without its optimiser
    return [recipe]


def _train(workspace: Workspace, direction: Direction) -> None:
    folder, depends_on = workspace.folder / direction, [*options(workspace), workspace.fingerprint("prepare")]
    if workspace.model(direction).exists():
        check_made_with(folder, depends_on)
        return
    train_model(
        [workspace.text("train", direction)],
        workspace.text("valid", direction),
        folder,
        workspace.pair.recipe,
        device=workspace.device,
        tokenizer=workspace.tokenizer,
        languages=workspace.pair.languages(direction),
        say=workspace.say,
    )
    made_with(folder, depends_on)


def _final_figures(run: Path) -> Result:
    """The final figures of a training's own log."""
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
