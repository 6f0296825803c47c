"""Rows of files as segments; an error says what is wrong with a row."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.corpus.inputs import MAX_ROW_BYTES, InputFormat, RawRow
from lexalign.data.reader import decode_line
from lexalign.glossary.constraint_files import read_constraints
from lexalign.text.surface import check_unicode


@dataclass(frozen=True, kw_only=True)
class Segment:
    text: str
    constraints: tuple[Constraint, ...] = ()
    id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Names of fields, or for TSV numbers from 1. Constraints are a list in our own format, or JSON of one.

    Without names, the text is the field `text`, or the first column; constraints are the field `constraints`
    where there is one.
    """

    text: str | None = None
    constraints: str | None = None
    id: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            name for name in (self.text or "text", self.constraints or "constraints", self.id) if name
        )


class RowReader:
    """Reads the rows of one format."""

    def __init__(self, format: InputFormat, columns: Columns) -> None:
        self._format, self._columns = format, columns
        if format == "tsv":
            self._numbers = {name: _number(name) for name in (columns.constraints, columns.id) if name}
            self._numbers["text"] = _number(columns.text or "1")

    def read(self, row: RawRow, number: int) -> Segment:
        """`number` counts rows of the file from 1; an error says what is wrong with this one."""
        if isinstance(row, dict):
            return self._from_fields({name: _decoded(value) for name, value in row.items()})
        line = _line(row, number)
        if self._format == "text":
            return Segment(text=line)
        return self._from_columns(line) if self._format == "tsv" else self._from_fields(_object(line))

    def _from_fields(self, fields: Mapping[str, Any]) -> Segment:
        columns = self._columns
        text = fields.get(columns.text or "text")
        if not isinstance(text, str):
            raise LexalignError(f'there is no "{columns.text or "text"}", or it is not a string')
        check_unicode(text)
        constraints = _constraints(fields.get(columns.constraints or "constraints"), text)
        if columns.id is None:
            return Segment(text=text, constraints=constraints)
        if fields.get(columns.id) is None:
            raise LexalignError(f'there is no "{columns.id}"')
        return Segment(text=text, constraints=constraints, id=str(fields[columns.id]))

    def _from_columns(self, line: str) -> Segment:
        values = line.split("\t")
        if (needed := max(self._numbers.values())) > len(values):
            raise LexalignError(f"there is no column {needed}; the row has {len(values)}")
        text, columns = values[self._numbers["text"] - 1], self._columns
        named = {name: values[number - 1] for name, number in self._numbers.items()}
        return Segment(
            text=text,
            constraints=_constraints(named[columns.constraints], text) if columns.constraints else (),
            id=named[columns.id] if columns.id else None,
        )


def _line(row: bytes, number: int) -> str:
    if len(row) > MAX_ROW_BYTES:
        raise LexalignError(f"the row is over {MAX_ROW_BYTES:,} bytes")
    line = decode_line(row, "in this row")
    return line.removeprefix("\ufeff") if number == 1 else line


def _decoded(value: Any) -> Any:
    return decode_line(value, "in this row") if isinstance(value, bytes) else value


def _object(line: str) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise LexalignError(f"not valid JSON: {error}") from None
    if not isinstance(content, dict):
        raise LexalignError("not a JSON object")
    return content


def _constraints(value: Any, text: str) -> tuple[Constraint, ...]:
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else []
        except (ValueError, RecursionError):
            raise LexalignError("the constraints are not valid JSON") from None
    if value is None:
        return ()
    if not isinstance(value, list):
        raise LexalignError("the constraints are not a list")
    return read_constraints([_without_nulls(entry) for entry in value], text)


def _without_nulls(entry: Any) -> Any:
    """Remove the null fields: a Parquet struct has all its fields in every row."""
    return {name: one for name, one in entry.items() if one is not None} if isinstance(entry, dict) else entry


def _number(name: str) -> int:
    if not name.isdecimal() or int(name) < 1:
        raise LexalignError(f"columns of TSV are numbers from 1, not {name!r}")
    return int(name)
