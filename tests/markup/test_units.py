"""Words that no tag may split."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.markup.units import units_of


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("Die E-Mail kostet 3,50 €.", "Die|E-Mail|kostet|3,50|€|."),
        ("don't, (B-)Welt", "don't|,|(|B|-|)|Welt"),
        ("2.1.Allgemein U.S. example.com 12:30", "2.1|.|Allgemein|U.S|.|example.com|12:30"),
        ("हिन्दी में", "हिन्दी|में"),
        ("東京タワーへ。", "東|京|タワー|へ|。"),
        ("👨\u200d👩\u200d👧 e\u0301te\u0301", "👨\u200d👩\u200d👧|e\u0301te\u0301"),
        (" - ", "-"),
        ("", ""),
    ],
)
def test_examples(text: str, units: str) -> None:
    assert "|".join(text[start:end] for start, end in units_of(text)) == units


@given(st.text(max_size=30))
def test_units_are_all_that_is_visible(text: str) -> None:
    units = units_of(text)
    assert "".join(text[start:end] for start, end in units) == "".join(text.split())
    for start, end in units:
        assert not any(character.isspace() for character in text[start:end])
