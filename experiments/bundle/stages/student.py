"""Train the students, with one vocabulary; goes on where it was stopped."""

from dataclasses import asdict
from pathlib import Path

from experiments.bundle.mixture import distilled_texts, original_texts
from experiments.bundle.workspace import BundleWorkspace
from experiments.pairs import DIRECTIONS, Direction
from experiments.stage import Stage, digest
from experiments.workspace import Result
from lexalign.training.log import read_log
from lexalign.training.run import train_model

# A run that is otherwise the same goes on with more updates.
_FREE = ("updates", "log_every", "validate_bleu", "save_every", "average", "patience", "compile")


def run(workspace: BundleWorkspace, _: str) -> Result:
    for direction in workspace.directions:
        train_model(
            [*distilled_texts(workspace, direction), *original_texts(workspace, direction)],
            workspace.text("valid", direction),
            _folder(workspace, direction),
            workspace.setting.student,
            device=workspace.device,
            tokenizer=workspace.tokenizer,
            languages=workspace.pair.languages(direction),
            say=workspace.say,
        )
    folders = {direction: _folder(workspace, direction) for direction in DIRECTIONS}
    workspace.both({direction: (folder / "model").exists() for direction, folder in folders.items()})
    return {direction: _summary(workspace, folder) for direction, folder in folders.items()}


def options(workspace: BundleWorkspace) -> object:
    setting = workspace.setting
    return [asdict(setting.student), setting.repeats, setting.original_share]


def _folder(workspace: BundleWorkspace, direction: Direction) -> Path:
    recipe = asdict(workspace.setting.student)
    recipe["training"] = {key: value for key, value in recipe["training"].items() if key not in _FREE}
    return workspace.folder / "student" / digest([workspace.fingerprint("distil"), recipe]) / direction


def _summary(workspace: BundleWorkspace, folder: Path) -> Result:
    """The last words of the training's own log."""
    log = read_log(folder / "log.jsonl")
    trained = [entry for entry in log if entry["kind"] == "train"][-1]
    validated = [entry for entry in log if entry["kind"] == "valid"]
    return {
        "folder": str(folder.relative_to(workspace.folder)),
        "updates": trained["update"],
        "target_tokens": trained["target_tokens"],
        "training_seconds": round(trained["seconds"], 1),
        "valid_loss": validated[-1]["loss"] if validated else None,
        "valid_bleu": validated[-1].get("bleu") if validated else None,
    }


STAGE = Stage(name="student", run=run, options=options, needs=("distil",))
