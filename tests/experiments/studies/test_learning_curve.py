"""The learning curve is drawn from the committed points."""

from pathlib import Path

import pytest

from experiments.studies.learning_curve import CURVES, main, read_points


@pytest.mark.parametrize("curve", CURVES, ids=lambda path: path.stem)
def test_points_go_up_and_a_mean_of_models_is_none_of_them(curve: Path) -> None:
    points = read_points(curve)
    tokens = [point["target_tokens"]["de-en"] for point in points]
    assert len(tokens) > 1
    assert tokens == sorted(set(tokens))
    assert "mean" not in {point["name"] for point in points}


@pytest.mark.parametrize("curve", CURVES, ids=lambda path: path.stem)
def test_attention_is_read_where_the_directions_agree(curve: Path) -> None:
    for point in read_points(curve):
        for found in (point["shift_att"], point["shift_att_pinned"]):
            by_layer = [found["aer_by_layer"][side] for side in ("de-en", "en-de")]
            chosen = [aer[layer - 1] for aer, layer in zip(by_layer, found["layers"], strict=True)]
            assert chosen == [found["aer"]["de-en"], found["aer"]["en-de"]]


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "curve.png"
    main(["--to", str(picture)])
    assert picture.read_bytes().startswith(b"\x89PNG")
