"""Word links of whole files: the same in every batch, and in every way the words come."""

from pathlib import Path

import pytest

from lexalign.alignment.attention import ShiftedAttention
from lexalign.alignment.attention_files import (
    AttentionMethod,
    AttentionPlace,
    read_attention,
    write_attention,
)
from lexalign.contracts.alignment import Link, WordAlignment
from lexalign.contracts.errors import LexalignError
from lexalign.translator import aligners
from lexalign.translator.mutual_alignment import align_statistically, symmetrized
from lexalign.translator.word_aligner import WordAligner, read_words

METHODS = ["naive-att", "shift-att", "prior-att", "shift-aet", "post-aln"]


@pytest.mark.parametrize("method", METHODS)
def test_batches_change_nothing(model_folder: Path, sentences: list[str], method: str) -> None:
    aligner = WordAligner.load(model_folder, method, device="cpu")  # type: ignore[arg-type]
    texts = [read_words(sentence) for sentence in sentences[:20]]
    pairs = list(zip(texts, reversed(texts), strict=True))
    together = [pair.words for pair in aligner.align(pairs)]
    alone = [next(aligner.align([pair])).words for pair in pairs]
    for one, other in zip(together, alone, strict=True):
        assert [(link.source, link.target) for link in one.links] == [
            (link.source, link.target) for link in other.links
        ]


def test_every_word_of_the_target_has_a_link(model_folder: Path, sentences: list[str]) -> None:
    aligner = WordAligner.load(model_folder, device="cpu")
    pair = (read_words(sentences[0]), read_words(sentences[1]))
    (aligned,) = aligner.align([pair])
    assert {link.target for link in aligned.words.links} == set(range(len(pair[1].words)))
    assert all(link.source < len(pair[0].words) for link in aligned.words.links)
    assert all(link.probability is not None and 0 < link.probability <= 1 for link in aligned.words.links)


def test_an_empty_side_has_no_links(model_folder: Path) -> None:
    aligner = WordAligner.load(model_folder, device="cpu")
    found = list(
        aligner.align([(read_words(""), read_words("das Haus")), (read_words("das"), read_words(""))])
    )
    assert [pair.words.links for pair in found] == [(), ()]


def test_words_set_apart_are_shown_as_they_are_written() -> None:
    words = read_words('Das stimmt , " ja " ( nicht ) .', "words")
    assert words.text == 'Das stimmt, "ja" (nicht).'
    assert [words.text[start:end] for start, end in words.spans] == list(words.words)
    assert [words.line[start:end] for start, end in words.line_spans] == list(words.words)


def test_a_long_sentence_is_named_by_its_line(model_folder: Path) -> None:
    aligner = WordAligner.load(model_folder, device="cpu")
    pair = (read_words("Haus " * 80), read_words("Haus"))
    with pytest.raises(LexalignError, match=r"line 8: .* over the model"):
        list(aligner.align([pair], first_line=8))


@pytest.fixture
def headless(model_folder: Path, tmp_path: Path) -> Path:
    """The model alone, without a head and without the file that says which attention aligns."""
    folder = tmp_path / "headless"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        (folder / name).write_bytes((model_folder / name).read_bytes())
    return folder


def test_a_method_without_its_head_says_so(headless: Path) -> None:
    with pytest.raises(LexalignError, match="train a post-aln head"):
        WordAligner.load(headless, "post-aln", device="cpu")


def test_the_place_of_attention_can_be_given(headless: Path) -> None:
    found = WordAligner.load(headless, "shift-att", device="cpu", place=(1, 0)).aligner
    assert isinstance(found, ShiftedAttention)
    assert (found.layer, found.head) == (1, 0)
    assert read_attention(headless) == {}


def test_without_a_head_the_attention_that_aligns_best_is_found_once(
    headless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And is kept beside the model; a finished translation is aligned by ShiftATT."""
    first = WordAligner.load(headless, device="cpu").aligner
    assert isinstance(first, ShiftedAttention)
    assert read_attention(headless)["shift-att"] == (first.layer, first.head)
    monkeypatch.setattr(aligners, "choose_attention", lambda *_: pytest.fail("it was known"))
    assert WordAligner.load(headless, device="cpu").aligner == first


def test_a_folder_that_cannot_be_written_is_no_error(
    headless: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The choice is kept in the cache folder, where there is one."""
    monkeypatch.setenv("LEXALIGN_HOME", str(tmp_path / "home"))

    def refuse(folder: Path, places: dict[AttentionMethod, AttentionPlace]) -> None:
        if folder == headless:
            raise PermissionError("read-only")
        write_attention(folder, places)

    monkeypatch.setattr(aligners, "write_attention", refuse)
    first = WordAligner.load(headless, device="cpu").aligner
    assert read_attention(headless) == {}
    monkeypatch.setattr(aligners, "choose_attention", lambda *_: pytest.fail("it was known"))
    assert WordAligner.load(headless, device="cpu").aligner == first


def test_symmetrised_links_keep_what_both_say() -> None:
    words = ("a", "b")
    forward = WordAlignment(source=words, target=words, links=(Link(0, 0, 0.8), Link(1, 1, 0.6)))
    backward = WordAlignment(source=words, target=words, links=(Link(0, 0, 0.6), Link(1, 0, 0.9)))
    found = symmetrized(forward, backward, "union")
    assert [(link.source, link.target) for link in found.links] == [(0, 0), (0, 1), (1, 1)]
    assert [link.probability for link in found.links] == pytest.approx([0.7, 0.9, 0.6])


def test_statistics_find_a_dictionary() -> None:
    pytest.importorskip("thot")
    corpus = [
        (["das", "Haus"], ["the", "house"]),
        (["das", "Buch"], ["the", "book"]),
        (["Buch"], ["book"]),
    ] * 20
    (found,) = align_statistically([(["Haus", "das"], ["the", "house"])], corpus, "hmm", "grow-diag")
    assert {(link.source, link.target) for link in found.links} == {(1, 0), (0, 1)}


def test_the_hmm_by_agreement_needs_no_extra_and_says_how_probable_its_links_are() -> None:
    corpus = [
        (["das", "Haus"], ["the", "house"]),
        (["das", "Buch"], ["the", "book"]),
        (["Buch"], ["book"]),
    ] * 20
    pairs = [(["das", "Haus"], ["the", "house"]), ([], ["the"])]
    first, second = align_statistically(pairs, corpus, "hmm-agreement", None)
    assert {(link.source, link.target) for link in first.links} == {(0, 0), (1, 1)}
    assert all(link.probability is not None and link.probability >= 0.5 for link in first.links)
    assert second.links == ()
    with pytest.raises(LexalignError, match="leave --symmetrize out"):
        align_statistically(pairs, corpus, "hmm-agreement", "grow-diag")
