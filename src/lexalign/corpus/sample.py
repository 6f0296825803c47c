"""The first texts of a corpus, from which its language is detected."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.inputs import InputFormat, inspect, list_files, read_rows
from lexalign.corpus.rows import Columns, RowReader


def sample_texts(paths: Sequence[Path], format: InputFormat | None, columns: Columns) -> Iterator[str]:
    """Texts in their order; rows that cannot be read are for the job to report."""
    for path in list_files(paths):
        file = inspect(path, format)
        reader = RowReader(file.format, columns)
        for number, row in enumerate(read_rows(file, columns.names), start=1):
            try:
                yield reader.read(row, number).text
            except LexalignError:
                continue
