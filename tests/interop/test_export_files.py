"""The files of an export, and models that cannot be exported."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.interop.exporting import export_model
from lexalign.interop.hub_export import export_huggingface
from lexalign.interop.importing import import_model
from lexalign.models.config import ModelConfig
from lexalign.models.folder import load_model, save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from tests.interop.copy_model import SIZE

TINY = ModelConfig(vocabulary_size=SIZE, width=16, feedforward_width=16, encoder_layers=1, decoder_layers=1)
BEFORE = replace(TINY, norm="pre", final_norm=True)
TEXTS = [
    "abc defg",
    " leading",
    "trailing ",
    "two  spaces",
    "",
    "Straße, 東京 \u00bd — don't!",
    "tab\tand\nline",
    "\u2581",
    "<0x41>",
    "<s>",
    "🙂 e\u0301",
]


def export(tokenizer: Tokenizer, folder: Path, config: ModelConfig = TINY) -> Path:
    export_huggingface(Transformer(config), tokenizer, folder / "model", "de", "en")
    return folder / "model"


def test_files(tokenizer: Tokenizer, tmp_path: Path) -> None:
    names = {path.name for path in export(tokenizer, tmp_path).iterdir()}
    assert names == {
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "source.spm",
        "target.spm",
        "tokenizer_config.json",
        "vocab.json",
    }


def test_padding_is_last(tokenizer: Tokenizer, tmp_path: Path) -> None:
    vocabulary = json.loads((export(tokenizer, tmp_path) / "vocab.json").read_text(encoding="utf-8"))
    assert [vocabulary[piece] for piece in ("</s>", "<unk>", "<s>", "<pad>")] == [0, 1, 2, SIZE - 1]
    assert sorted(vocabulary.values()) == list(range(SIZE))


@pytest.mark.parametrize("config", [TINY, BEFORE], ids=["behind", "before"])
def test_nothing_is_missing_or_left_over(config: ModelConfig, tokenizer: Tokenizer, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    folder = export(tokenizer, tmp_path, config)
    _, report = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, output_loading_info=True)
    assert not report["unexpected_keys"]
    assert not report["missing_keys"]
    assert not report["mismatched_keys"]


def test_never_generated_in_generation_config(tokenizer: Tokenizer, tmp_path: Path) -> None:
    content = (export(tokenizer, tmp_path) / "generation_config.json").read_text(encoding="utf-8")
    assert json.loads(content)["bad_words_ids"] == [[SIZE - 1], [2]]


@pytest.mark.filterwarnings("ignore:Recommended")
@pytest.mark.parametrize("text", TEXTS)
def test_token_ids(text: str, tokenizer: Tokenizer, tmp_path: Path) -> None:
    """But for text that spells one of their special tokens, such as </s>, which they read as that token."""
    transformers = pytest.importorskip("transformers")
    theirs = transformers.MarianTokenizer.from_pretrained(export(tokenizer, tmp_path))
    ids = [*tokenizer.encode(text), tokenizer.eos_id]
    assert theirs(text)["input_ids"] == [(index - 1) % SIZE for index in ids]
    assert theirs.source_lang == "de"
    export(tokenizer, tmp_path / "before", BEFORE)
    before = transformers.AutoTokenizer.from_pretrained(tmp_path / "before" / "model")
    assert before(text)["input_ids"] == ids  # in our own order


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("norm", "pre"),
        ("final_norm", True),
        ("positions", "learned"),
        ("positions", "sinusoidal-fairseq"),
        ("position_offset", 2),
        ("embedding_norm", True),
        ("rms_norm", True),
        ("head_width", 4),
        ("gated_feedforward", True),
        ("projection_bias", False),
        ("source_eos", False),
        ("target_prefix", (3,)),
        ("target_prefix", (0, 7)),
    ],
)
def test_refused_configs(field: str, value: Any, tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=field):
        export(tokenizer, tmp_path, replace(TINY, **{field: value}))
    assert not list(tmp_path.iterdir())


def test_an_export_with_norms_before_comes_back(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model = Transformer(BEFORE)
    export_huggingface(model, tokenizer, tmp_path / "theirs", "de", "en")
    import_model(tmp_path / "theirs", tmp_path / "ours")
    again, _ = load_model(tmp_path / "ours")
    names = {name: value for name, value in again.named_parameters() if not name.endswith("output.bias")}
    assert names.keys() == dict(model.named_parameters()).keys()
    assert all(torch.equal(value, names[name]) for name, value in model.named_parameters())


def test_ctranslate2_has_one_number_of_heads(tokenizer: Tokenizer, tmp_path: Path) -> None:
    pytest.importorskip("ctranslate2")
    save_model(tmp_path / "ours", Transformer(replace(TINY, decoder_heads=2)), tokenizer)
    with pytest.raises(LexalignError, match="4 in the encoder and 2 in the decoder"):
        export_model(tmp_path / "ours", tmp_path / "theirs", format="ctranslate2")
    assert not (tmp_path / "theirs").exists()


def test_start_that_is_not_zero(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model = Transformer(TINY)
    with torch.no_grad():
        model.get_parameter("decoder.embedding.tokens.weight")[TINY.pad_id] = 1.0
    with pytest.raises(LexalignError, match="not zero"):
        export_huggingface(model, tokenizer, tmp_path / "model", "de", "en")


def test_tokenizer_of_another_model(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="different models"):
        export(tokenizer, tmp_path, replace(TINY, vocabulary_size=SIZE + 1))
