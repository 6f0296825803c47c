"""Synthetic corpora for a run of minutes: a large parallel one, a small one, text of one language, and a test
set, all of the same two languages."""

from pathlib import Path

from experiments.corpora.synthetic_pair import write_synthetic
from experiments.paper.pipeline.pairs import Pair
from lexalign.data.reader import read_lines
from lexalign.storage import write_text


def write_synthetic_corpora(folder: Path, pair: Pair) -> None:
    if (folder / "tests").exists():
        return
    assert pair.synthetic is not None
    source, target = pair.languages("forward")
    write_synthetic(folder, (source, target), pair.synthetic)
    for language in (source, target):
        lines = list(read_lines(folder / f"train.{language}"))
        small, alone = len(lines) // 8, len(lines) // 16
        _write(folder / f"everyday.{language}", lines[:small])
        if language == target:
            _write(folder / f"alone.{language}", lines[small : small + alone])
        _write(folder / f"train.{language}", lines[small + alone :])
        # It is split into words, as gold text is, which does synthetic text no harm.
        _write(folder / "tests" / f"newstest2017.{language}", list(read_lines(folder / f"gold.{language}")))


def _write(path: Path, lines: list[str]) -> None:
    write_text(path, "".join(line + "\n" for line in lines))
