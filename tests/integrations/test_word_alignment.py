"""The interfaces of SimAlign and awesome-align."""

import pytest

import lexalign
from lexalign.integrations.word_alignment import SentenceAligner, align_lines

SOURCE, TARGET = "Das alte Haus brennt seit gestern .", "The old house has been on fire since yesterday ."


@pytest.fixture(scope="module")
def aligner() -> SentenceAligner:
    return SentenceAligner("de", "en", matching_methods="maifr", device="cpu")


def test_methods_contain_one_another(aligner: SentenceAligner) -> None:
    found = aligner.get_word_aligns(SOURCE.split(), TARGET.split())
    assert list(found) == ["mwmf", "inter", "itermax", "fwd", "rev"]
    assert set(found["inter"]) == set(found["fwd"]) & set(found["rev"])
    assert set(found["mwmf"]) == set(found["fwd"]) | set(found["rev"])
    assert (2, 2) in found["inter"]
    assert all(pairs == sorted(pairs) for pairs in found.values())


def test_texts_are_split_at_spaces(aligner: SentenceAligner) -> None:
    assert aligner.get_word_aligns(SOURCE, TARGET) == aligner.get_word_aligns(SOURCE.split(), TARGET.split())
    assert aligner.get_word_aligns("", "")["inter"] == []


def test_a_letter_that_there_is_not() -> None:
    with pytest.raises(lexalign.OptionError, match="unknown matching method 'x'"):
        SentenceAligner("de", "en", matching_methods="xa")


def test_lines_of_awesome_align(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexalign.integrations.word_alignment._WINDOW", 4)
    both = lexalign.load("de", "en"), lexalign.load("en", "de")
    lines = [f"{SOURCE} ||| {TARGET}", "Danke . ||| Thank you .", " ||| "] * 3  # more than one window
    found = list(align_lines(lines, both[0], reverse=both[1]))
    assert len(found) == len(lines)
    assert "2-2" in found[0].split()
    assert found[:3] == found[-3:]
    assert found[2] == ""
    with pytest.raises(lexalign.LexalignError, match=r"line 2: there is no \|\|\|"):
        list(align_lines(["a ||| b", "a b"], both[0]))
