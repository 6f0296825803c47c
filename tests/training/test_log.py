"""The log and its picture."""

import builtins
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.training.log import TrainingLog, read_log
from lexalign.training.plot import plot_log


def entries(bleu: float | None = 20.0) -> list[dict[str, Any]]:
    train = [{"kind": "train", "update": n, "nll": 6 / n} for n in range(1, 9)]
    return [*train, *({"kind": "valid", "update": n, "loss": 5 / n, "bleu": bleu} for n in (4, 8))]


@pytest.fixture
def log(tmp_path: Path) -> TrainingLog:
    log = TrainingLog(tmp_path / "log.jsonl")
    for entry in entries():
        log.append(entry)
    return log


def test_what_is_written_is_read(log: TrainingLog) -> None:
    assert read_log(log.path) == entries()


@pytest.mark.parametrize("length", [1, 20, 1000])
def test_a_cut_last_line_is_left_out(log: TrainingLog, length: int) -> None:
    whole = log.path.read_text()
    last = json.dumps({"kind": "train", "update": 9, "nll": 0.5})
    log.path.write_text(whole + last[:length])
    assert read_log(log.path) == entries()


def test_a_broken_last_line_is_left_out(log: TrainingLog) -> None:
    log.path.write_text(log.path.read_text() + '{"kind": "tr\n')
    assert read_log(log.path) == entries()


def test_a_broken_line_amid_others_is_named(log: TrainingLog) -> None:
    lines = log.path.read_text().splitlines(keepends=True)
    lines[2] = lines[2][:5] + "\n"
    log.path.write_text("".join(lines))
    with pytest.raises(LexalignError, match=r"log\.jsonl, line 3: not JSON; remove the line"):
        read_log(log.path)


def test_a_log_is_cut_back_and_written_on(log: TrainingLog) -> None:
    log.path.write_text(log.path.read_text() + '{"kind": "tr')
    log.cut(5)
    log.append({"kind": "train", "update": 6, "nll": 1.0})
    expected = [entry for entry in entries() if entry["update"] <= 5]
    assert read_log(log.path) == [*expected, {"kind": "train", "update": 6, "nll": 1.0}]


def test_a_log_that_is_not_there_is_not_cut(tmp_path: Path) -> None:
    TrainingLog(tmp_path / "log.jsonl").cut(3)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("bleu", [20.0, None])
def test_a_log_is_drawn(tmp_path: Path, bleu: float | None) -> None:
    """7 by 4 inches of 150 dots; white space alone would be a few hundred bytes."""
    pytest.importorskip("matplotlib")
    path, picture = tmp_path / "log.jsonl", tmp_path / "curve.png"
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries(bleu)))
    plot_log(path, picture)
    content = picture.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (1050, 600)
    assert len(content) > 10_000
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_curve_is_in_the_picture(log: TrainingLog, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot_log(log.path, tmp_path / "one.png")
    log.append({"kind": "train", "update": 20, "nll": 9.0})
    plot_log(log.path, tmp_path / "two.png")
    assert (tmp_path / "one.png").read_bytes() != (tmp_path / "two.png").read_bytes()


def test_a_run_that_has_logged_nothing_is_drawn_empty(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "log.jsonl").touch()
    plot_log(tmp_path / "log.jsonl", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").is_file()


def test_drawing_without_matplotlib_says_what_to_install(
    log: TrainingLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = builtins.__import__

    def without_matplotlib(name: str, *given: Any, **named: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return plain(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(LexalignError, match=r"pip install 'lexalign\[train\]'"):
        plot_log(log.path, tmp_path / "curve.png")
    assert not (tmp_path / "curve.png").exists()
