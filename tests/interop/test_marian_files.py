"""The files of an export, and models that cannot be exported."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lexalign.contracts.errors import LexalignError
from lexalign.interop.marian import export_marian
from lexalign.models.config import ModelConfig
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from tests.interop.copy_model import SIZE

TINY = ModelConfig(vocabulary_size=SIZE, width=16, feedforward_width=16, encoder_layers=1, decoder_layers=1)
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
    export_marian(Transformer(config), tokenizer, folder / "model", "de", "en")
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


def test_nothing_is_missing_or_left_over(tokenizer: Tokenizer, tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    folder = export(tokenizer, tmp_path)
    _, report = transformers.MarianMTModel.from_pretrained(folder, output_loading_info=True)
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


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("norm", "pre"),
        ("final_norm", True),
        ("positions", "learned"),
        ("positions", "sinusoidal-fairseq"),
        ("position_offset", 2),
        ("embedding_norm", True),
        ("target_prefix", (3,)),
        ("target_prefix", (0, 7)),
    ],
)
def test_refused_configs(field: str, value: Any, tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=field):
        export(tokenizer, tmp_path, replace(TINY, **{field: value}))
    assert not list(tmp_path.iterdir())


def test_start_that_is_not_zero(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model = Transformer(TINY)
    with torch.no_grad():
        model.get_parameter("decoder.embedding.tokens.weight")[TINY.pad_id] = 1.0
    with pytest.raises(LexalignError, match="not zero"):
        export_marian(model, tokenizer, tmp_path / "model", "de", "en")


def test_tokenizer_of_another_model(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="different models"):
        export(tokenizer, tmp_path, replace(TINY, vocabulary_size=SIZE + 1))
