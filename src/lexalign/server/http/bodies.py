"""Bodies of requests, as JSON or as a form, parsed in a thread where they are not tiny.

A call of a C function holds the interpreter until it returns. A long body is therefore parsed by the JSON
scanner that is written in Python, of which no single step is long.
"""

import json
from json.decoder import JSONArray, JSONObject  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any, TypeVar

from fastapi import Request
from pydantic import BaseModel, ValidationError

from lexalign.contracts.errors import LexalignError
from lexalign.server.http.errors import InvalidBodyError, describe
from lexalign.server.http.forms import (
    FORM,
    MULTIPART,
    UploadedFile,
    collect_fields,
    parse_multipart,
    parse_urlencoded,
)
from lexalign.server.http.services import services_of

Body = TypeVar("Body", bound=BaseModel)
_MAX_FAST = 50_000  # bytes, which the faster scanner in C parses in about a millisecond
_TEXT_KEYWORDS = ("type", "description", "enum", "pattern", "minLength", "maxLength", "examples")
_MAX_FIELDS = 200  # of an object; no body has as many, and each unknown one would be an error of its own


async def read_json(request: Request, body: type[Body]) -> Body:
    """A JSON body with its Content-Type: web pages of other sites may send any other without permission."""
    if not _media_type(request).endswith("json"):
        raise InvalidBodyError("the body must be JSON; send it with Content-Type: application/json")
    content = await request.body()
    return await services_of(request).threads.run(len(content), _read_json, content, body)


async def read_json_or_form(request: Request, body: type[Body], *, query: bool = False) -> Body:
    """A JSON body, whatever its Content-Type, or a form; with `query`, also parameters of the URL."""
    return (await read_form(request, body, query=query))[0]


async def read_form(
    request: Request, body: type[Body], *, query: bool = False
) -> tuple[Body, UploadedFile | None]:
    """As `read_json_or_form`, with the file of a multipart form."""
    content, kind = await request.body(), _media_type(request)
    more = collect_fields(request.query_params.multi_items()) if query else {}

    def read() -> tuple[Body, UploadedFile | None]:
        file = None
        if kind == FORM:
            fields: Any = parse_urlencoded(content)
        elif kind == MULTIPART:
            fields, file = parse_multipart(content, request.headers["content-type"])
        else:
            fields = _parse_or_nothing(content)
        given = _checked_fields(list({**more, **fields}.items())) if isinstance(fields, dict) else fields
        return _validate(given, body), file

    return await services_of(request).threads.run(len(content), read)


def json_body(body: type[BaseModel], *kinds: str) -> dict[str, Any]:
    """A body for the OpenAPI document, since FastAPI does not see it; see `move_definitions`."""
    schema = body.model_json_schema(ref_template="#/components/schemas/{model}Input")
    content = {kind: {"schema": schema} for kind in ("application/json", *kinds)}
    return {"requestBody": {"required": True, "content": content}}


def json_or_form_body(body: type[BaseModel]) -> dict[str, Any]:
    return json_body(body, FORM, MULTIPART)


def upload_body(body: type[BaseModel], *required: str) -> dict[str, Any]:
    """A multipart form with a `file` and the fields of `body`, of which each is a text."""
    fields = body.model_json_schema()["properties"]
    properties = {"file": {"type": "string", "format": "binary"}}
    properties |= {name: _as_text(schema) for name, schema in fields.items()}
    schema = {"type": "object", "required": ["file", *required], "properties": properties}
    return {"requestBody": {"required": True, "content": {MULTIPART: {"schema": schema}}}}


def _as_text(schema: dict[str, Any]) -> dict[str, Any]:
    """What else than a text JSON may have there, such as nothing, a form leaves out."""
    choices = schema.get("anyOf", [schema])
    text = next((one for one in choices if one.get("type") in ("string", "boolean")), {"type": "string"})
    described = {**text, "description": schema.get("description", "")}
    return {name: value for name, value in described.items() if name in _TEXT_KEYWORDS}


def move_definitions(document: dict[str, Any]) -> dict[str, Any]:
    """Move the definitions inside of bodies to where the OpenAPI document has its schemas."""
    shared = document["components"]["schemas"]
    for operations in document["paths"].values():
        for operation in operations.values():
            for kind in operation.get("requestBody", {}).get("content", {}).values():
                for name, schema in kind["schema"].pop("$defs", {}).items():
                    shared[f"{name}Input"] = schema
    return document


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _read_json(content: bytes, body: type[Body]) -> Body:
    try:
        fields = parse_json(content)
    except ValueError:
        raise InvalidBodyError("the body is not JSON") from None
    return _validate(fields, body)


def _parse_or_nothing(content: bytes) -> Any:
    try:
        return parse_json(content or b"{}")
    except ValueError:
        raise LexalignError("the body is not JSON; send JSON or a form") from None


def parse_json(content: bytes) -> Any:
    text = content.decode(json.detect_encoding(content))
    try:
        return _decoder(long=len(content) > _MAX_FAST).decode(text)
    except RecursionError:
        raise LexalignError("the body is nested too deeply") from None


def _decoder(*, long: bool) -> json.JSONDecoder:
    decoder: Any = json.JSONDecoder(object_pairs_hook=_checked_fields)
    if long:
        decoder.parse_object, decoder.parse_array = JSONObject, JSONArray
        decoder.scan_once = py_make_scanner(decoder)
    made: json.JSONDecoder = decoder
    return made


def _checked_fields(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(fields) > _MAX_FIELDS:
        raise LexalignError(f"an object of {len(fields)} fields is unknown to this API")
    return dict(fields)


def _validate(fields: Any, body: type[Body]) -> Body:
    try:
        return body.model_validate(fields)
    except ValidationError as error:
        raise InvalidBodyError(describe([dict(one) for one in error.errors(include_url=False)])) from None
