"""Runs that train heads: what they leave behind, how they go on, and what they refuse."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.alignment.attention_files import AttentionMethod, read_attention
from lexalign.alignment.head_files import load_head, saved_heads
from lexalign.alignment.layer_selection import ChosenAttention
from lexalign.contracts.errors import LexalignError
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.heads.held_out import HeldOut
from lexalign.training.heads.labels import LabelFile, LabelFiles
from lexalign.training.heads.options import HeadOptions
from tests.training.head_runs import ModelPair, files_of, head, log_of, same


def labels(models: ModelPair, *, valid: bool = True) -> LabelFiles:
    train, held_out = (LabelFile(path=models.folder / f"{name}.links") for name in ("train", "valid"))
    return LabelFiles(train=train, valid=held_out if valid else None)


def attention_layer(folder: Path, method: AttentionMethod) -> int:
    layer, head = read_attention(folder)[method]
    assert head is None
    return layer


def test_heads_and_layers_are_beside_both_models(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "run", kinds=("post-aln", "shift-aet"), picture=True)
    tables = json.loads((tmp_path / "run" / "layers.json").read_text())
    for side, model in enumerate((models.forward, models.backward)):
        assert saved_heads(model) == ["shift-aet", "post-aln"]
        methods: tuple[AttentionMethod, ...] = ("shift-att", "naive-att")
        for method in methods:
            assert attention_layer(model, method) + 1 == tables[method]["best"][side]
    report = json.loads((tmp_path / "run" / "heads.json").read_text())
    assert load_head(models.backward, "post-aln")[1].temperature == pytest.approx(
        report["backward"]["post-aln"]["calibration"]["temperature"]
    )
    pytest.importorskip("matplotlib")
    assert (tmp_path / "run" / "layers.png").read_bytes().startswith(b"\x89PNG")


def test_layers_can_be_given(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "run", layer=1, label_layers=(1, 0))
    assert load_head(models.forward, "post-aln")[1].layer == 1
    assert [attention_layer(model, "shift-att") for model in (models.forward, models.backward)] == [1, 0]


def test_single_heads_can_be_given(models: ModelPair, tmp_path: Path) -> None:
    """And make other labels than the mean over the heads of their layers; which layers agree best is kept."""
    learnt, layers = [], []
    for name, heads in (("mean", None), ("heads", (1, 0))):
        models.train(tmp_path / name, label_layers=(1, 0), label_heads=heads)
        learnt.append(load_head(models.forward, "post-aln")[0].state_dict()["key.weight"])
        layers.append([attention_layer(one, "shift-att") for one in (models.forward, models.backward)])
    assert not torch.equal(*learnt)
    tables = json.loads((tmp_path / "heads" / "layers.json").read_text())
    assert layers == [[1, 0], [layer - 1 for layer in tables["shift-att"]["best"]]]


@pytest.mark.parametrize("heads_agree", [0.0, 2.0])
def test_labels_come_from_where_the_models_agree_best(
    models: ModelPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heads_agree: float
) -> None:
    """Single heads, if they agree better than layers do; a run by others does not go on in its folder."""
    chosen = ChosenAttention(layers=(1, 0), heads=(0, 1))
    monkeypatch.setattr(HeldOut, "choose_heads", lambda *_: (chosen, heads_agree))
    models.train(tmp_path / "run")
    tables = json.loads((tmp_path / "run" / "layers.json").read_text())
    best = [layer - 1 for layer in tables["shift-att"]["best"]]
    assert tables["shift-att, single heads"] == {"aer": heads_agree, "best": [[2, 1], [1, 2]]}
    assert [attention_layer(one, "shift-att") for one in (models.forward, models.backward)] == best
    by_layers = ChosenAttention(layers=(best[0], best[1]))
    said = load_head(models.forward, "post-aln")[1].notes["labels"]
    assert said == str(chosen if heads_agree == 0 else by_layers)
    learnt = head(models.forward)
    asked = chosen if heads_agree == 0 else by_layers
    heads = None if heads_agree else chosen.heads
    models.train(tmp_path / "asked", label_layers=asked.layers, label_heads=heads)
    assert same(learnt, head(models.forward))
    monkeypatch.setattr(
        HeldOut, "choose_heads", lambda *_: (ChosenAttention(layers=(0, 0), heads=(1, 1)), 0.0)
    )
    with pytest.raises(LexalignError, match="other options, models or data"):
        models.train(tmp_path / "run")


@pytest.mark.parametrize(("apart", "teacher"), [(0.6, "shift-att"), (0.8, "hmm-agreement")])
def test_a_second_opinion_teaches_where_attention_does_not_agree(
    models: ModelPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apart: float, teacher: str
) -> None:
    chosen = ChosenAttention(layers=(1, 0), heads=(0, 1))
    monkeypatch.setattr(HeldOut, "choose_heads", lambda *_: (chosen, apart))
    models.train(tmp_path / "run", second_opinion=True)
    learnt, notes = head(models.forward), load_head(models.forward, "post-aln")[1].notes
    assert notes["training"]["teacher"] == teacher
    assert ("labels" in notes) == (teacher == "shift-att")  # which attention it was
    models.train(tmp_path / "asked", teacher=teacher)
    assert same(learnt, head(models.forward))


def test_labels_need_no_reverse_model(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "run", reverse=False, labels=labels(models))
    assert saved_heads(models.forward) == ["post-aln"]
    assert saved_heads(models.backward) == []
    assert not (tmp_path / "run" / "layers.json").exists()
    assert json.loads((tmp_path / "run" / "heads.json").read_text())["forward"]["post-aln"]["loss"] > 0


def test_without_labels_of_held_out_text_nothing_is_calibrated(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "run", reverse=False, labels=labels(models, valid=False))
    assert load_head(models.forward, "post-aln")[1].temperature == 1.0


@pytest.mark.parametrize("method", ["hmm", "ibm4", "fast-align"])
def test_statistics_teach_without_a_reverse_model(models: ModelPair, tmp_path: Path, method: str) -> None:
    pytest.importorskip("systran_align" if method == "fast-align" else "thot")
    symmetrization = "grow-diag-final-and" if method == "fast-align" else "grow-diag"
    models.train(tmp_path / "run", reverse=False, teacher=method, symmetrization=symmetrization)
    assert load_head(models.forward, "post-aln")[1].temperature != 1.0
    assert len(list((tmp_path / "run" / "data").glob("labels-*.npz"))) == 1


@pytest.mark.parametrize("rounds", [1, 2])
def test_a_stopped_run_is_the_run_that_was_not(models: ModelPair, tmp_path: Path, rounds: int) -> None:
    models.train(tmp_path / "straight", rounds=rounds)
    expected = head(models.forward), head(models.backward)
    other = ModelPair(models.folder).copy(tmp_path / "other")
    for update, stop in ((3, signal.SIGINT), (6, signal.SIGTERM)):  # to update 3 and 9; no save is due
        other.interrupt(tmp_path / "stopped", update, stop, rounds=rounds)
    if rounds == 2:
        other.interrupt(tmp_path / "stopped", 8 + 5, rounds=rounds)  # in the second one
    other.train(tmp_path / "stopped", rounds=rounds)
    assert same(head(other.forward), expected[0])
    assert same(head(other.backward), expected[1])
    for number in range(1, rounds + 1):
        found, straight = (
            log_of(tmp_path / name / f"heads-{number}.jsonl") for name in ("stopped", "straight")
        )
        assert found == straight
        assert [entry["update"] for entry in found] == [4, 8, 12, 16, 17]


def test_a_log_without_a_checkpoint_is_begun_again(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "run")
    before = log_of(tmp_path / "run" / "heads-1.jsonl")
    (tmp_path / "run" / "checkpoints" / "heads-1" / "checkpoint.pt").unlink()
    models.train(tmp_path / "run")
    assert log_of(tmp_path / "run" / "heads-1.jsonl") == before


def test_a_finished_run_takes_another_round(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "straight", rounds=2)
    expected = head(models.forward)
    models.train(tmp_path / "run")
    assert not same(head(models.forward), expected)
    models.train(tmp_path / "run", rounds=2)
    assert same(head(models.forward), expected)


def test_a_second_opinion_is_heard_when_heads_teach(models: ModelPair, tmp_path: Path) -> None:
    by_attention: dict[str, Any] = {"label_layers": (1, 0)}  # though it does not agree
    models.train(tmp_path / "first", second_opinion=True, **by_attention)
    assert not list((tmp_path / "first" / "data").glob("labels-*.npz"))
    models.train(tmp_path / "alone", rounds=2, **by_attention)
    alone = head(models.forward)
    models.train(tmp_path / "straight", rounds=2, second_opinion=True, **by_attention)
    advised = head(models.forward)
    assert not same(advised, alone)
    firsts = [log_of(tmp_path / name / "heads-1.jsonl") for name in ("first", "alone", "straight")]
    assert firsts[0] == firsts[1] == firsts[2]
    assert len(list((tmp_path / "straight" / "data").glob("labels-*.npz"))) == 1
    models.train(tmp_path / "first", rounds=2, second_opinion=True, **by_attention)
    assert same(head(models.forward), advised)
    assert HeadOptions(second_opinion=True).learnt() != HeadOptions().learnt()


def test_saved_heads_teach_and_are_gone_on_from(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "first", kinds=("post-aln", "prior-att"))
    before = head(models.forward, "post-aln"), head(models.forward, "prior-att")
    models.train(tmp_path / "second", teacher="post-aln", kinds=("prior-att",), learning_rate=1e-9)
    for name, value in head(models.forward, "prior-att").items():
        torch.testing.assert_close(value, before[1][name], rtol=0, atol=1e-6)
    assert same(head(models.forward, "post-aln"), before[0])


def test_a_run_remembers_the_heads_that_taught_it(models: ModelPair, tmp_path: Path) -> None:
    """They are written over at its end; the same command must still be the same run."""
    models.train(tmp_path / "first")
    models.interrupt(tmp_path / "second", 5, teacher="post-aln")
    models.train(tmp_path / "second", teacher="post-aln", picture=True)
    before = files_of(tmp_path)
    models.train(tmp_path / "second", teacher="post-aln", picture=True)
    assert files_of(tmp_path) == before


@pytest.mark.parametrize(
    "changes", [{"learning_rate": 0.1}, {"updates": 18}, {"seed": 2}, {"kinds": ("prior-att",)}, {"layer": 1}]
)
def test_other_options_are_refused(models: ModelPair, tmp_path: Path, changes: dict[str, Any]) -> None:
    models.interrupt(tmp_path / "run", 3)
    before = files_of(tmp_path)
    with pytest.raises(LexalignError, match="other options, models or data"):
        models.train(tmp_path / "run", **changes)
    assert files_of(tmp_path) == before


def test_other_labels_and_models_are_refused(models: ModelPair, tmp_path: Path) -> None:
    models.train(tmp_path / "run", labels=labels(models))
    with pytest.raises(LexalignError, match="other options, models or data"):
        models.train(tmp_path / "run")
    (models.folder / "train.links").write_text("0-0\n" * 260)
    with pytest.raises(LexalignError, match="other options, models or data"):
        models.train(tmp_path / "run", labels=labels(models))


def test_different_vocabularies_are_refused(models: ModelPair, tmp_path: Path) -> None:
    texts = (models.folder / "train.tsv").read_text().splitlines()
    size = Tokenizer.load(models.backward / "tokenizer.model").vocabulary_size
    kind = TokenizerOptions(vocabulary_size=size, kind="unigram", character_coverage=1.0)
    Tokenizer.train(texts, kind, models.backward / "tokenizer.model")
    with pytest.raises(LexalignError, match="different vocabularies"):
        models.train(tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layer": 2}, "no decoder layer 3; the model has 2"),
        ({"label_layers": (0, 5)}, "no decoder layer 6"),
        ({"label_layers": (0, 1), "label_heads": (0, 9)}, "no attention head 10"),
        ({"heads": 3}, "width 16 cannot have 3"),
        ({"teacher": "post-aln"}, "train a post-aln head for this model first"),
    ],
)
def test_what_cannot_be_is_refused_before_any_work(
    models: ModelPair, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(LexalignError, match=message):
        models.train(tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()
