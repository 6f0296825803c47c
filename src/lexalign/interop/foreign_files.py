"""Reading small files of other toolkits, with errors that name the file."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError


def read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise LexalignError(f"{path}: not JSON ({error})") from None
    if not isinstance(content, dict):
        raise LexalignError(f"{path}: not an object of JSON")
    return content


def read_bytes(path: Path) -> bytes:
    if not path.is_file():
        raise LexalignError(f"{path} is missing; the model cannot be imported without it")
    return path.read_bytes()


def number(values: Mapping[str, Any], name: str) -> int:
    """An integer among settings."""
    value = values.get(name)
    if isinstance(value, list) and value:  # several ends of sentence; the first is the trained one
        value = value[0]
    if type(value) is not int:
        raise LexalignError(f"{name} is {value!r}; a number is needed")
    return value


@contextmanager
def error_context(path: Path) -> Iterator[None]:
    """Put the path before the message of an error that is raised in the block."""
    try:
        yield
    except LexalignError as error:
        raise LexalignError(f"{path}: {error}") from None
