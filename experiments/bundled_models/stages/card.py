"""Describe the models where they stand: a README.md in each folder, and all figures in one results.json."""

import json
import tomllib
from pathlib import Path

from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from experiments.paper.report.markdown import table
from lexalign import __version__
from lexalign.interop.quantization import folder_size
from lexalign.models.folder import load_config
from lexalign.storage import write_text

ORIGINS = Path(__file__).parent.parent / "origins.toml"
_NAMES = {"de": "German", "en": "English", "fr": "French", "ro": "Romanian", "ja": "Japanese", "hi": "Hindi"}


def run(workspace: BundleWorkspace, _: str) -> Result:
    for direction in DIRECTIONS:
        write_text(workspace.bundled(direction) / "README.md", card(workspace, direction))
    stages = ("prepare", "teacher", "distil", "student", "labels", "heads", "quantize", "measure")
    found = {name: workspace.found(name) for name in stages}
    results = workspace.folder / "bundled" / "results.json"
    write_text(results, json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    sizes = {direction: folder_size(workspace.bundled(direction)) for direction in DIRECTIONS}
    workspace.say(f"the models are in {results.parent}")
    return {"bytes": sizes}


def options(_: BundleWorkspace) -> object:
    return [__version__, ORIGINS.read_text(encoding="utf-8")]


def card(workspace: BundleWorkspace, direction: Direction) -> str:
    source, target = (_NAMES.get(code, code) for code in workspace.pair.languages(direction))
    sections = [
        f"# {source} to {target}",
        _summary(workspace, direction),
        "## How it was made\n\n" + _making(workspace, direction),
        "## Training data\n\n" + _data(workspace),
        "## How good it is\n\n" + _quality(workspace, direction),
        "## Licence\n\nThe weights are under the Apache licence 2.0, as the package is. "
        "The text that they were learnt from is named above, with its terms; none of it is contained here.",
    ]
    return "\n\n".join(sections) + "\n"


def _summary(workspace: BundleWorkspace, direction: Direction) -> str:
    config = load_config(workspace.bundled(direction))
    return (
        "A translation model of Lexalign: a Transformer of "
        f"{config.encoder_layers} encoder and {config.decoder_layers} decoder layers, width {config.width}, "
        f"feed-forward width {config.feedforward_width}, one vocabulary of {config.vocabulary_size:,} "
        "subwords for both languages, weights in int8 with a scale for each row, and a PostAln head that "
        "tells where every word comes from. Raw text in its own case goes in and comes out, a sentence at a "
        "time."
    )


def _making(workspace: BundleWorkspace, direction: Direction) -> str:
    """How the model was made, by the results of the stages."""
    if workspace.setting.mixture is not None:
        return _making_without_teacher(workspace, direction)
    student = workspace.result("student")[direction]
    teacher = workspace.result("teacher")[direction]
    distilled = workspace.result("distil")
    labels = workspace.result("labels")["pairs"]
    other: Direction = "backward" if direction == "forward" else "forward"
    return (
        f"By `python -m experiments.bundled_models`, version {__version__}: a larger teacher (width "
        f"{teacher['width']}, {' + '.join(map(str, teacher['layers']))} layers) translated "
        f"{distilled[direction]['kept']:,} sentences for it to learn from, and the teacher of the other "
        f"direction {distilled[other]['kept']:,} (beam {distilled[direction]['beam']}); a share of what "
        f"people wrote was added. {student['updates']:,} updates, {student['target_tokens'] / 1e6:,.0f}M "
        f"target tokens. The head learnt from the links of both teachers' heads on {labels:,} pairs."
    )


def _making_without_teacher(workspace: BundleWorkspace, direction: Direction) -> str:
    student, labels = workspace.result("student")[direction], workspace.result("labels")["pairs"]
    return (
        f"By `python -m experiments.bundled_models --no-teacher`, version {__version__}, from the text "
        "below. The recipe `experiments/bundled_models/mixture.toml` says how often each corpus is in it, "
        "and what is changed, so that the model also knows text without capitals or final marks, and copies "
        "X1, X2, ..., which stand in for what is not translated. "
        f"{student['updates']:,} updates, {student['target_tokens'] / 1e6:,.0f}M target tokens, in "
        f"{student['training_seconds'] / 60:.1f} minutes. The head learnt from the attention of both "
        f"directions' models and from the statistics of the text, on {labels:,} pairs."
    )


def _data(workspace: BundleWorkspace) -> str:
    origins = tomllib.loads(ORIGINS.read_text(encoding="utf-8"))
    rows = []
    for name, sizes in workspace.result("prepare")["corpora"].items():
        origin = origins.get(name, {})
        if workspace.pair.synthetic:
            origin = {"title": "written by a program", "licence": "none needed"}
        counts = ", ".join(f"{count:,} {language}" for language, count in sizes.items())
        rows.append([name, origin.get("title", ""), origin.get("licence", "not stated"), counts])
    return table(["", "origin", "terms", "sentences"], rows)


def _quality(workspace: BundleWorkspace, direction: Direction) -> str:
    measured = workspace.result("measure")
    rows = measured["directions"][direction]
    signature = ""
    cells = []
    systems = [system for system in next(iter(rows.values())) if system != "sentences"]
    for name, row in rows.items():
        scores = [row[system]["BLEU"] for system in systems]
        signature = scores[0]["signature"]
        cells.append([name, f"{row['sentences']:,}", *(f"{score['value']:.1f}" for score in scores)])
    found = workspace.found("measure")
    assert found is not None
    note = f"BLEU, beam {measured['beam']}: sacreBLEU `{signature}`; data {found['signature']['data']}."
    return table(["BLEU", "sentences", *systems], cells) + "\n\n" + note


STAGE = Stage(name="card", run=run, options=options, needs=("measure",))
