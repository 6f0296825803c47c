"""Imported tokenizers give the ids of transformers' own, and the span of every piece."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.interop.hub_tokenizers import read_tokenizer
from lexalign.interop.language_codes import NLLB
from lexalign.interop.t5 import read_t5
from lexalign.text.foreign.folder import load_foreign, save_foreign
from lexalign.text.foreign.spellings import decode_pieces
from lexalign.text.foreign.tokenizer import ForeignTokenizer
from lexalign.text.subwords import SubwordTokenizer
from tests.interop import hub_models
from tests.interop.hub_models import TRICKY, write_json

transformers = pytest.importorskip("transformers")

FAIRSEQ_IDS = {"pad_token_id": 1, "eos_token_id": 2, "bos_token_id": 0, "decoder_start_token_id": 2}


def read(folder: Path, kind: str, size: int, **settings: Any) -> ForeignTokenizer:
    """Through our own files, as a model folder has them."""
    found = read_tokenizer(folder, kind, FAIRSEQ_IDS | {"vocab_size": size} | settings).tokenizer
    save_foreign(found, folder / "ours")
    return load_foreign(folder / "ours")


def marian(folder: Path, **options: Any) -> tuple[ForeignTokenizer, Any]:
    size = hub_models.write_marian_tokenizer(folder, **options)
    ids = {"pad_token_id": size - 1, "eos_token_id": 0, "decoder_start_token_id": size - 1}
    return read(folder, "marian", size, **ids), transformers.MarianTokenizer.from_pretrained(folder)


def m2m(folder: Path) -> tuple[ForeignTokenizer, Any]:
    size = hub_models.write_m2m_tokenizer(folder)
    theirs = transformers.M2M100Tokenizer.from_pretrained(folder, src_lang="de", tgt_lang="en")
    return read(folder, "m2m_100", size).between(("de", "en")), theirs


def nllb(folder: Path) -> tuple[ForeignTokenizer, Any]:
    size = hub_models.write_shifted_tokenizer(folder, "nllb")
    ours = read(folder, "m2m_100", size).between(("deu_Latn", "eng_Latn"))
    theirs = transformers.NllbTokenizer.from_pretrained(
        folder, src_lang="deu_Latn", tgt_lang="eng_Latn", extra_special_tokens=list(NLLB)
    )
    return ours, theirs


def mbart(folder: Path) -> tuple[ForeignTokenizer, Any]:
    size = hub_models.write_shifted_tokenizer(folder, "mbart")
    theirs = transformers.MBart50Tokenizer.from_pretrained(folder, src_lang="de_DE", tgt_lang="en_XX")
    return read(folder, "mbart", size).between(("de_DE", "en_XX")), theirs


def bart(folder: Path) -> tuple[ForeignTokenizer, Any]:
    size = hub_models.write_bart_tokenizer(folder)
    return read(folder, "bart", size), transformers.BartTokenizer.from_pretrained(folder)


def t5(folder: Path) -> tuple[ForeignTokenizer, Any]:
    size = hub_models.write_t5_tokenizer(folder)
    settings = {"model_type": "t5", "vocab_size": size, "pad_token_id": 0, "eos_token_id": 1, "d_model": 8}
    shape = {"d_ff": 8, "d_kv": 4, "num_heads": 2, "num_layers": 1, "relative_attention_num_buckets": 8}
    ours = read_t5(folder, settings | shape).vocabulary.tokenizer
    save_foreign(ours, folder / "ours")
    return load_foreign(folder / "ours"), transformers.T5Tokenizer.from_pretrained(folder, extra_ids=10)


def saved_by_transformers(folder: Path) -> tuple[ForeignTokenizer, Any]:
    """A folder that has nothing but tokenizer.json."""
    _, theirs = mbart(folder)
    theirs.save_pretrained(folder / "again")
    write_json(folder / "again" / "config.json", {})
    ours = read_tokenizer(folder / "again", "mbart", FAIRSEQ_IDS | {"vocab_size": len(theirs)}).tokenizer
    return ours.between(("de_DE", "en_XX")), theirs


MAKERS = (marian, m2m, nllb, mbart, bart, t5, saved_by_transformers)


@pytest.fixture(scope="module", params=MAKERS, ids=lambda make: make.__name__)
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, str]:
    return *request.param(tmp_path_factory.mktemp("tokenizer")), request.param.__name__


def as_sentencepiece(text: str, name: str) -> str:
    """Where they rebuild a SentencePiece model, they forget that it drops spaces at the end."""
    return text.rstrip() if name in ("nllb", "mbart", "t5") else text


@pytest.mark.filterwarnings("ignore:Recommended")
@pytest.mark.parametrize("text", [*TRICKY, *hub_models.sentences()[:20]])
def test_source_ids(text: str, both: tuple[ForeignTokenizer, Any, str]) -> None:
    ours, theirs, name = both
    text = as_sentencepiece(text, name)
    expected = theirs(text)["input_ids"]
    if name == "nllb":  # without tokenizer.json this version of theirs puts the codes elsewhere
        assert ours.source.vocabulary[ours.source.encode(text)[0]] == "deu_Latn"
        assert ours.source.encode(text)[1:] == expected[1:-1]
    else:
        assert [*ours.source.encode(text), theirs.eos_token_id] == expected


@pytest.mark.parametrize("text", [*TRICKY, *hub_models.sentences()[:20]])
def test_target_ids_and_text(text: str, both: tuple[ForeignTokenizer, Any, str]) -> None:
    ours, theirs, name = both
    text = as_sentencepiece(text, name)
    ids = ours.target.encode(text)
    expected = theirs(text_target=text)["input_ids"][-1 - len(ids) : -1]
    assert expected == ids
    if ours.target.unk_id not in ids:
        assert ours.target.decode(ids) == theirs.decode(expected, skip_special_tokens=True).strip()


@pytest.mark.parametrize("text", TRICKY)
def test_places_in_the_text(text: str, both: tuple[ForeignTokenizer, Any, str]) -> None:
    ours, _, name = both
    side = ours.source
    encoding = side.encode_with_offsets(text)
    assert encoding.ids == side.encode(text)
    assert len(encoding.spans) == len(encoding.ids) == len(encoding.pieces)
    last = 0
    for start, end in encoding.spans:
        assert 0 <= start <= end <= len(text)
        assert end >= last
        last = end
    covered = {place for span in encoding.spans for place in range(*span)}
    if name == "bart":  # others may drop characters such as a zero-width space
        assert {place for place, character in enumerate(text) if not character.isspace()} <= covered


def test_words_have_their_spans(both: tuple[ForeignTokenizer, Any, str]) -> None:
    side: SubwordTokenizer = both[0].source
    encoding = side.encode_with_offsets("das Haus  groß")
    for word in re.finditer(r"\S+", "das Haus  groß"):
        pieces = [span for span in encoding.spans if span[0] < word.end() and word.start() < span[1]]
        assert (pieces[0][0], pieces[-1][1]) == word.span()


def test_decoded_places(both: tuple[ForeignTokenizer, Any, str]) -> None:
    side = both[0].target
    ids = side.encode_inside("das Haus ist groß")
    text, spans = side.decode_with_offsets(ids)
    assert text == "das Haus ist groß"
    assert "".join(text[start:end].strip() for start, end in spans) == text.replace(" ", "")


def test_source_and_target_of_marian_differ(tmp_path: Path) -> None:
    ours, _ = marian(tmp_path)
    assert any(ours.source.encode(text) != ours.target.encode(text) for text in hub_models.sentences())
    assert not ours.languages


def test_a_target_language_of_marian_comes_before_the_source(tmp_path: Path) -> None:
    ours, theirs = marian(tmp_path, codes=(">>fra<<", ">>deu<<"))
    assert ours.languages == ("fra", "deu")
    bound = ours.between(("", "deu"))
    assert [*bound.source.encode(" das Haus"), 0] == theirs(">>deu<< das Haus")["input_ids"]
    assert bound.target_language_ids == ()
    with pytest.raises(LexalignError, match="choose with --to: fra, deu"):
        ours.between(None)


def test_languages_are_chosen_and_known(tmp_path: Path) -> None:
    size = hub_models.write_m2m_tokenizer(tmp_path)
    ours = read(tmp_path, "m2m_100", size)
    with pytest.raises(LexalignError, match="100 languages; choose with --from and --to"):
        ours.between(None)
    with pytest.raises(LexalignError, match="no language 'xx'"):
        ours.between(("de", "xx"))
    with pytest.raises(LexalignError, match="choose with --from"):
        ours.between(("", "en"))


def test_usual_languages_of_a_folder(tmp_path: Path) -> None:
    size = hub_models.write_shifted_tokenizer(tmp_path, "mbart")
    write_json(tmp_path / "tokenizer_config.json", {"src_lang": "de_DE", "tgt_lang": "en_XX"})
    ours = read(tmp_path, "mbart", size)
    assert ours.between(None).target_language_ids == ours.between(("fr_XX", "en_XX")).target_language_ids


def test_the_extra_that_bart_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = hub_models.write_bart_tokenizer(tmp_path)
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(LexalignError, match=r"pip install 'lexalign\[models\]'"):
        read(tmp_path, "bart", size)


def test_spellings() -> None:
    assert decode_pieces(["▁das", None, "▁Ha", "us"], "sentencepiece") == (
        "das Haus",
        [(0, 3), (3, 3), (4, 6), (6, 8)],
    )
    assert decode_pieces(["das", "Ha@@", "us"], "words") == ("das Haus", [(0, 3), (4, 6), (6, 8)])
    assert decode_pieces(["gro", "Ã", "Ł", "Ġ!"], "bytes") == ("groß !", [(0, 3), (3, 4), (3, 4), (5, 6)])
