"""Matches of a memory: exact ones, near ones beside an exhaustive search, and tags that must fit."""

import random

import pytest
from rapidfuzz.distance import Levenshtein

from lexalign.contracts.errors import LexalignError
from lexalign.markup import TaggedText
from lexalign.memory import MatchOptions, MemoryUnit, find_matches, fit_unit
from tests.memory.test_files import tagged

WORDS = "open close the a file menu window and save your old new report of page 3 5".split()  # noqa: SIM905


def unit(source: str, target: str, place: str = "m.tmx") -> MemoryUnit:
    return MemoryUnit(tagged(source), tagged(target), place)


def test_near_matches_are_those_of_an_exhaustive_search() -> None:
    """Where half of the words are shared, nothing that is near enough is missed."""
    draw = random.Random(1)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(2, 9))) for _ in range(60)]
    units = [unit(" ".join(draw.choices(WORDS, k=draw.randint(2, 9))), f"t{place}") for place in range(300)]
    options = MatchOptions(similarity=60, most=300)
    found = find_matches(texts, units, options)
    num_found = 0
    for text in texts:
        expected = {
            one.target.text: round(100 * Levenshtein.normalized_similarity(text, one.source.text), 1)
            for one in units
            if Levenshtein.normalized_similarity(text, one.source.text) >= 0.6
            and len(set(text.split()) & set(one.source.text.split())) * 2 >= len(set(text.split()))
        }
        ours = {one.unit.target.text: one.similarity for one in found.get(text, ())}
        assert expected.items() <= ours.items()
        assert all(similarity >= 60 for similarity in ours.values())
        num_found += len(expected)
    assert num_found > 30


def test_exact_matches_come_first_and_white_space_makes_no_difference() -> None:
    units = [
        unit("Open the file menu.", "A"),
        unit("Open the edit menu.", "B"),
        unit("Open the\nedit menu.", "C"),
    ]
    found = find_matches(["Open the  edit menu."], units)["Open the  edit menu."]
    assert [(one.unit.target.text, one.similarity) for one in found] == [("B", 100), ("C", 100), ("A", 78.9)]
    assert find_matches(["open the edit menu."], units[1:2], MatchOptions(similarity=100)) == {}


def test_repetitions_do_not_pile_up() -> None:
    units = [unit("Save.", f"t{place % 50}") for place in range(1000)]
    assert len(find_matches(["Save."], units)["Save."]) == 10


def test_scripts_without_spaces_have_near_matches() -> None:
    (match,) = find_matches(["保存ファイルを開きます。"], [unit("保存ファイルを閉じます。", "x")])[
        "保存ファイルを開きます。"
    ]
    assert match.similarity > 75


def test_an_impossible_similarity_is_refused() -> None:
    with pytest.raises(LexalignError, match="between 0 and 100"):
        MatchOptions(similarity=0)


@pytest.mark.parametrize(
    ("segment", "source", "target", "expected"),
    [
        (
            "Click <b>Save</b>.",
            "Click <g>Save</g>.",
            "<g>Speichern</g> klicken.",
            "<b>Speichern</b> klicken.",
        ),
        ("Click Save.", "Click Save.", "Speichern.", "Speichern."),
        ("Click <b>Save</b>.", "Click Save.", "Speichern.", None),
        ("Click Save.", "Click <g>Save</g>.", "<g>Speichern</g>.", None),
        ("<b>Click</b> Save.", "Click <g>Save</g>.", "<g>Speichern</g>.", None),
        ("Click <b>Save</b>.", "Click <g>Save</g>.", "Speichern.", None),
        ("<a><b>X</b> y</a>", "<g><i>X</i> y</g>", "<i><g>X</g> y</i>", None),
        ("A <x/> b <b>c</b>", "A <x/> b <g>c</g>", "<g>C</g> b <x/> a", "<b>C</b> b <x/> a"),
    ],
)
def test_tags_must_fit(segment: str, source: str, target: str, expected: str | None) -> None:
    found = fit_unit(tagged(segment), unit(source, target))
    assert (found and found.render()) == expected


def test_a_plain_unit_fits_plain_text() -> None:
    assert fit_unit(TaggedText("a  b"), MemoryUnit(TaggedText("a b"), TaggedText("c"), "")) == TaggedText("c")
