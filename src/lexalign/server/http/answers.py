"""Answers, made and written beside the event loop where they are not tiny.

One call of a C function holds the interpreter until it is done, so a long answer is written in pieces.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fastapi import Response
from pydantic import BaseModel
from pydantic_core import to_json

from lexalign.server.batching.lanes import checkpoint

_PIECE = 200  # parts of a list
Answer = BaseModel | Sequence[BaseModel]


def render(answer: Answer, *, without_none: bool = False) -> bytes:
    """JSON, as pydantic writes it."""
    return b"".join(_pieces(answer, without_none))


def respond(
    make: Callable[[], Answer],
    *,
    status: int = 200,
    without_none: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """For `Lanes.run`."""
    content = render(make(), without_none=without_none)
    return Response(content, status_code=status, media_type="application/json", headers=headers)


def _pieces(value: Any, without_none: bool) -> Iterator[bytes]:
    checkpoint()
    if isinstance(value, BaseModel):
        yield from _fields(value, without_none)
    elif isinstance(value, list) and len(value) > 1:
        yield from _items(value, without_none)
    else:
        yield to_json(value, exclude_none=without_none)


def _fields(model: BaseModel, without_none: bool) -> Iterator[bytes]:
    link = b"{"
    for name in type(model).model_fields:
        value = getattr(model, name)
        if value is None and without_none:
            continue
        yield link + to_json(name) + b":"
        yield from _pieces(value, without_none)
        link = b","
    yield b"}" if link == b"," else b"{}"


def _items(values: list[Any], without_none: bool) -> Iterator[bytes]:
    """Where an item may be long itself, each is in pieces."""
    link = b"["
    if any(map(_is_nested, values)):
        for value in values:
            yield link
            yield from _pieces(value, without_none)
            link = b","
    else:
        for start in range(0, len(values), _PIECE):
            yield link + to_json(values[start : start + _PIECE], exclude_none=without_none)[1:-1]
            link = b","
    yield b"]"


def _is_nested(value: Any) -> bool:
    """Whether it has lists of parts that have parts themselves, or long lists."""
    if isinstance(value, list):
        return len(value) > _PIECE
    if not isinstance(value, BaseModel):
        return False
    lists = (part for part in vars(value).values() if isinstance(part, list) and part)
    return any(isinstance(part[0], BaseModel | list) for part in lists)
