"""JSON responses, serialized in a thread where they are not tiny.

A call of a C function holds the interpreter until it returns, so a long response is serialized in chunks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fastapi import Response
from pydantic import BaseModel
from pydantic_core import to_json

from lexalign.server.batching.thread_pools import checkpoint

_CHUNK = 200  # items of a list
Content = BaseModel | Sequence[BaseModel]


def render(content: Content, *, without_none: bool = False) -> bytes:
    """The same JSON as pydantic writes."""
    return b"".join(_chunks(content, without_none))


def json_response(
    make: Callable[[], Content],
    *,
    status: int = 200,
    without_none: bool = False,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The response with the content that `make` returns; it is to be called by `ThreadPools.run`."""
    content = render(make(), without_none=without_none)
    return Response(content, status_code=status, media_type="application/json", headers=headers)


def _chunks(value: Any, without_none: bool) -> Iterator[bytes]:
    checkpoint()
    if isinstance(value, BaseModel):
        yield from _fields(value, without_none)
    elif isinstance(value, list) and len(value) > 1:
        yield from _items(value, without_none)
    else:
        yield to_json(value, exclude_none=without_none)


def _fields(model: BaseModel, without_none: bool) -> Iterator[bytes]:
    separator = b"{"
    for name in type(model).model_fields:
        value = getattr(model, name)
        if value is None and without_none:
            continue
        yield separator + to_json(name) + b":"
        yield from _chunks(value, without_none)
        separator = b","
    yield b"}" if separator == b"," else b"{}"


def _items(values: list[Any], without_none: bool) -> Iterator[bytes]:
    """Items that may be long themselves are serialized in chunks, each of them."""
    separator = b"["
    if any(map(_is_nested, values)):
        for value in values:
            yield separator
            yield from _chunks(value, without_none)
            separator = b","
    else:
        for start in range(0, len(values), _CHUNK):
            yield separator + to_json(values[start : start + _CHUNK], exclude_none=without_none)[1:-1]
            separator = b","
    yield b"]"


def _is_nested(value: Any) -> bool:
    """Whether the value is a long list, or has lists of models or lists."""
    if isinstance(value, list):
        return len(value) > _CHUNK
    if not isinstance(value, BaseModel):
        return False
    lists = (field for field in vars(value).values() if isinstance(field, list) and field)
    return any(isinstance(field[0], BaseModel | list) for field in lists)
