"""The teachers of both directions: given, or trained on what people have written; or none."""

from dataclasses import asdict

from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from lexalign.data.preparation import file_digest
from lexalign.models.folder import CONFIG, WEIGHTS, load_config
from lexalign.training.run import train_model


def run(workspace: BundleWorkspace, _: str) -> Result:
    if workspace.setting.mixture is not None:
        return {}
    if workspace.given_teachers is None:
        for direction in workspace.directions:
            _train(workspace, direction)
        workspace.require_both({direction: workspace.teacher(direction).exists() for direction in DIRECTIONS})
    return {direction: _describe(workspace, direction) for direction in DIRECTIONS}


def options(workspace: BundleWorkspace) -> object:
    if workspace.setting.mixture is not None:
        return "none"
    if workspace.given_teachers is None:
        return asdict(workspace.setting.teacher)
    folders = [workspace.teacher(direction) for direction in DIRECTIONS]
    for folder in folders:
        load_config(folder)  # says what is wrong with it
    return [file_digest(folder / name) for folder in folders for name in (CONFIG, WEIGHTS)]


def _train(workspace: BundleWorkspace, direction: Direction) -> None:
    """Train with the vocabulary of the first teacher: training an aligner needs one for both."""
    languages = workspace.pair.languages(direction)
    corpora = workspace.corpora
    smaller = [corpus.pairs(*languages) for corpus in corpora.smaller] * workspace.setting.repeats
    vocabulary = workspace.folder / "teacher" / "forward" / "tokenizer.model"
    train_model(
        [*smaller, corpora.largest.pairs(*languages)],
        workspace.text("valid", direction),
        workspace.folder / "teacher" / direction,
        workspace.setting.teacher,
        device=workspace.device,
        tokenizer=vocabulary if vocabulary.exists() else None,
        languages=languages,
        say=workspace.say,
    )


def _describe(workspace: BundleWorkspace, direction: Direction) -> Result:
    config = load_config(workspace.teacher(direction))
    return {
        "given": workspace.given_teachers is not None,
        "width": config.width,
        "feedforward_width": config.feedforward_width,
        "layers": [config.encoder_layers, config.decoder_layers],
        "vocabulary_size": config.vocabulary_size,
    }


STAGE = Stage(name="teacher", run=run, options=options, needs=("prepare",))
