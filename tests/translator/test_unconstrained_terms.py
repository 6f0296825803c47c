"""Terms that a search did nothing about, and that its text may have all the same."""

import pytest

from lexalign.contracts.constraint import Constraint
from lexalign.translator.writing import look_for


@pytest.mark.parametrize(
    ("text", "term", "place"),
    [
        ("the dogma, the dog", "dog", (15, 18)),
        ("the dogma", "dog", None),
        ("यह ठोस है", "ठोस", (3, 6)),
        ("यह ठोसियों है", "ठोस", None),  # a vowel sign goes on with the word
        ("ठोस।", "ठोस", (0, 3)),
        ("hotdog", "dog", None),
        ("「東京都」", "東京", (1, 3)),  # no mark between words, and none asked for
        ("東京都dog", "dog", None),
        ("a (dog).", "(dog)", (2, 7)),
    ],
)
def test_only_whole_words_meet_a_constraint(text: str, term: str, place: tuple[int, int] | None) -> None:
    found = look_for(Constraint(targets=(term,)), None, text)
    assert (found.met, found.target) == (place is not None, place)


def test_the_form_that_comes_first_in_the_text_is_the_one() -> None:
    constraint = Constraint(targets=("hound", "dog", " dog house "))
    assert look_for(constraint, None, "dogma: a dog house, a hound").target == (9, 12)


def test_what_is_to_be_avoided_is_not_met_where_it_stands() -> None:
    avoided = Constraint(targets=("dog",), kind="avoid")
    assert not look_for(avoided, None, "a dog").met
    assert look_for(avoided, None, "a dogma").met
