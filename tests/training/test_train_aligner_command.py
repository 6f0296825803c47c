"""`lexalign train-aligner`: what it leaves behind, and one line for whatever is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from lexalign.alignment.head_files import load_head, saved_heads
from lexalign.alignment.layer_selection import ChosenAttention
from lexalign.cli.main import app
from lexalign.training.heads import label_choice
from lexalign.training.heads import run as head_run
from lexalign.training.heads.held_out import HeldOut
from tests.training.head_runs import ModelPair, files_of, head, same


class Outcome(NamedTuple):
    status: int
    errors: str


Command = Callable[..., Outcome]


@pytest.fixture
def train(
    models: ModelPair, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Run the command beside the forward model, to `tmp_path / "run"`, without a picture of the layers."""
    monkeypatch.setattr(label_choice, "plot_layers", lambda *_: None)

    def run_command(*arguments: object) -> Outcome:
        files = ("--data", models.folder / "train.tsv", "--valid-data", models.folder / "valid.tsv")
        given = ("--model", models.forward, *files, "--to", tmp_path / "run", "--device", "cpu", *arguments)
        capfd.readouterr()
        try:
            app(["train-aligner", *map(str, given)], prog_name="lexalign")
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        return Outcome(status, capfd.readouterr().err)

    return run_command


FEW = ("--updates", 6, "--batch-tokens", 300)


def test_both_models_get_heads(train: Command, models: ModelPair) -> None:
    outcome = train(*FEW, "--reverse-model", models.backward, "--kind", "post-aln", "--kind", "prior-att")
    assert outcome.status == 0, outcome.errors
    assert saved_heads(models.forward) == saved_heads(models.backward) == ["prior-att", "post-aln"]
    assert "AER between the two directions' ShiftATT" in outcome.errors
    assert "round 1, on held-out text:" in outcome.errors


def test_models_without_attention_that_aligns_are_told_of(
    train: Command, models: ModelPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = ("--reverse-model", models.backward)
    warning = "as if one had no attention that aligns: --teacher hmm-agreement needs none"
    assert warning in train(*FEW, *both).errors  # they have learnt nothing
    assert warning not in train(*FEW, *both, "--label-layers", 1, 1, "--to", models.folder / "asked").errors
    statistics = ("--teacher", "hmm-agreement", "--to", models.folder / "statistics")
    assert warning not in train(*FEW, *both, *statistics).errors
    agreed = ChosenAttention(layers=(1, 0), heads=(0, 1)), 0.5
    monkeypatch.setattr(HeldOut, "choose_heads", lambda *_: agreed)
    assert warning not in train(*FEW, *both, "--to", models.folder / "agreed").errors


def test_labels_from_files(train: Command, models: ModelPair) -> None:
    links = ("--labels", models.folder / "train.links", "--valid-labels", models.folder / "valid.links")
    outcome = train(*FEW, *links)
    assert outcome.status == 0, outcome.errors
    assert saved_heads(models.backward) == []
    words = head(models.forward)
    threshold = load_head(models.forward, "post-aln")[1].threshold
    assert f", threshold {threshold:g}\n" in outcome.errors
    # Every word is a subword.
    outcome = train(*FEW, *links, "--labels-level", "subword", "--to", models.folder / "other")
    assert outcome.status == 0, outcome.errors
    assert same(head(models.forward), words)


def test_labels_without_those_of_held_out_text(train: Command, models: ModelPair) -> None:
    outcome = train(*FEW, "--labels", models.folder / "train.links")
    assert outcome.status == 0, outcome.errors
    assert "there are no labels for it: temperatures stay 1, and thresholds 0" in outcome.errors
    settings = load_head(models.forward, "post-aln")[1]
    assert (settings.temperature, settings.threshold) == (1.0, 0.0)


def test_an_interrupted_run_says_how_to_go_on(train: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(head_run, "train_aligner", interrupted)
    assert train() == (130, "stopped; run the same command again to continue\n")


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (["0-0"] * 9, "9 lines of links, but the text has 260"),
        (["0-0"] * 258 + ["0-40", ""], "line 259: target word 40, counted from 0"),
        (["0-0"] * 258 + ["0_0", ""], "line 259: '0_0' is not a link"),
    ],
)
def test_files_of_labels_that_do_not_fit(
    train: Command, models: ModelPair, tmp_path: Path, links: list[str], message: str
) -> None:
    (tmp_path / "links").write_text("".join(line + "\n" for line in links))
    before = files_of(models.forward)
    outcome = train("--labels", tmp_path / "links")
    assert outcome.status == 2
    *_, error = outcome.errors.splitlines()
    assert error.startswith("lexalign: error: ")
    assert message in error
    assert files_of(models.forward) == before
    assert not list((tmp_path / "run").rglob("labels-*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the teacher shift-att needs a reverse model"),
        (("--teacher", "giza"), "unknown teacher 'giza'"),
        (("--kind", "aln"), "no alignment head 'aln'"),
        (("--symmetrize", "sum"), "unknown symmetrization 'sum'"),
        (("--teacher", "fast-align", "--symmetrize", "union"), "grow-diag-final-and and nothing else"),
        (("--labels", "missing"), "missing: no such file of labels"),
        (("--labels", "some", "--teacher", "hmm"), "not both"),
        (("--labels", "some", "--labels-level", "letter"), "unknown level 'letter'"),
        (("--valid-labels", "some"), "--valid-labels go with --labels"),
        (("--second-opinion",), "give --rounds 2 or --teacher post-aln with it"),
        (("--labels", "some", "--symmetrize", "union"), "leave --symmetrize out"),
        (("--teacher", "hmm-agreement", "--symmetrize", "union"), "leave --symmetrize out"),
        (("--teacher", "hmm-agreement", "--label-layers", 1, 1), "give --reverse-model with them"),
        (("--label-heads", 1, 1), "--label-heads are heads of --label-layers; give both"),
        (("--reverse-model", "missing"), "missing: no such model folder"),
        (("--updates", 0), "updates is 0"),
        (("--labels", __file__, "--device", "tpu"), "unknown device 'tpu'"),
        (("--labels", __file__, "--layer", 3), "no decoder layer 3; the model has 2"),
    ],
)
def test_what_cannot_be_trained_is_one_line(
    train: Command, tmp_path: Path, arguments: tuple[object, ...], message: str
) -> None:
    outcome = train(*arguments)
    assert outcome.status == 2
    assert outcome.errors.startswith("lexalign: error: ")
    assert outcome.errors.count("\n") == 1
    assert message in outcome.errors
    assert not (tmp_path / "run").exists()
