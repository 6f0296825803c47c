"""A tiny model learns to copy, through the whole way from text to translations."""

import random
from pathlib import Path

from lexalign.data.collate import pad_sentences
from lexalign.data.reader import ParallelText
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import search
from lexalign.models.folder import load_model
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.log import read_log
from lexalign.training.options import TrainingOptions
from lexalign.training.recipe import Recipe
from lexalign.training.run import train_model

LETTERS = "abcdefghijklmnopqrst"
RECIPE = Recipe(
    model={
        "width": 64,
        "feedforward_width": 128,
        "encoder_layers": 1,
        "decoder_layers": 1,
        "max_positions": 32,
        "dropout": 0.0,
    },
    training=TrainingOptions(
        updates=450,
        batch_tokens=600,
        learning_rate=3e-3,
        warmup=100,
        log_every=50,
        validate_every=150,
        save_every=30,
        average=3,
    ),
    tokenizer=TokenizerOptions(vocabulary_size=301),  # bytes, letters, and letters after a space
)


def sentences(count: int) -> list[str]:
    """Different ones, of 3 to 8 letters."""
    generator = random.Random(1)
    found: dict[str, None] = {}
    while len(found) < count:
        found[" ".join(generator.choices(LETTERS, k=generator.randint(3, 8)))] = None
    return list(found)


def write(path: Path, lines: list[str]) -> ParallelText:
    path.write_text("".join(f"{line}\t{line}\n" for line in lines))
    return ParallelText(path)


def test_a_model_learns_to_copy(tmp_path: Path) -> None:
    held_out, *seen = sentences(200), *sentences(6200)[200:]
    train, valid = write(tmp_path / "train.tsv", seen), write(tmp_path / "valid.tsv", held_out)
    folder = train_model([train], valid, tmp_path / "run", RECIPE, device="cpu")
    model, _ = load_model(folder)
    tokenizer = Tokenizer.load(folder / "tokenizer.model")
    sources = [[*tokenizer.encode(sentence), tokenizer.eos_id] for sentence in held_out]
    found = search(model, pad_sentences(sources, tokenizer.pad_id), SearchOptions(beam=1))
    copies = [tokenizer.decode(ranked[0].token_ids) for ranked in found]
    exact = sum(map(str.__eq__, copies, held_out)) / len(held_out)
    assert exact >= 0.98
    validations = [entry for entry in read_log(tmp_path / "run" / "log.jsonl") if entry["kind"] == "valid"]
    assert validations[-1]["bleu"] > 97
