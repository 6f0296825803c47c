"""`lexalign models shortlist` measures what it has learnt, and keeps it only where nothing is lost."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexalign.data.synthetic import generate
from lexalign.decoding.lexical_shortlist import SHORTLIST, LexicalShortlist
from lexalign.translator import shortlisting
from lexalign.translator.shortlisting import ShortlistReport
from tests.cli.conftest import Run

FEW = ("--beam", 1)
NO_LOSS = ShortlistReport(
    num_sentences=100, recall=0.99, same=0.99, mean_length=300, vocabulary_size=500, speed=1.1, bleu=None
)
EMPTY = LexicalShortlist(
    offsets=np.zeros(1, np.int64), token_ids=np.zeros(0, np.int64), frequent=0, shared=False
)


@pytest.fixture
def own(model: Path, tmp_path: Path) -> Path:
    """A model whose folder may be changed."""
    return Path(shutil.copytree(model, tmp_path / "model"))


@pytest.fixture
def text(tmp_path: Path) -> tuple[Path, Path]:
    pairs = generate(1_050)
    paths = tmp_path / "text.de", tmp_path / "text.en"
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    return paths


def test_a_list_that_costs_nothing_is_written_and_used(run: Run, own: Path, text: tuple[Path, Path]) -> None:
    source, target = text
    made = run(
        "models", "shortlist", "--model", own, "--source", source, "--target", target, *FEW, "--anyway"
    )
    assert made.status == 0, made.errors
    assert "BLEU" in made.output
    assert (own / SHORTLIST).exists()
    translate = ("translate", "--model", own, "--device", "cpu", "--beam", 1, "Anna kaufte rote Äpfel.")
    assert run(*translate).status == run(*translate, "--no-shortlist").status == 0


@pytest.mark.parametrize("loss", [{"bleu": (30.0, 29.9)}, {"same": 0.97}])
def test_a_list_that_costs_something_is_not_written(
    run: Run, own: Path, text: tuple[Path, Path], loss: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    report = replace(NO_LOSS, **loss)
    monkeypatch.setattr(shortlisting, "make_shortlist", lambda *_, **__: (EMPTY, report))
    made = run("models", "shortlist", "--model", own, "--source", text[0])
    assert "not written" in made.output
    assert made.status == 1
    assert not (own / SHORTLIST).exists()
    assert run("models", "shortlist", "--model", own, "--source", text[0], "--anyway").status == 0
    assert (own / SHORTLIST).exists()


def test_bad_input_is_an_error(run: Run, own: Path, text: tuple[Path, Path], tmp_path: Path) -> None:
    short = tmp_path / "short.en"
    short.write_text("one\n", encoding="utf-8")
    for arguments, message in (
        (("--source", text[0], "--target", short), "has 1,050 lines and"),
        (("--source", short), "1 sentences are too few"),
    ):
        failed = run("models", "shortlist", "--model", own, *arguments)
        assert failed.status == 2
        assert message in failed.errors
