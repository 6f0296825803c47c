"""Whatever is wrong with the input: status 2, one line that says it, and no output file."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from tests.cli.conftest import Run

CPU = ("--beam", 2, "--max-length", 8, "--device", "cpu")
Refused = Callable[..., str]  # from arguments to the error


@pytest.fixture
def refused(run: Run, model: Path, tmp_path: Path) -> Refused:
    """Run a translation that must fail, and return what it says."""

    def check(*arguments: object, model: Path = model) -> str:
        output = tmp_path / "never" / "out"
        outcome = run("translate", "--model", model, "--output", output, *CPU, *arguments)
        assert outcome.status == 2
        assert outcome.output == ""
        assert outcome.errors.startswith("lexalign: error: ")
        assert outcome.errors.count("\n") == 1
        assert not output.exists()
        assert not output.parent.exists() or not list(output.parent.iterdir())
        return outcome.errors

    return check


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"eins\nzw\xffei\n", "line 2: byte 3 is not valid UTF-8"),
        (b"eins\n\nzw\0ei\n", "line 3: a NUL byte"),
    ],
)
@pytest.mark.parametrize("way", ["file", "standard input"])
def test_lines_that_cannot_be_translated(
    refused: Refused, feed: Callable[[bytes], None], tmp_path: Path, content: bytes, message: str, way: str
) -> None:
    if way == "file":
        (tmp_path / "in").write_bytes(content)
        assert message in refused("--input", tmp_path / "in")
    else:
        feed(content)
        assert message in refused()


def test_a_file_is_checked_before_a_line_is_printed(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"eins\n" * 600 + b"zw\0ei")
    outcome = run("translate", "--model", model, "--input", tmp_path / "in", *CPU)
    assert (outcome.status, outcome.output) == (2, "")
    assert "line 601" in outcome.errors


def test_files_that_cannot_be_read(refused: Refused, tmp_path: Path) -> None:
    assert "Is a directory" in refused("--input", tmp_path)
    assert "No such file" in refused("--input", tmp_path / "missing")
    (tmp_path / "cut.gz").write_bytes(b"\x1f\x8b\x08")
    assert "damaged or cut off" in refused("--input", tmp_path / "cut.gz")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "in").write_text("eins\n")
    (tmp_path / "in").chmod(0)
    assert "Permission denied" in refused("--input", tmp_path / "in")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--beam", 0), "beam is 0"),
        (("--n-best", 3), "n_best 3 is larger than beam 2"),
        (("--max-length", 0), "max_length is 0"),
        (("--batch-tokens", 0), "batch_tokens is 0"),
        (("--workers", 0), "workers is 0"),
        (("--length-penalty", -1), "length_penalty is -1"),
        (("--device", "tpu"), "unknown device 'tpu'"),
        (("--input", "file"), "give only one of TEXT, --input and --constraints"),
    ],
)
def test_senseless_options(refused: Refused, arguments: tuple[object, ...], message: str) -> None:
    assert message in refused("text", *arguments)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there(refused: Refused) -> None:
    assert "torch sees 0 GPUs" in refused("text", "--device", "cuda")


def test_models_that_are_not_whole(refused: Refused, model: Path, tmp_path: Path) -> None:
    assert "no such model folder" in refused("text", model=tmp_path / "missing")
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        broken = tmp_path / f"without-{name}"
        shutil.copytree(model, broken)
        (broken / name).unlink()
        assert f"{name} is missing" in refused("text", model=broken)


@pytest.mark.parametrize("size", [0, 100, 20_000])
def test_weights_that_are_cut_off(refused: Refused, model: Path, tmp_path: Path, size: int) -> None:
    shutil.copytree(model, tmp_path / "model")
    weights = tmp_path / "model" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:size])
    assert "model.safetensors: cannot be read" in refused("text", model=tmp_path / "model")


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"null", b'{"format": 1}'])
def test_a_corrupt_config(refused: Refused, model: Path, tmp_path: Path, content: bytes) -> None:
    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "model" / "config.json").write_bytes(content)
    assert "config" in refused("text", model=tmp_path / "model")


def change_config(model: Path, tmp_path: Path, change: object) -> None:
    """Copy a model, with other values in its config."""
    shutil.copytree(model, tmp_path / "model")
    path = tmp_path / "model" / "config.json"
    content = json.loads(path.read_text())
    content["model"] = {**content["model"], **change} if isinstance(change, dict) else change
    path.write_text(json.dumps(content))


def test_a_config_of_another_model(refused: Refused, model: Path, tmp_path: Path) -> None:
    change_config(model, tmp_path, {"width": 64})
    assert "the config says" in refused("text", model=tmp_path / "model")


@pytest.mark.parametrize(
    "change", [3, {"width": "wide"}, {"norm": "sideways"}, {"encoder_heads": 0}, {"pad_id": None}]
)
def test_a_config_that_makes_no_sense(refused: Refused, model: Path, tmp_path: Path, change: object) -> None:
    change_config(model, tmp_path, change)
    refused("text", model=tmp_path / "model")


def test_the_tokenizer_of_another_model(refused: Refused, model: Path, corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "model")
    sentences = (corpus / "train.en").read_text().splitlines()
    Tokenizer.train(sentences, TokenizerOptions(vocabulary_size=400), tmp_path / "model" / "tokenizer.model")
    assert "different models" in refused("text", model=tmp_path / "model")
    (tmp_path / "model" / "tokenizer.model").write_bytes(b"no tokenizer")
    assert "is not a tokenizer" in refused("text", model=tmp_path / "model")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk(run: Run, model: Path) -> None:
    outcome = run("translate", "--model", model, "text", "--output", "/dev/full", *CPU[2:], "--beam", 2)
    assert outcome.status == 2
    assert outcome.errors.splitlines()[-1] == "lexalign: error: No space left on device"


def test_an_output_folder_that_cannot_be_made(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = run("translate", "--model", model, "text", "--output", tmp_path / "file" / "out", *CPU)
    assert outcome.status == 2
    assert outcome.errors.splitlines()[-1].startswith("lexalign: error: ")


def test_usage_errors_have_the_same_status(run: Run) -> None:
    assert run("translate").status == 2
    assert run("nonsense").status == 2
    assert run("translate", "--model", "m", "--beam", "many").status == 2
