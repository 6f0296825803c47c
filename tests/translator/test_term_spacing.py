"""Spaces between opening marks and terms."""

import pytest

from lexalign.bundled import find_model
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.hypothesis import ConstraintResult
from lexalign.translator import ConstraintOptions, TranslateOptions, Translator
from lexalign.translator.options import PolicyName
from lexalign.translator.term_spacing import close_up_terms

TOKENS = ("Enter", " the", " value", " (", " quantity", ").")


def spans(tokens: tuple[str, ...]) -> list[tuple[int, int]]:
    found, start = [], 0
    for token in tokens:
        found.append((start + token.startswith(" "), start + len(token)))
        start += len(token)
    return found


def close_up(source: str, tokens: tuple[str, ...], place: int) -> tuple[str, list[str]]:
    start = source.index("Menge")
    constraint = Constraint(targets=("quantity",), source=(start, start + 5))
    result = ConstraintResult(met=True, tokens=(place, place + 1))
    text, places = close_up_terms(source, "".join(tokens), spans(tokens), [constraint], [result])
    return text, [text[first:last] for first, last in places]


def test_a_bracket_of_the_source_is_kept_close() -> None:
    text, words = close_up("Geben Sie den Wert (Menge) ein.", TOKENS, 4)
    assert text == "Enter the value (quantity)."
    assert words == ["Enter", "the", "value", "(", "quantity", ")."]


@pytest.mark.parametrize(
    ("source", "tokens", "place"),
    [
        ("Geben Sie die Menge ein.", TOKENS, 4),  # the bracket is the model's own
        ("Wert (Menge)", ("Value", " quantity"), 1),
        ("(Menge", ("quantity",), 0),
    ],
)
def test_else_nothing_changes(source: str, tokens: tuple[str, ...], place: int) -> None:
    assert close_up(source, tokens, place)[0] == "".join(tokens)


def test_in_a_translation() -> None:
    translator = Translator.load(find_model("de", "en"), device="cpu")
    source = "Bitte geben Sie den Wert (Menge) ein."
    start = source.index("Menge")
    asked = Constraint(targets=("number of units",), source=(start, start + 5))
    found = translator.translate(source, constraints=[asked])
    (term,) = found.terms
    assert term.target is not None
    assert found.text[slice(*term.target)] == "number of units"
    assert "( " not in found.text


def test_one_space_is_enough() -> None:
    text, words = close_up("Die Menge.", ("The", " ", " quantity", "."), 2)
    assert text == "The quantity."
    assert words[-2:] == ["quantity", "."]


@pytest.mark.parametrize("policy", ["guided", "replace"])
def test_terms_that_begin_with_a_digit(policy: PolicyName) -> None:
    """The vocabulary spells the beginning of such a word apart, and that is aligned to nothing."""
    translator = Translator.load(find_model("en", "de"), device="cpu")
    source = "Click the 3D View button, and enter a percentage between 0 and 100."
    terms = {"3D View": "3D-Ansicht", "0": "0", "100": "100"}
    places = [(source.index(name), name) for name in terms]
    asked = [Constraint(targets=(terms[name],), source=(at, at + len(name))) for at, name in places]
    options = TranslateOptions(constraints=ConstraintOptions(policy=policy, with_other_searches=False))
    found = translator.translate(source, options.verbatim(), constraints=asked)
    spans = [term.target for term in found.terms]
    assert [found.text[slice(*span)] for span in spans if span] == list(terms.values())
    assert "  " not in found.text
    assert [found.text.count(word) for word in ("3D", "100", " 0 ")] == [1, 1, 1]
