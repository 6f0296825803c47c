"""Terms that a search did nothing about, and that its text may have all the same."""

import pytest

from lexalign.contracts.constraint import Constraint
from lexalign.translator.writing import _look_for


@pytest.mark.parametrize(
    ("text", "term", "place"),
    [
        ("the dogma, the dog", "dog", (15, 18)),
        ("the dogma", "dog", None),
        ("यह ठोस है", "ठोस", (3, 6)),
        ("यह ठोसियों है", "ठोस", None),  # a vowel sign goes on with the word
        ("ठोस।", "ठोस", (0, 3)),
    ],
)
def test_only_whole_words_meet_a_constraint(text: str, term: str, place: tuple[int, int] | None) -> None:
    found = _look_for(Constraint(targets=(term,)), None, text)
    assert (found.met, found.target) == (place is not None, place)
