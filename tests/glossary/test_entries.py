"""Valid and invalid entries, and their notation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, parse_term
from lexalign.glossary.entries import join_alternatives, split_alternatives

WORDS = st.text(st.sampled_from("ab|\\ ="), min_size=1).map(str.strip).filter(bool)


@given(st.lists(WORDS, min_size=1, unique=True))
def test_alternatives_come_back_as_they_were_joined(targets: list[str]) -> None:
    assert split_alternatives(join_alternatives(targets)) == tuple(targets)


def test_a_term_of_the_command_line() -> None:
    entry = parse_term(" E=mc = a | b|b ")
    assert (entry.source, entry.targets) == ("E", ("mc = a", "b"))


@pytest.mark.parametrize("written", ["Haus", "=house", "Haus=", "Haus=a||b", "Haus=a\tb\x07"])
def test_terms_that_make_no_sense(written: str) -> None:
    with pytest.raises(LexalignError, match=r'--term ".*write it as "source=target"'):
        parse_term(written)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"source": " "}, "the source is empty"),
        ({"source": "a "}, "white space"),
        ({"source": "a\ud800"}, "surrogate"),
        ({"source": "a\0b"}, "control character"),
        ({"targets": ()}, "the target is empty"),
        ({"targets": ("x", "")}, "a target is empty"),
        ({"policy": "keep"}, "has no target"),
        ({"policy": "maybe"}, "unknown policy"),
        ({"case": "UPPER"}, "unknown case rule"),
        ({"note": "a\x01"}, "control character"),
    ],
)
def test_entries_that_make_no_sense(fields: dict[str, object], message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        Entry(**{"source": "a", "targets": ("b",), **fields})  # type: ignore[arg-type]


def test_languages_choose_entries_and_regions_are_details() -> None:
    swiss = Entry(source="a", targets=("b",), source_language="de-CH", target_language="en")
    anywhere = Entry(source="c", targets=("d",))
    both = Glossary((swiss, anywhere))
    assert both.for_languages("de", "EN_gb").entries == (swiss, anywhere)
    assert both.for_languages("fr", "en").entries == (anywhere,)
    assert (both.source_language, both.target_language) == ("de", "en")
    assert both.with_languages("fr", "it").entries[1].source_language == "fr"
    assert (both + both.with_languages("fr", "it")).source_language is None
