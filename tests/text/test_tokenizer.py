"""Encoding, decoding, and the spans of pieces."""

import pickle
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.text.tokenizer import Tokenizer

once_per_kind = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

ordinary = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\u2581"))
known = st.sampled_from(["Das", "Haus", "DIE", "Straße", "zwei", "जाता", "東京", "タワーへ", "l'été"])
sentences = st.lists(st.one_of(known, ordinary)).map(" ".join)


def expected(tokenizer: Tokenizer, text: str) -> str:
    return "".join(c.lower()[0] for c in text) if tokenizer.lowercase else text


@once_per_kind
@given(text=sentences)
@example(text="")
@example(text=" ")
@example(text="  zwei   Leerzeichen  ")
@example(text="a\nb\r\n\x00\x85\u2028\tc")
@example(text="<s> </s> <pad> <unk> <0x41>")
@example(text="😀 e\u0301 \ufeff\ufffd \u2585 İSTANBUL ΣΑΣ")
def test_decoding_gives_the_text_back(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == expected(tokenizer, text)


@once_per_kind
@given(text=sentences)
@example(text=" a  b ")
@example(text="😀 das\nHaus İ x")
def test_spans_cover_the_characters_of_their_pieces(tokenizer: Tokenizer, text: str) -> None:
    encoding = tokenizer.encode_with_offsets(text)
    assert encoding.ids == tokenizer.encode(text)
    lowered = expected(tokenizer, text)
    for piece, (start, end) in zip(encoding.pieces, encoding.spans, strict=True):
        assert 0 <= start <= end <= len(text)
        if piece.startswith("<0x"):
            assert int(piece[3:5], 16) in lowered[start:end].encode()
            assert end == start + 1
        elif piece == "▁":
            assert text[start:end] in ("", " ")
        else:
            assert lowered[start:end] == piece.lstrip("▁")


@once_per_kind
@given(text=sentences)
def test_spans_are_in_order_and_cover_everything_but_spaces(tokenizer: Tokenizer, text: str) -> None:
    spans = tokenizer.encode_with_offsets(text).spans
    assert spans == sorted(spans)
    for (_, left_end), (right_start, right_end) in pairwise(spans):
        # Neighbours share no character unless they are bytes of one.
        assert left_end <= right_start or (right_start + 1, right_end) == (left_end, left_end)
    covered = {index for start, end in spans for index in range(start, end)}
    assert all(text[index] == " " for index in set(range(len(text))) - covered)


@once_per_kind
@given(ids=st.lists(st.one_of(st.integers(0, 329), st.integers(0, 259))))
@example(ids=[4 + 0xE2, 4 + 0x96, 50])
@example(ids=[4 + 0xED, 4 + 0xA0, 4 + 0x80, 4 + 0xF0, 4 + 0x9F])
@example(ids=[2, 300, 2])
def test_offsets_of_any_ids_go_with_the_decoded_text(tokenizer: Tokenizer, ids: list[int]) -> None:
    text, spans = tokenizer.decode_with_offsets(ids)
    assert text == tokenizer.decode(ids)
    assert len(spans) == len(ids)
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)


def test_a_text_and_its_places(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode_with_offsets("Das Haus")
    for piece, (start, end) in zip(encoding.pieces, encoding.spans, strict=True):
        assert "Das Haus"[start:end].strip().lower() == piece.strip("▁").lower()
    assert encoding.spans[-1][1] == 8


def test_the_space_mark_is_read_as_a_space(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode_with_offsets("die▁straße")
    assert tokenizer.decode(encoding.ids) == "die straße"
    assert encoding == tokenizer.encode_with_offsets("die straße")


def test_control_ids_have_fixed_numbers_and_no_text(tokenizer: Tokenizer) -> None:
    assert (tokenizer.pad_id, tokenizer.eos_id, tokenizer.unk_id, tokenizer.bos_id) == (0, 1, 2, 3)
    assert tokenizer.pieces([0, 1, 2, 3]) == ["<pad>", "</s>", "<unk>", "<s>"]
    assert tokenizer.piece(1) == "</s>"
    ids = [tokenizer.bos_id, *tokenizer.encode("die"), tokenizer.eos_id, tokenizer.pad_id]
    assert tokenizer.decode(ids) == "die"


def test_batches_give_what_single_texts_give(tokenizer: Tokenizer, sentences: list[str]) -> None:
    ids = tokenizer.encode_batch(sentences, num_threads=2)
    assert ids == [tokenizer.encode(sentence) for sentence in sentences]
    assert tokenizer.decode_batch(ids) == [tokenizer.decode(row) for row in ids]
    assert tokenizer.encode_batch([]) == []
    assert tokenizer.decode_batch([]) == []


def test_it_survives_pickling_and_saving(tokenizer: Tokenizer, tmp_path: Path) -> None:
    tokenizer.save(tmp_path / "copy.model")
    for copy in (pickle.loads(pickle.dumps(tokenizer)), Tokenizer.load(tmp_path / "copy.model")):
        assert copy.encode("Das Haus 😀") == tokenizer.encode("Das Haus 😀")
        assert copy.fingerprint == tokenizer.fingerprint
        assert copy.lowercase == tokenizer.lowercase
        assert copy.vocabulary_size == 330


def test_half_a_surrogate_pair_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(LexalignError, match=r"^character 3 of the text is half of a surrogate pair"):
        tokenizer.encode("ab\ud800")


def test_a_missing_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"cannot read the tokenizer .*none\.model: No such file"):
        Tokenizer(tmp_path / "none.model")


@pytest.mark.parametrize("content", [b"", b"not a model"])
def test_a_damaged_model_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.model"
    path.write_bytes(content)
    with pytest.raises(LexalignError, match=r"damaged\.model is not a tokenizer of Lexalign, or is damaged"):
        Tokenizer(path)


def test_a_cut_model_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "cut.model"
    tokenizer.save(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LexalignError, match="is damaged"):
        Tokenizer(path)
