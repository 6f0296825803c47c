"""Terms measured end to end, on synthetic sentences."""

import json
from pathlib import Path

import pytest
import torch

from experiments.corpora.synthetic_pair import SyntheticSizes, write_synthetic
from experiments.studies.glossary_terms import TermSet, main, measure_matching
from lexalign.alignment.head_files import HeadSettings, save_head
from lexalign.alignment.learned import PosteriorHead
from lexalign.glossary import Matcher
from lexalign.models.config import ModelConfig
from lexalign.models.folder import save_model
from lexalign.models.transformer import Transformer
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions

LINES = [
    {
        "src": "The house of the cat.",
        "ref": "Das Haus der Katze.",
        "terms": [{"src": "house", "tgt": "Haus", "src_char": 4}],
    },
    {"src": "Two houses.", "ref": "Zwei Häuser.", "terms": []},
    {
        "src": "A cat in a house.",
        "ref": "Eine Katze in einem Haus.",
        "terms": [{"src": "cat", "tgt": "Katze", "src_char": 2}],
    },
]


def test_matching_is_counted(tmp_path: Path) -> None:
    """Annotated are house and cat; found are both twice, and the reference confirms all four."""
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    terms = TermSet.read(tmp_path / "a.jsonl")
    glossary = terms.glossary(("xx", "de"))
    assert [(entry.source, entry.targets) for entry in glossary] == [
        ("house", ("Haus",)),
        ("cat", ("Katze",)),
    ]
    found = measure_matching(terms, Matcher(glossary))
    assert (found.annotated, found.found, found.right, found.confirmed) == (2, 4, 2, 4)
    assert (found.row["precision"], found.row["recall"], found.row["confirmed"]) == (50.0, 100.0, 100.0)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write_synthetic(tmp_path, ("aa", "bb"), SyntheticSizes(train=200, valid=1, gold=1, terms=4))
    sentences = [
        *(tmp_path / "train.aa").read_text().split("\n"),
        *(tmp_path / "train.bb").read_text().split("\n"),
    ]
    tokenizer = Tokenizer.train(
        sentences, TokenizerOptions(vocabulary_size=320), tmp_path / "tokenizer.model"
    )
    torch.manual_seed(1)
    config = ModelConfig(
        vocabulary_size=tokenizer.vocabulary_size,
        width=16,
        feedforward_width=16,
        encoder_layers=1,
        decoder_layers=1,
    )
    save_model(tmp_path / "model", Transformer(config), tokenizer)
    save_head(tmp_path / "model", PosteriorHead(16, 2), HeadSettings(layer=0))
    return tmp_path / "model"


def test_a_glossary_meets_the_terms_that_a_plain_translation_does_not(model: Path, tmp_path: Path) -> None:
    languages = ["--from", "xx", "--to", "yy", "--beam", "3", "--workers", "1", "--device", "cpu"]
    data = ["--data", str(tmp_path / "terms"), "--model", str(model), "--limit", "3"]
    main([*data, *languages, "--output", str(tmp_path / "out.json")])
    found = json.loads((tmp_path / "out.json").read_text())["sets"]["synthetic"]
    assert found["sentences"] == 3
    assert found["matching"]["exact"]["recall"] == 100.0
    translated = found["translation"]
    assert translated["none"]["exact match"] < 100.0
    assert translated["annotated"]["exact match"] == translated["glossary, listed"]["exact match"] == 100.0


def test_a_folder_without_sets(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"holds no \.jsonl files"):
        main(["--data", str(tmp_path)])
