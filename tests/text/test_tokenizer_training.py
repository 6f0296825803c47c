"""Training of a vocabulary, and errors when it is impossible."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from lexalign.contracts.errors import LexalignError
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions, train_model


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_training_twice_gives_the_same_model(sentences: list[str], kind: str) -> None:
    options = TokenizerOptions(vocabulary_size=330, kind=kind, sample_size=50, seed=7)  # type: ignore[arg-type]
    assert train_model(sentences, options) == train_model(iter(sentences), options)


def test_the_seed_chooses_the_sample(sentences: list[str]) -> None:
    models = {
        train_model(sentences, TokenizerOptions(vocabulary_size=310, sample_size=20, seed=seed))
        for seed in range(3)
    }
    assert len(models) > 1


def test_the_sample_reaches_the_end_of_the_text() -> None:
    text = ["früh"] * 100 + ["spät"] * 100
    pieces = train_model(text, TokenizerOptions(vocabulary_size=275, sample_size=60))
    assert "ä".encode() in pieces


@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_the_largest_possible_vocabulary_is_reported_and_works(
    sentences: list[str], kind: str, tmp_path: Path
) -> None:
    with pytest.raises(
        LexalignError, match=r"^vocabulary size 9000 is too large for this text; choose (\d+) or less$"
    ) as error:
        train_model(sentences, TokenizerOptions(vocabulary_size=9000, kind=kind))  # type: ignore[arg-type]
    largest = int(str(error.value).split()[-3])
    options = TokenizerOptions(vocabulary_size=largest, kind=kind)  # type: ignore[arg-type]
    assert Tokenizer.train(sentences, options, tmp_path / "m.model").vocabulary_size == largest


def test_a_vocabulary_without_room_for_the_characters_is_refused(sentences: list[str]) -> None:
    with pytest.raises(LexalignError, match=r"^vocabulary size 262 is too small .* choose \d+ or more"):
        train_model(sentences, TokenizerOptions(vocabulary_size=262))


@pytest.mark.parametrize("sentences", [[], ["", "  "], ["x" * 5000]])
def test_nothing_to_learn_from(sentences: list[str]) -> None:
    with pytest.raises(LexalignError, match=r"^no sentence to learn a vocabulary from"):
        train_model(sentences, TokenizerOptions())


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(LexalignError, match=r"^character 1 of the text is half of a surrogate pair"):
        train_model(["gut", "\ud800"], TokenizerOptions())


def test_text_with_reserved_characters_does_no_harm(tmp_path: Path) -> None:
    text = ["ein\u2585 Satz", "ein\x00 Satz", "ein\n Satz", "ein\tSatz", "ein\u2581Satz"] * 5
    tokenizer = Tokenizer.train(text, TokenizerOptions(vocabulary_size=275), tmp_path / "m.model")
    assert tokenizer.decode(tokenizer.encode("ein\u2585\x00\n\tSatz")) == "ein\u2585\x00\n\tSatz"


def test_every_capital_letter_has_one_lower_case_letter(sentences: list[str], tmp_path: Path) -> None:
    options = TokenizerOptions(vocabulary_size=330, lowercase=True)
    tokenizer = Tokenizer.train(sentences, options, tmp_path / "m.model")
    assert tokenizer.decode(tokenizer.encode("ÄÖÜ ẞ İ ΑΒΣ ДЖ")) == "äöü ß i αβσ дж"
    assert tokenizer.encode("DAS HAUS") == tokenizer.encode("das haus")


def test_a_foreign_model_is_refused(sentences: list[str], tmp_path: Path) -> None:
    model = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(sentences), model_writer=model, vocab_size=60, minloglevel=2
    )
    path = tmp_path / "foreign.model"
    path.write_bytes(model.getvalue())
    with pytest.raises(LexalignError, match=r"foreign\.model is not a tokenizer of Lexalign"):
        Tokenizer(path)


def test_digits_are_separate_subwords_on_request() -> None:
    sentences = [f"Step X1, then X2: {number}." for number in range(1000, 1400)]
    together = TokenizerOptions(vocabulary_size=256 + 4 + 35, character_coverage=1.0)
    apart = replace(together, split_digits=True)
    merged, split = (_pieces(sentences, options) for options in (together, apart))
    assert any(len(piece) > 1 and any(map(str.isdigit, piece)) for piece in merged)
    assert not any(len(piece) > 1 and any(map(str.isdigit, piece)) for piece in split)


def test_a_rare_character_is_kept_whole_where_that_is_asked_for() -> None:
    sentences = ["the house and the mouse"] * 5000 + ["one euro is 1 €"]
    options = TokenizerOptions(vocabulary_size=256 + 4 + 30, character_coverage=0.999)
    required = replace(options, required_characters="€»")
    assert "€" not in _pieces(sentences, options)
    found = _pieces(sentences, required)
    assert "€" in found
    assert "»" not in found  # it occurs nowhere, and nothing can be learnt of it


def _pieces(sentences: list[str], options: TokenizerOptions) -> set[str]:
    """Those of text, not those of bytes."""
    model = SentencePieceProcessor(model_proto=train_model(sentences, options))
    ids = range(model.get_piece_size())
    return {
        model.id_to_piece(id)
        for id in ids
        if not (model.is_byte(id) or model.is_control(id) or model.is_unknown(id))
    }
