"""Columns of tables: a DataFrame of pandas, or a Table of pyarrow."""

from collections.abc import Sequence
from typing import Any, TypeVar, Unpack

import lexalign
from lexalign.api.glossary import GlossaryLike
from lexalign.contracts.errors import OptionError

Table = TypeVar("Table")


def translate_column(
    table: Table,
    column: str,
    translator: "lexalign.Translator",
    *,
    output: str | None = None,
    warnings: str | None = None,
    glossary: GlossaryLike | None = None,
    **options: Unpack["lexalign.TranslateKeywords"],
) -> Table:
    """A copy of a table with a column of translations.

    Args:
        table: A pandas DataFrame or a pyarrow Table.
        column: The name of the column of texts. What is missing stays missing.
        translator: See `lexalign.load`.
        output: The name of the new column; by default `column` and the target language: text_en.
        warnings: The name of a further column, for what a person should look at.
        glossary: See `Translator.translate`.
        **options: See `TranslateKeywords`.

    Examples:
        >>> import lexalign, pandas
        >>> from lexalign.integrations.tables import translate_column
        >>> table = pandas.DataFrame({"text": ["Guten Tag!", None]})
        >>> translate_column(table, "text", lexalign.load("de", "en"))["text_en"].tolist()
        ['Good day!', None]
    """
    texts = _read(table, column)
    present = [(index, text) for index, text in enumerate(texts) if text is not None]
    found: list[lexalign.Translation | None] = [None] * len(texts)
    translations = translator.translate([text for _, text in present], glossary=glossary, **options)
    for (index, _), one in zip(present, translations, strict=True):
        found[index] = one
    name = output or f"{column}_{translator.languages[1] if translator.languages else 'translated'}"
    columns: dict[str, list[str | None]] = {name: [None if one is None else one.text for one in found]}
    if warnings is not None:
        columns[warnings] = [None if one is None else "; ".join(one.warnings) for one in found]
    appended: Table = _append(table, columns)
    return appended


def _read(table: Any, column: str) -> list[str | None]:
    """The texts of a column; pandas has several values for what is missing."""
    names = _names(table)
    if column not in names:
        raise OptionError(f"the table has no column {column!r}; it has {', '.join(map(str, names))}")
    is_arrow = _library(table) == "pyarrow"
    values = table[column].to_pylist() if is_arrow else _pandas_values(table[column])
    for row, value in enumerate(values):
        if value is not None and not isinstance(value, str):
            raise OptionError(f"column {column!r}, row {row}: {value!r} is not a text")
    return list(values)


def _pandas_values(series: Any) -> list[Any]:
    return [None if missing else value for value, missing in zip(series, series.isna(), strict=True)]


def _names(table: Any) -> Sequence[str]:
    names: Sequence[str] = table.column_names if _library(table) == "pyarrow" else list(table.columns)
    return names


def _append(table: Any, columns: dict[str, list[str | None]]) -> Any:
    """New columns come last; those of the same name are replaced."""
    if _library(table) == "pyarrow":
        import pyarrow

        for name, values in columns.items():
            if name in table.column_names:
                table = table.drop_columns([name])
            table = table.append_column(name, pyarrow.array(values, pyarrow.string()))
        return table
    import pandas

    added = {name: pandas.Series(values, index=table.index, dtype=object) for name, values in columns.items()}
    return table.assign(**added)


def _library(table: Any) -> str:
    """By the name of the class's module, so that neither library is imported to ask."""
    library = type(table).__module__.partition(".")[0]
    if library not in ("pandas", "pyarrow"):
        raise OptionError(f"{type(table).__name__} is neither a DataFrame of pandas nor a Table of pyarrow")
    return library
