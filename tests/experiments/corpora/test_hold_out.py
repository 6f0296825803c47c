"""A small text, of which a part is held out."""

from pathlib import Path

import pytest

from experiments.corpora.hold_out import main, split


def test_different_pairs_are_held_out_at_even_distances() -> None:
    pairs = [(f"a{index}", f"b{index}") for index in range(12)]
    held_out, others = split([*pairs, *pairs[3:5]], 3)
    assert held_out == [pairs[0], pairs[4], pairs[8]]
    assert sorted([*held_out, *others]) == sorted(pairs)


def test_the_rest_is_written_several_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "small"
    for side in ("en", "fr"):
        (tmp_path / f"small.{side}").write_text("".join(f"{side} {index}\n" for index in (0, 1, 2, 1)))
    main([str(text), "en", "fr", "--pairs", "1", "--times", "2"])
    assert (tmp_path / "small.valid.fr").read_text() == "fr 0\n"
    assert (tmp_path / "small.train.en").read_text() == "en 1\nen 2\n" * 2
    assert capsys.readouterr().out == "held out: 1 of 3 different pairs\n"


def test_something_must_be_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side in ("en", "fr"):
        (tmp_path / f"small.{side}").write_text("same\nsame\n")
    with pytest.raises(SystemExit) as stopped:
        main([str(tmp_path / "small"), "en", "fr", "--pairs", "1"])
    assert stopped.value.code == 2
    assert "1 of 1 different pairs cannot be held out" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.train.*"))
