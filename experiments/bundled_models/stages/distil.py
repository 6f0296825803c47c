"""Have the teachers translate all the text of their source languages, a shard at a time."""

import time
from collections.abc import Sequence
from pathlib import Path

from experiments.bundled_models.mixture import shards
from experiments.bundled_models.workspace import BundleWorkspace
from experiments.paper.pipeline.pairs import DIRECTIONS, Direction
from experiments.paper.pipeline.stage import Stage
from experiments.paper.pipeline.workspace import Result
from lexalign.storage import new_folder
from lexalign.translator import TranslateOptions, Translator


def run(workspace: BundleWorkspace, _: str) -> Result:
    if workspace.setting.mixture is not None:
        return {direction: {"sentences": 0, "kept": 0, "folders": []} for direction in DIRECTIONS}
    for direction in workspace.directions:
        _distil(workspace, direction)
    planned = {direction: shards(workspace, direction) for direction in DIRECTIONS}
    workspace.require_both({way: all(folder.exists() for folder, _ in planned[way]) for way in DIRECTIONS})
    return {
        direction: {
            "sentences": sum(len(lines) for _, lines in parts),
            "kept": sum(_num_lines(folder / f"text.{workspace.pair.source}") for folder, _ in parts),
            "beam": workspace.setting.beam,
            "folders": [str(folder.relative_to(workspace.folder)) for folder, _ in parts],
        }
        for direction, parts in planned.items()
    }


def options(workspace: BundleWorkspace) -> object:
    setting = workspace.setting
    return [setting.limit, setting.beam, setting.shard, setting.seed]


def _distil(workspace: BundleWorkspace, direction: Direction) -> None:
    planned = shards(workspace, direction)
    waiting = [(folder, lines) for folder, lines in planned if not folder.exists()]
    if not waiting:
        return
    setting = workspace.setting
    translator = Translator.load(workspace.teacher(direction), device=workspace.device)
    chosen = TranslateOptions(
        beam=setting.beam,
        batch_tokens=setting.batch_tokens,
        window=setting.shard,
        workers=setting.workers,
    ).verbatim()
    done = len(planned) - len(waiting)
    for number, (folder, lines) in enumerate(waiting, start=done + 1):
        clock = time.perf_counter()
        _translate(translator, lines, chosen, folder, workspace.pair.languages(direction))
        speed = len(lines) / (time.perf_counter() - clock)
        workspace.say(
            f"{workspace.name(direction)}: shard {number} of {len(planned)}, {speed:,.0f} sentences/s"
        )


def _translate(
    translator: Translator,
    lines: Sequence[str],
    chosen: TranslateOptions,
    folder: Path,
    languages: tuple[str, str],
) -> None:
    """Keep a shard whole or not at all; what the length limit has ended is no translation, and left out."""
    translations = translator.translate_stream(lines, chosen)
    pairs = [
        (line, " ".join(translation.text.split()))
        for line, translation in zip(lines, translations, strict=True)
        if translation.complete
    ]
    with new_folder(folder) as new:
        for side, language in enumerate(languages):
            text = "".join(pair[side] + "\n" for pair in pairs)
            (new / f"text.{language}").write_text(text, encoding="utf-8", newline="\n")


def _num_lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


STAGE = Stage(name="distil", run=run, options=options, needs=("teacher",))
