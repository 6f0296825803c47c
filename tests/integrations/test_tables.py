"""Columns of tables of both libraries."""

from typing import Any

import pytest

import lexalign
from lexalign.integrations.tables import translate_column

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

TEXTS = ["Guten Tag!", None, "Das Haus brennt.", ""]


@pytest.fixture(scope="module")
def translator() -> lexalign.Translator:
    return lexalign.load("de", "en", device="cpu")


def tables() -> list[Any]:
    content = {"id": [1, 2, 3, 4], "text": TEXTS}
    return [
        pandas.DataFrame(content, index=[7, 3, 5, 1]),
        pandas.DataFrame(content).astype({"text": "string"}),
        pyarrow.table(content),
    ]


@pytest.mark.parametrize("table", tables(), ids=["pandas", "pandas strings", "pyarrow"])
def test_a_column_is_added_and_gaps_stay(table: Any, translator: lexalign.Translator) -> None:
    found = translate_column(table, "text", translator, glossary={"Haus": "building"}, warnings="look")
    assert type(found) is type(table)
    names = found.column_names if hasattr(found, "column_names") else list(found.columns)
    assert list(names) == ["id", "text", "text_en", "look"]
    values = found["text_en"].to_pylist() if hasattr(found, "column_names") else found["text_en"].tolist()
    whole = [text for text in TEXTS if text is not None]
    expected = iter(translator.translate(whole, glossary={"Haus": "building"}))
    assert values == [None if text is None else next(expected).text for text in TEXTS]
    assert "text_en" not in (table.column_names if hasattr(table, "column_names") else table.columns)


def test_a_column_of_the_same_name_is_replaced(translator: lexalign.Translator) -> None:
    for table in tables():
        found = translate_column(table, "text", translator, output="text")
        assert len(found.columns) == 2


def test_what_cannot_be_translated_is_named(translator: lexalign.Translator) -> None:
    table = pandas.DataFrame({"text": ["a", 3]})
    with pytest.raises(lexalign.OptionError, match="row 1: 3 is not a text"):
        translate_column(table, "text", translator)
    with pytest.raises(lexalign.OptionError, match="no column 'txt'; it has text"):
        translate_column(table, "txt", translator)
    with pytest.raises(lexalign.OptionError, match="list is neither"):
        translate_column([1], "text", translator)
