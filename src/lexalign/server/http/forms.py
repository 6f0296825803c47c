"""Bodies that are forms: url-encoded or multipart, the latter perhaps with a file.

text=a&text=b                                   {"text": ["a", "b"]}
dictionaries[0].entries=x                       {"dictionaries": [{"entries": "x"}]}
"""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import HTTPException, Request
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File, parse_form

from lexalign.contracts.errors import LexalignError
from lexalign.server.http.services import services_of

FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_MAX_FIELDS = 2_000
_MAX_ITEMS = 100  # of a list of objects
_NESTED = re.compile(r"(\w+)\[(\d{1,3})\]\.(\w+)", re.ASCII)
_CHUNK = 65_536  # bytes that are parsed at a time, so that other threads can run

Fields = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class UploadedFile:
    """`name` is the client's, without folders; it is never a path here."""

    name: str
    content: bytes


async def refuse_foreign_pages(request: Request) -> None:
    """A form needs no permission to be sent by a page of another site, so it must not come from one."""
    origins = services_of(request).protection.origins
    allowed = "*" in origins or request.headers.get("origin") in origins
    if _is_of_another_page(request) and not allowed:
        raise HTTPException(403, "forms of other sites are refused; start the server with --allow-origin")


def _is_of_another_page(request: Request) -> bool:
    """As the browser tells; but where it does not trust the connection, it tells no more than the origin."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site not in ("same-origin", "none")
    try:
        return origin is not None and urlsplit(origin).hostname != request.url.hostname
    except ValueError:  # a name that is none
        return True


def parse_urlencoded(content: bytes) -> Fields:
    try:
        pairs = parse_qsl(content.decode("utf-8"), keep_blank_values=True, max_num_fields=_MAX_FIELDS)
    except ValueError:
        raise LexalignError("the body is not a form in UTF-8") from None
    return collect_fields(pairs)


def parse_multipart(content: bytes, content_type: str) -> tuple[Fields, UploadedFile | None]:
    """The fields, and the last file."""
    pairs: list[tuple[str, str]] = []
    files: list[UploadedFile] = []

    def add_field(field: Field) -> None:
        if len(pairs) >= _MAX_FIELDS:
            raise LexalignError(f"a form of more than {_MAX_FIELDS} fields is unknown to this API")
        pairs.append(((field.field_name or b"").decode(), (field.value or b"").decode()))

    def add_file(file: File) -> None:
        file.file_object.seek(0)
        name = (file.file_name or b"").decode().replace("\\", "/").rpartition("/")[2]
        files[:] = [UploadedFile(name=name, content=file.file_object.read())]
        file.close()

    headers = {"Content-Type": content_type.encode()}
    try:
        parse_form(headers, io.BytesIO(content), add_field, add_file, chunk_size=_CHUNK)
    except (FormParserError, ValueError):
        raise LexalignError("the body is not a multipart form in UTF-8") from None
    return collect_fields(pairs), files[0] if files else None


def collect_fields(pairs: Iterable[tuple[str, str]]) -> Fields:
    """A field that is sent several times is a list; `name[0].part` is a part of an object in a list."""
    found: dict[str, list[str]] = {}
    nested: dict[str, dict[int, dict[str, str]]] = {}
    for name, value in pairs:
        if part := _NESTED.fullmatch(name):
            nested.setdefault(part[1], {}).setdefault(int(part[2]), {})[part[3]] = value
        else:
            found.setdefault(name, []).append(value)
    if any(len(items) > _MAX_ITEMS for items in nested.values()):
        raise LexalignError(f"a list of more than {_MAX_ITEMS} objects is unknown to this API")
    fields: Fields = {name: values[0] if len(values) == 1 else values for name, values in found.items()}
    return fields | {name: [items[index] for index in sorted(items)] for name, items in nested.items()}
