"""`lexalign train-aligner`: what it leaves behind, and one line for whatever is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from lexalign.alignment.head_files import load_head, saved_heads
from lexalign.alignment.layer_selection import ChosenAttention
from lexalign.cli.main import app
from lexalign.contracts.errors import LexalignError
from lexalign.training.heads import label_choice
from lexalign.training.heads import run as head_run
from lexalign.training.heads.held_out import HeldOut
from lexalign.translator import self_translation
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


@pytest.fixture
def train_by_text(
    models: ModelPair, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """Run the command with text of one language.

    The models have learnt nothing, and never end a translation, so theirs are replaced by the right ones.
    """
    lines = (models.folder / "train.tsv").read_text(encoding="utf-8").splitlines()
    table = dict(line.split("\t") for line in lines)
    sources = list(table)
    monkeypatch.setattr(
        self_translation, "_translate", lambda _, asked, __: [(line, table[line]) for line in asked]
    )
    (tmp_path / "text").write_text("\n".join([*sources[:120], "", " "]) + "\n", encoding="utf-8")

    def run_command(*arguments: object) -> Outcome:
        given = ("--model", models.forward, "--device", "cpu", *FEW, *arguments)
        capfd.readouterr()
        try:
            app(["train-aligner", *map(str, given)], prog_name="lexalign")
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        return Outcome(status, capfd.readouterr().err)

    return run_command


def test_a_head_without_parallel_text(train_by_text: Command, models: ModelPair, tmp_path: Path) -> None:
    """The model translates the text once; the same command again finds all done, to the last bit."""
    outcome = train_by_text("--text", tmp_path / "text", "--max-lines", 100)
    assert outcome.status == 0, outcome.errors
    assert "translating 100 lines by forward" in outcome.errors
    assert " and hmm-agreement" in outcome.errors
    assert "round 2, on held-out text:" in outcome.errors
    assert saved_heads(models.forward) == ["post-aln"]
    notes = load_head(models.forward, "post-aln")[1].notes
    assert notes["training"]["teacher"] == "self"
    learnt = head(models.forward)
    folder = models.forward.with_name("forward.aligner")
    assert len(list((folder / "text" / "forward").iterdir())) == 4
    again = train_by_text("--text", tmp_path / "text", "--max-lines", 100)
    assert again.status == 0
    assert "translating" not in again.errors
    assert same(head(models.forward), learnt)


def test_a_reverse_model_translates_too(train_by_text: Command, models: ModelPair, tmp_path: Path) -> None:
    outcome = train_by_text(
        "--text", tmp_path / "text", "--reverse-model", models.backward, "--reverse-text", tmp_path / "text"
    )
    assert outcome.status == 0, outcome.errors
    assert "by forward" in outcome.errors
    assert "by backward" in outcome.errors
    assert saved_heads(models.forward) == saved_heads(models.backward) == ["post-aln"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--text", "TEXT", "--source", "TEXT"), "leave out --source"),
        (("--reverse-text", "TEXT"), "with --text"),
        (("--text", "TEXT", "--reverse-text", "TEXT"), "by --reverse-model"),
        (("--text", "EMPTY"), "at least two lines"),
        (("--text", "NOWHERE"), "No such file"),
        (("--text", "TEXT", "--teacher", "self", "--reverse-model", "BACKWARD"), "one model alone"),
        ((), "give the folder of the run"),
    ],
)
def test_what_text_cannot_do_is_one_line(
    train_by_text: Command, models: ModelPair, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "empty").write_text("\n \n")
    names = {
        "TEXT": tmp_path / "text",
        "EMPTY": tmp_path / "empty",
        "NOWHERE": tmp_path / "nowhere",
        "BACKWARD": models.backward,
    }
    outcome = train_by_text(*(names.get(one, one) for one in arguments))
    assert outcome.status == 2
    assert words in outcome.errors
    assert saved_heads(models.forward) == []


def test_a_model_that_does_not_translate_the_text_is_one_line(models: ModelPair, tmp_path: Path) -> None:
    """Its translations never end, so none of them is used."""
    (tmp_path / "text").write_text("a b\nb c\nc d\n")
    said: list[str] = []
    with pytest.raises(LexalignError, match="hardly any line of the text"):
        self_translation.translate_text(
            models.forward, [tmp_path / "text"], tmp_path / "own", 3, device="cpu", say=said.append
        )
    assert said == [
        "translating 3 lines by forward",
        "3 lines are left out: too long, or without a whole translation",
    ]
    assert not (tmp_path / "own").exists()


def test_lines_come_from_all_over_the_text(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("".join(f"{number}\n" for number in range(1000)))
    found = self_translation.sample_lines([tmp_path / "text"], 100)
    numbers = sorted(map(int, found))
    assert len(set(numbers)) == 100
    assert all(sum(start <= one < start + 250 for one in numbers) > 10 for start in range(0, 1000, 250))
    assert self_translation.sample_lines([tmp_path / "text"], 100) == found
