"""Train the students, with one vocabulary; goes on where it was stopped."""

from dataclasses import asdict
from pathlib import Path

from experiments.bundled_models.mixture import distilled_texts, original_texts
from experiments.bundled_models.mixture_recipe import described
from experiments.bundled_models.packing import pack
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage, digest
from experiments.paper.pipeline.workspace import Result
from lexalign.text.tokenizer import Tokenizer
from lexalign.training.log import read_log
from lexalign.training.run import train_model

# A run that is otherwise the same goes on with more updates.
_FREE = (
    "updates",
    "minutes",
    "cooldown",
    "log_every",
    "validate_bleu",
    "save_every",
    "average",
    "patience",
    "compile",
)


def run(workspace: BundleWorkspace, _: str) -> Result:
    for direction in workspace.directions:
        texts = [*distilled_texts(workspace, direction), *original_texts(workspace, direction)]
        folder, setting = _folder(workspace, direction), workspace.setting
        workspace.say(f"{workspace.name(direction)}: text in {len(texts)} parts")
        pack(texts, Tokenizer.load(workspace.tokenizer), setting.student, folder, workers=setting.workers)
        train_model(
            texts,
            workspace.text("valid", direction),
            folder,
            workspace.setting.student,
            device=workspace.device,
            tokenizer=workspace.tokenizer,
            languages=workspace.pair.languages(direction),
            say=workspace.say,
        )
    folders = {direction: _folder(workspace, direction) for direction in DIRECTIONS}
    workspace.require_both({direction: (folder / "model").exists() for direction, folder in folders.items()})
    return {direction: _summary(workspace, folder) for direction, folder in folders.items()}


def options(workspace: BundleWorkspace) -> object:
    setting = workspace.setting
    return [asdict(setting.student), setting.repeats, setting.original_share, described(setting.mixture)]


def _folder(workspace: BundleWorkspace, direction: Direction) -> Path:
    recipe = asdict(workspace.setting.student)
    recipe["training"] = {key: value for key, value in recipe["training"].items() if key not in _FREE}
    made_from = [workspace.fingerprint("distil"), recipe, described(workspace.setting.mixture)]
    return workspace.folder / "student" / digest(made_from) / direction


def _summary(workspace: BundleWorkspace, folder: Path) -> Result:
    """The final figures of the training's own log."""
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
