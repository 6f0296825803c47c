"""Figures of alignments: their content, and the choice of fonts."""

from pathlib import Path

import pytest

from lexalign.alignment.layer_selection import LayerTable
from lexalign.alignment.plot import (
    SentencePicture,
    draw_alignment,
    draw_layers,
    fonts,
    plot_alignment,
    plot_layers,
)
from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError

pytest.importorskip("matplotlib")

PICTURE = SentencePicture(
    source=["Das", "kostet", "5$", "und", "$x$"],
    target=["It", "costs", "$5"],
    methods=[("one", [Link(0, 0, 0.25), Link(1, 1)]), ("two", [Link(4, 2, 0.5)])],
    gold=[Link(0, 0), Link(1, 1, sure=False)],
)


@pytest.mark.parametrize(("suffix", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".PDF", b"%PDF")])
def test_the_suffix_determines_the_format(tmp_path: Path, suffix: str, magic: bytes) -> None:
    path = tmp_path / f"picture{suffix}"
    plot_alignment(PICTURE, path)
    assert path.read_bytes().startswith(magic)
    assert list(tmp_path.iterdir()) == [path]


def test_cells_words_and_outlines() -> None:
    one, two, *_ = draw_alignment(PICTURE).axes
    assert one.images[0].get_array().tolist() == [[0.25, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert two.images[0].get_array()[2, 4] == 0.5
    assert [label.get_text() for label in one.get_xticklabels()] == list(PICTURE.source)
    assert [label.get_text() for label in one.get_yticklabels()] == list(PICTURE.target)
    assert not any(label.get_text() for label in two.get_yticklabels())
    assert [axes.get_xlabel() for axes in (one, two)] == ["one", "two"]
    outlines = [(patch.get_center().tolist(), patch.get_linestyle() == "solid") for patch in one.patches]
    assert [([round(x, 6), round(y, 6)], solid) for (x, y), solid in outlines] == [
        ([0, 0], True),
        ([1, 1], False),
    ]


def test_the_legend_names_only_what_is_there() -> None:
    (legend,) = draw_alignment(PICTURE).legends
    assert [text.get_text() for text in legend.get_texts()] == ["sure gold link", "possible gold link"]
    plain = SentencePicture(source=["a"], target=["b"], methods=[("one", [])])
    assert not draw_alignment(plain).legends


def test_panels_that_do_not_fit_go_below() -> None:
    words = [f"w{index}" for index in range(40)]
    picture = SentencePicture(source=words, target=["a", "b"], methods=[("x", []), ("y", [])])
    first, second, *_ = draw_alignment(picture).axes
    assert first.get_subplotspec().rowspan != second.get_subplotspec().rowspan
    assert second.get_yticklabels()[0].get_text() == "a"


def test_each_word_is_drawn_by_a_font_that_has_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"DejaVu Sans": "abc", "Half": "かb", "Whole": "かなb"}
    monkeypatch.setattr(fonts, "_families", lambda own: [*known, *own])
    monkeypatch.setattr(fonts, "_characters", lambda family: frozenset(map(ord, known[family])))
    assert fonts.word_fonts(["abc", "かな", "か"]) == {
        "abc": ["DejaVu Sans", "DejaVu Sans"],
        "かな": ["Whole", "DejaVu Sans"],
        "か": ["Half", "DejaVu Sans"],
    }


def test_without_a_font_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fonts, "_families", lambda own: ["DejaVu Sans", *own])
    picture = SentencePicture(source=["東京"], target=["Tokyo"], methods=[("one", [])])
    with pytest.raises(LexalignError, match="no installed font can draw '東京'"):
        plot_alignment(picture, tmp_path / "picture.png")
    assert not list(tmp_path.iterdir())


def test_the_real_fonts_know_their_characters() -> None:
    assert set(map(ord, "Größe é ş")) <= fonts._characters("DejaVu Sans")
    assert ord("東") not in fonts._characters("DejaVu Sans")


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"pictures can be \.png, \.svg, \.pdf"):
        plot_alignment(PICTURE, tmp_path / "picture.gif")
    with pytest.raises(LexalignError, match="without words"):
        plot_alignment(SentencePicture(source=[], target=["a"], methods=[]), tmp_path / "picture.png")
    with pytest.raises(LexalignError, match="cannot read the font"):
        plot_alignment(PICTURE, tmp_path / "picture.png", font=tmp_path / "missing.ttf")


def test_tables_of_layers_have_their_best_pair_outlined(tmp_path: Path) -> None:
    tables = {
        "shift-att": LayerTable(aer=((0.9, 0.2, 0.8), (0.7, 0.6, 0.5))),
        "naive-att": LayerTable(aer=((0.9, 0.8, 0.8), (0.4, 0.6, 0.5))),
    }
    panels = draw_layers(tables).axes
    assert [panel.get_title() for panel in panels] == list(tables)
    for panel, best in zip(panels, ((1, 0), (0, 1)), strict=True):
        (outline,) = panel.patches
        assert outline.get_center().round(6).tolist() == list(best)
        assert [label.get_text() for label in panel.get_xticklabels()] == ["1", "2", "3"]
        assert [label.get_text() for label in panel.get_yticklabels()] == ["1", "2"]
    assert [text.get_text() for text in panels[0].texts] == ["90.0", "20.0", "80.0", "70.0", "60.0", "50.0"]
    plot_layers(tables, tmp_path / "layers.png")
    assert (tmp_path / "layers.png").read_bytes().startswith(b"\x89PNG")
