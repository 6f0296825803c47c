"""`lexalign align`: formats, bad input, and nothing half-written."""

import re
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from lexalign.alignment.attention_files import write_attention
from lexalign.alignment.formats import read_alignments
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import PosteriorHead
from lexalign.cli.main import app
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions

LINES = ["das Haus ist groß .", "der Hund schläft , ja !", ""]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model with a random head, and two files."""
    folder = tmp_path_factory.mktemp("align")
    options = TokenizerOptions(vocabulary_size=300)
    tokenizer = Tokenizer.train(LINES * 20, options, folder / "tokenizer.model")
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=32,
        feedforward_width=32,
        encoder_layers=1,
        decoder_layers=2,
        max_positions=32,
    )
    torch.manual_seed(1)
    save_model(folder / "model", Transformer(config), tokenizer)
    save_head(folder / "model", PosteriorHead(32, 4), HeadSettings(layer=0))
    write_attention(folder / "model", {"naive-att": (1, None), "shift-att": (0, None)})
    (folder / "source").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    (folder / "target").write_text("\n".join(reversed(LINES)) + "\n", encoding="utf-8")
    (folder / "joined").write_text(
        "".join(f"{one} ||| {two}\n" for one, two in zip(LINES, reversed(LINES), strict=True)),
        encoding="utf-8",
    )
    return folder


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["align", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_two_files_and_one_give_the_same(folder: Path) -> None:
    common = ("--model", folder / "model", "--words", "words", "--device", "cpu")
    two = run(folder / "source", folder / "target", *common)
    one = run(folder / "joined", *common)
    assert two == one
    assert two[0] == 0
    assert two[1].count("\n") == len(LINES)
    assert two[1].splitlines()[0] == ""  # its target is empty


@pytest.mark.parametrize("output_format", ["pharaoh", "probabilities", "talp", "json"])
def test_what_is_written_can_be_read(folder: Path, tmp_path: Path, output_format: str) -> None:
    path = tmp_path / "links"
    arguments = ("--model", folder / "model", "--words", "words", "--format", output_format, "--output", path)
    code, _, _ = run(folder / "source", folder / "target", *arguments, "--device", "cpu")
    assert code == 0
    found = read_alignments(path, base=0).sentences
    assert len(found) == len(LINES)
    assert found[1]
    assert {link.target for link in found[1]} <= set(range(6))


def test_spans_point_into_the_lines(folder: Path) -> None:
    _, printed, _ = run(
        folder / "source",
        folder / "target",
        "--model",
        folder / "model",
        "--words",
        "words",
        "--format",
        "spans",
    )
    last = printed.splitlines()[1].split()[-1]
    target = last.split("-")[1]
    start, end = map(int, target.split(":"))
    assert LINES[1][start : end + 1] in LINES[1].split()


def test_directions_are_joined(folder: Path) -> None:
    model = folder / "model"
    files = (folder / "source", folder / "target", "--model", model, "--device", "cpu")
    both = ("--reverse-model", model, "--symmetrize")
    union = run(*files, *both, "union")[1].splitlines()
    intersection = run(*files, *both, "intersection")[1].splitlines()
    assert all(set(few.split()) <= set(many.split()) for few, many in zip(intersection, union, strict=True))
    assert intersection != union
    few, many = (run(*files, *both, "mean", "--threshold", level)[1].splitlines() for level in (0.9, 0.01))
    assert all(set(one.split()) <= set(other.split()) for one, other in zip(few, many, strict=True))
    assert few != many


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("source", "short"), "source has 3 lines but"),
        (("source",), "line 1: not `source"),
        (("source", "target", "--model", "nowhere"), "no such model folder"),
        (("source", "target", "--method", "shift-aet"), "train a shift-aet head"),
        (("source", "target", "--symmetrize", "union"), "go together"),
        (
            ("source", "target", "--symmetrize", "mean", "--threshold", "0"),
            "links every word with every word",
        ),
        (
            ("source", "target", "--method", "shift-att", "--layer", "9"),
            "no decoder layer 9; the model has 2",
        ),
        (("long", "long"), "line 2: .* over the model's limit"),
    ],
)
def test_bad_input_is_one_line(
    folder: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    (folder / "short").write_text("das\n", encoding="utf-8")
    (folder / "long").write_text("das\n" + "Haus " * 40 + "\n", encoding="utf-8")
    output = tmp_path / "links"
    files = [folder / name if name in {"source", "target", "short", "long"} else name for name in arguments]
    model = () if "--model" in arguments else ("--model", folder / "model")
    code, printed, error = run(*files, *model, "--output", output, "--device", "cpu")
    assert code == 2
    assert printed == ""
    assert error.count("\n") == 1
    assert re.search(message, error), error
    assert not output.exists()
