"""Parquet files, read and written by pyarrow (the extra `corpus`)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from lexalign.contracts.errors import LexalignError, MissingExtraError

_BATCH_ROWS = 1024  # read at a time


def check_installed() -> None:
    _pyarrow()


def count_rows(path: Path) -> int:
    return int(_open(path).metadata.num_rows)


def read_columns(path: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Rows of the columns that exist; text as bytes, because files may hold invalid UTF-8."""
    arrow, file = _pyarrow(), _open(path)
    existing = [name for name in columns if name in file.schema_arrow.names]
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=existing):
        listed = [_as_bytes(arrow, column).to_pylist() for column in batch.columns]
        for values in zip(*listed, strict=True) if listed else [()] * batch.num_rows:
            yield dict(zip(batch.schema.names, values, strict=True))


def write_table(rows: Sequence[Mapping[str, Any]], *, align: bool) -> bytes:
    """The bytes of a Parquet file; the same rows always give the same bytes."""
    arrow = _pyarrow()
    import pyarrow.parquet

    sink = arrow.BufferOutputStream()
    table = arrow.Table.from_pylist(list(rows), schema=_schema(arrow, align))
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def join_tables(parts: Sequence[Path], path: Path) -> None:
    """One file of the rows of several, which `write_table` has written; read one after the other."""
    _pyarrow()
    import pyarrow.parquet

    schema = pyarrow.parquet.read_schema(parts[0])
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for part in parts:
            writer.write_table(pyarrow.parquet.read_table(part))


def read_table(path: Path) -> list[dict[str, Any]]:
    """The rows of a file that `write_table` has written."""
    _pyarrow()
    import pyarrow.parquet

    rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return rows


def _schema(arrow: ModuleType, align: bool) -> Any:
    text, span = arrow.string(), arrow.list_(arrow.int32())
    term = [("targets", arrow.list_(text)), ("kind", text), ("met", arrow.bool_())]
    term += [("source", span), ("target", span), ("reason", text)]
    link = [("source", span), ("target", span), ("probability", arrow.float64())]
    fields = [("file", text), ("row", arrow.int64()), ("id", text), ("source", text), ("translation", text)]
    fields += [("score", arrow.float64()), ("log_probability", arrow.float64()), ("complete", arrow.bool_())]
    fields += [("terms", arrow.list_(arrow.struct(term)))]
    kept = [("text", text), ("kind", text), ("source", span), ("target", span), ("placement", text)]
    fields += [("protected", arrow.list_(arrow.struct(kept))), ("missing_numbers", arrow.list_(span))]
    word = [("source", span), ("probability", arrow.float64()), ("lost", arrow.bool_())]
    fields += [("uncovered", arrow.list_(arrow.struct(word)))]
    fields += [("alignment", arrow.list_(arrow.struct(link)))] if align else []
    return arrow.schema(fields)


def _as_bytes(arrow: ModuleType, column: Any) -> Any:
    if arrow.types.is_string(column.type):
        return column.cast(arrow.binary())
    return column.cast(arrow.large_binary()) if arrow.types.is_large_string(column.type) else column


def _open(path: Path) -> Any:
    arrow = _pyarrow()
    import pyarrow.parquet

    try:
        return pyarrow.parquet.ParquetFile(path)
    except arrow.ArrowInvalid as error:
        raise LexalignError(f"{path} is not a Parquet file, or is damaged: {error}") from None


def _pyarrow() -> ModuleType:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'lexalign[corpus]'") from None
    module: ModuleType = pyarrow
    return module
