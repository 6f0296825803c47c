"""Occurrences of constraints, against all possible assignments."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.constraint import Constraint
from lexalign.metrics.occurrences import Occurrence, Phrase, find_phrase, match_constraints, phrases_of
from lexalign.metrics.words import WordOptions

WORD = st.sampled_from("abc")
PHRASE = st.lists(WORD, min_size=1, max_size=2).map(tuple)
CONSTRAINTS = st.lists(st.lists(PHRASE, min_size=1, max_size=3), max_size=4)


def most_placed(constraints: list[list[tuple[str, ...]]], text: list[str]) -> int:
    """Try everything: each constraint takes any span of the text that it is met by, or none."""
    spans = [(i, j) for i in range(len(text)) for j in range(i + 1, len(text) + 1)]
    choices = [[None, *(s for s in spans if tuple(text[slice(*s)]) in phrases)] for phrases in constraints]
    best = 0
    for chosen in product(*choices):
        taken = [span for span in chosen if span]
        if len(set(taken)) == len(taken):
            best = max(best, len(taken))
    return best


@given(CONSTRAINTS, st.lists(WORD, max_size=5))
def test_as_many_as_possible_are_placed(constraints: list[list[Phrase]], text: list[str]) -> None:
    occurrences = match_constraints(constraints, text)
    taken = [occurrence for occurrence in occurrences if occurrence]
    assert len(set(taken)) == len(taken) == most_placed(constraints, text)
    for phrases, occurrence in zip(constraints, occurrences, strict=True):
        assert occurrence is None or tuple(text[occurrence.start : occurrence.end]) in phrases


def test_one_moves_so_that_another_is_met() -> None:
    occurrences = match_constraints([[("dog",), ("cat",)], [("dog",)]], ["a", "dog", "and", "a", "cat"])
    assert occurrences == [Occurrence(4, 5), Occurrence(1, 2)]


def test_the_leftmost_place_first() -> None:
    assert match_constraints([[("a",)], [("a",)]], ["b", "a", "a", "a"]) == [
        Occurrence(1, 2),
        Occurrence(2, 3),
    ]


def test_places_may_overlap_where_words_differ() -> None:
    text = ["a", "security", "system"]
    assert match_constraints([[("security", "system")], [("system",)]], text) == [
        Occurrence(1, 3),
        Occurrence(2, 3),
    ]


def test_a_phrase_broken_off_is_found_again() -> None:
    assert find_phrase(("a", "b"), ["a", "a", "b", "a", "b"]) == [Occurrence(1, 3), Occurrence(3, 5)]
    assert find_phrase(("a", "a"), ["a", "a", "a"]) == [Occurrence(0, 2), Occurrence(1, 3)]
    assert find_phrase(("a", "a"), ["a"]) == find_phrase((), ["a"]) == []


def test_targets_without_words_are_left_out() -> None:
    constraint = Constraint(targets=(" ", "Hot Dogs", "hot dogs", "hot-dogs"))
    assert phrases_of(constraint, WordOptions(ignore_case=True)) == (("hot", "dogs"), ("hot", "-", "dogs"))
