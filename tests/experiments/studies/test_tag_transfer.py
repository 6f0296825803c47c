"""The measure of tag transfer: what counts as right."""

from pathlib import Path

import pytest

from experiments.studies.tag_transfer import SYSTEMS, Pair, judge_forced, judge_own, read_pairs
from lexalign.contracts.alignment import SpanLink


@pytest.fixture
def pairs(tmp_path: Path) -> list[Pair]:
    """Two that can be judged, one without tags, one with other tags, one that is no XML."""
    sources = ['ein <g id="1">Wort</g> hier', 'a<x id="1"/> b', "nichts", '<g id="1">a</g>', "a < b"]
    targets = ['here a <g id="1">word</g>', 'B A<x id="1"/>', "nothing", '<x id="1"/>A', "a < b"]
    (tmp_path / "test-small.de").write_text("\n".join(sources), encoding="utf-8")
    (tmp_path / "test-small.en").write_text("\n".join(targets), encoding="utf-8")
    return read_pairs(tmp_path, "test-small", ["de", "en"])


LINKS = [
    [SpanLink((0, 3), (5, 6)), SpanLink((4, 8), (7, 11)), SpanLink((9, 13), (0, 4))],
    [SpanLink((0, 1), (2, 3)), SpanLink((2, 3), (0, 1))],
]


def test_pairs_with_the_same_tags_are_read(pairs: list[Pair]) -> None:
    assert [pair.source.text for pair in pairs] == ["ein Wort hier", "a b"]
    assert [pair.is_inner for pair in pairs] == [True, True]


def test_tags_in_the_place_of_the_reference_are_right(pairs: list[Pair]) -> None:
    by_links = judge_forced(pairs, LINKS, SYSTEMS["one direction"])
    assert by_links == {
        "segments": 2,
        "segments right": 100.0,
        "tags": 2,
        "tags right": 100.0,
        "empty": 0,
        "bare function word": 0,
    }
    by_position = judge_forced(pairs, LINKS, SYSTEMS["position"])
    assert by_position["segments right"] == 0.0


def test_own_translations_count_where_they_have_the_words(pairs: list[Pair]) -> None:
    own = [("here one word", LINKS[0]), ("", [])]
    moved = [SpanLink((4, 8), (9, 13))]
    assert judge_own(pairs, [("here one word", moved), own[1]], SYSTEMS["one direction"]) == {
        "segments": 1,
        "segments right": 100.0,
        "tags": 1,
        "tags right": 100.0,
        "empty": 0,
        "bare function word": 0,
    }
    assert judge_own(pairs, [("here one term", moved), own[1]], SYSTEMS["one direction"])["segments"] == 0
