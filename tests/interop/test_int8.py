"""A folder in int8 is the same model as one quantised while it is loaded, in a quarter of the space."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lexalign.alignment.head_files import HeadSettings, load_head, save_head
from lexalign.alignment.learned import HEADS
from lexalign.contracts.errors import LexalignError
from lexalign.interop.hub_export import export_huggingface
from lexalign.interop.quantization import folder_size, quantize_folder
from lexalign.models.config import ModelConfig
from lexalign.models.folder import copy_weights, load_model, save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.translator import TranslateOptions, Translator
from lexalign.weights import Int8Rows, WeightFile, write_weights

SENTENCES = ["das Haus ist groß", "der kleine Hund läuft über die Straße", "die Straße", "groß und klein"]
SMALL = ModelConfig(
    vocabulary_size=300,
    width=48,  # four heads of 12: the scale of attention is not a power of two
    feedforward_width=64,
    encoder_layers=2,
    decoder_layers=2,
    max_positions=64,
)
VARIANTS = {
    "tied": SMALL,
    "untied": replace(SMALL, tied_encoder_decoder=False, tied_output=False, output_bias=True),
    "learned positions": replace(SMALL, positions="learned", norm="pre", final_norm=True, activation="gelu"),
}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    path = tmp_path_factory.mktemp("vocabulary") / "tokenizer.model"
    return Tokenizer.train(SENTENCES * 20, TokenizerOptions(vocabulary_size=300), path)


@pytest.fixture(scope="module", params=list(VARIANTS))
def folders(
    request: pytest.FixtureRequest, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """A model in floating point, and the same in int8."""
    folder = tmp_path_factory.mktemp("int8")
    torch.manual_seed(3)
    model = Transformer(VARIANTS[request.param])
    with torch.no_grad():
        for parameter in model.parameters():  # biases and norms that are not 0 and 1
            parameter.add_(torch.randn_like(parameter), alpha=0.05)
        model.zero_padding_embedding()
    save_model(folder / "float", model, tokenizer, languages=("de", "en"), notes={"origin": "a test"})
    for kind in HEADS:
        save_head(folder / "float", HEADS[kind](SMALL.width, 4), HeadSettings(layer=1))
    (folder / "float" / "README.md").write_text("Whose it is.\n")
    quantize_folder(folder / "float", folder / "int8")
    return folder / "float", folder / "int8"


def logits(model: Transformer, tokenizer: Tokenizer) -> torch.Tensor:
    ids = torch.tensor([[*tokenizer.encode(SENTENCES[1]), model.config.eos_id]])
    with torch.inference_mode():
        return model.force(model.encode(ids), torch.tensor([[0, 7, 8, 9]])).logits


def test_rows_are_quantised_to_the_nearest_of_255_values() -> None:
    weight = torch.tensor([[1.27, -1.27, 0.006, 0.004], [0.0, 0.0, 0.0, 0.0], [254.0, 1.1, -3.0, 2.0]])
    rows = Int8Rows.of(weight)
    assert rows.values.tolist() == [[127, -127, 1, 0], [0, 0, 0, 0], [127, 1, -2, 1]]
    assert (rows.dequantised() - weight).abs().amax(dim=1).le(rows.scales / 2 + 1e-6).all()
    assert torch.equal(
        Int8Rows.of(rows.dequantised()).values, rows.values
    )  # nothing is lost by a second time


def test_stored_in_int8_is_quantised_while_loading(folders: tuple[Path, Path], tokenizer: Tokenizer) -> None:
    first, _ = load_model(folders[0], precision="int8")
    second, _ = load_model(folders[1])
    assert torch.equal(logits(first, tokenizer), logits(second, tokenizer))
    assert torch.equal(first.target_embedding, second.target_embedding)


def test_int8_is_near_float32(folders: tuple[Path, Path], tokenizer: Tokenizer) -> None:
    exact = logits(load_model(folders[0])[0], tokenizer)
    for path, precision in ((folders[1], None), (folders[1], "float32")):
        found = logits(load_model(path, precision=precision)[0], tokenizer)  # type: ignore[arg-type]
        assert not torch.equal(found, exact)
        assert (found - exact).abs().max() < 0.05 * exact.abs().max()


def test_dequantised_weights_are_those_of_the_file(folders: tuple[Path, Path]) -> None:
    model, _ = load_model(folders[1], precision="float32")
    file = WeightFile(folders[1] / "model.safetensors", "")
    assert file.names == {name for name, _ in model.named_parameters()}
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, file.read_float(name))


def test_a_model_can_be_filled_from_either(folders: tuple[Path, Path], tokenizer: Tokenizer) -> None:
    """As a training that starts from given weights does, which are not packed."""
    stored, _ = load_model(folders[1], precision="float32")
    fresh = Transformer(stored.config)
    copy_weights(fresh, folders[1])
    assert torch.allclose(logits(fresh.eval(), tokenizer), logits(stored, tokenizer), atol=1e-4)


def test_nothing_large_is_in_floating_point(folders: tuple[Path, Path]) -> None:
    """Neither in the file nor, where it computes in int8, in memory."""
    file = WeightFile(folders[1] / "model.safetensors", "")
    learned = {name for name in file.names if name.endswith("embedding.positions")}
    for name in file.names - learned:
        assert isinstance(file.read(name), Int8Rows) == (not name.endswith(("bias", "norm.weight")))
    for path in folders:
        model, _ = load_model(path, precision="int8")
        left = [name for name, value in model.named_parameters() if value.dim() > 1 and value.numel()]
        assert set(left) == learned


def test_translations_and_alignments_are_the_same(folders: tuple[Path, Path]) -> None:
    options = TranslateOptions(beam=3, n_best=2, align="post-aln")
    first = Translator.load(folders[0], device="cpu", precision="int8").translate(SENTENCES, options)
    second = Translator.load(folders[1], device="cpu").translate(SENTENCES, options)
    for one, two in zip(first, second, strict=True):
        assert (one.text, one.score, one.alternatives[0].score) == (
            two.text,
            two.score,
            two.alternatives[0].score,
        )
        for ours, theirs in zip(one.links, two.links, strict=True):  # the head is 8-bit too, and near
            assert ours.probability == pytest.approx(theirs.probability, abs=0.05)


def test_weights_in_int8_are_not_given_away_as_others(
    folders: tuple[Path, Path], tokenizer: Tokenizer, tmp_path: Path
) -> None:
    model, _ = load_model(folders[1])
    with pytest.raises(LexalignError, match="computes in int8"):
        save_model(tmp_path / "new", model, tokenizer)
    with pytest.raises(LexalignError, match="computes in int8"):
        export_huggingface(model, tokenizer, tmp_path / "new", "de", "en")
    save_model(tmp_path / "new", load_model(folders[1], precision="float32")[0], tokenizer)
    again, _ = load_model(tmp_path / "new", precision="int8")
    assert torch.equal(logits(again, tokenizer), logits(model, tokenizer))


def test_heads_and_other_files_go_along(folders: tuple[Path, Path]) -> None:
    assert (folders[1] / "README.md").read_text() == "Whose it is.\n"
    config = json.loads((folders[1] / "config.json").read_text())
    assert config["notes"] == {"origin": "a test"}
    assert config["languages"] == {"source": "de", "target": "en"}
    for kind in HEADS:
        (before, settings), (after, again) = load_head(folders[0], kind), load_head(folders[1], kind)
        assert settings == again
        for name, weight in before.state_dict().items():
            assert torch.equal(after.state_dict()[name], Int8Rows.of(weight).dequantised())


def test_a_folder_of_10_million_parameters_is_small(tokenizer: Tokenizer, tmp_path: Path) -> None:
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=256,
        feedforward_width=1024,
        encoder_layers=6,
        decoder_layers=3,
    )
    model = Transformer(config)
    save_model(tmp_path / "float", model, tokenizer)
    save_head(tmp_path / "float", HEADS["post-aln"](256, 4), HeadSettings(layer=1))
    size = quantize_folder(tmp_path / "float", tmp_path / "int8")
    num_parameters = sum(parameter.numel() for parameter in model.parameters()) + 3 * 256**2
    assert size == folder_size(tmp_path / "int8")
    assert size - (tmp_path / "int8" / "tokenizer.model").stat().st_size < 1.04 * num_parameters


@pytest.mark.parametrize("source", ["float", "int8"])
def test_quantising_twice_changes_nothing(folders: tuple[Path, Path], tmp_path: Path, source: str) -> None:
    path = folders[0] if source == "float" else folders[1]
    quantize_folder(path, tmp_path / "again")
    weights = (tmp_path / "again" / "model.safetensors").read_bytes()
    assert weights == (folders[1] / "model.safetensors").read_bytes()


def test_an_existing_folder_is_left_alone(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(LexalignError, match="already exists"):
        quantize_folder(folders[0], tmp_path / "there")
    with pytest.raises(LexalignError, match="no such model folder"):
        quantize_folder(tmp_path / "nowhere", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def spoil_scales(path: Path) -> None:
    file = WeightFile(path, "")
    weights: dict[str, Int8Rows | torch.Tensor] = {name: file.read(name) for name in file.names}
    name = next(name for name, weight in weights.items() if isinstance(weight, Int8Rows))
    rows = weights[name]
    assert isinstance(rows, Int8Rows)
    weights[name] = Int8Rows(rows.values.clone(), rows.scales[:-1].clone())
    write_weights(path, {key: value if key == name else _copied(value) for key, value in weights.items()})


def drop_scales(path: Path) -> None:
    file = WeightFile(path, "copy it again")
    weights = {name: file.read(name) for name in file.names}
    write_weights(path, {name: _values(weight) for name, weight in weights.items()})


def _copied(weight: Int8Rows | torch.Tensor) -> Int8Rows | torch.Tensor:
    return Int8Rows(weight.values.clone(), weight.scales) if isinstance(weight, Int8Rows) else weight.clone()


def _values(weight: Int8Rows | torch.Tensor) -> torch.Tensor:
    return (weight.values if isinstance(weight, Int8Rows) else weight).clone()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (spoil_scales, "are not one for each row"),
        (drop_scales, "the scales of weight .* are missing; copy the model again"),
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), "cannot be read"),
    ],
)
def test_damage_is_named(
    folders: tuple[Path, Path], tmp_path: Path, spoil: Callable[[Path], None], message: str
) -> None:
    quantize_folder(folders[0], tmp_path / "int8")
    spoil(tmp_path / "int8" / "model.safetensors")
    with pytest.raises(LexalignError, match=message):
        load_model(tmp_path / "int8")


PEAK = """
import resource, sys
import torch
from pathlib import Path
from lexalign.models.folder import load_model
from lexalign.text.tokenizer import Tokenizer
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model, _ = load_model(Path(sys.argv[1]))
state = model.start(model.encode(torch.tensor([[5, 6, 7, 1]])), beam=5)
state.reserve(8)
model.step(state, torch.tensor([[0]]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is counted as Linux counts it")
def test_memory_holds_no_more_than_the_int8_weights(tokenizer: Tokenizer, tmp_path: Path) -> None:
    """Peak memory of loading and of a step: 80 MB of parameters, which were 320 MB in floating point."""
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=1024,
        feedforward_width=4096,
        encoder_layers=4,
        decoder_layers=2,
    )
    with torch.device("meta"):
        model = Transformer(config)
    model.to_empty(device="cpu")
    model.tie()
    for parameter in model.parameters():
        parameter.detach().zero_()
    save_model(tmp_path / "float", model, tokenizer, dtype=torch.float16)
    size = quantize_folder(tmp_path / "float", tmp_path / "int8")
    shown = subprocess.run(
        [sys.executable, "-c", PEAK, str(tmp_path / "int8")], capture_output=True, text=True, check=True
    )
    assert int(shown.stdout) < 1.5 * size
