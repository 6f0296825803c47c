"""Bodies of requests, as JSON or as a form, read beside the event loop where they are not tiny.

One call of a C function holds the interpreter until it is done. A long body is therefore parsed by Python's
own JSON scanner, of which no single step is long.
"""

import json
from json.decoder import JSONArray, JSONObject  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from typing import Any, TypeVar
from urllib.parse import parse_qs

from fastapi import Request
from pydantic import BaseModel, ValidationError

from lexalign.contracts.errors import LexalignError
from lexalign.server.http.errors import InvalidBodyError, describe
from lexalign.server.http.services import services_of

Body = TypeVar("Body", bound=BaseModel)
_FORM = "application/x-www-form-urlencoded"
_LONG = 50_000  # bytes, which the faster scanner of C reads in about a millisecond
_MOST_FIELDS = 200  # of an object; nothing has as many, and each that is unknown would be an error of its own


async def read_body(request: Request, body: type[Body]) -> Body:
    """JSON that says so: pages of other sites can send anything else without asking."""
    if not _media_type(request).endswith("json"):
        raise InvalidBodyError("the body must be JSON; send it with Content-Type: application/json")
    content = await request.body()
    return await services_of(request).lanes.run(len(content), _read_json, content, body)


async def read_fields(request: Request, body: type[Body]) -> Body:
    """JSON, whatever it is called, or a form."""
    content = await request.body()
    read = _read_form if _media_type(request) == _FORM else _read_json_field
    return await services_of(request).lanes.run(len(content), read, content, body)


def documented(body: type[BaseModel], *kinds: str) -> dict[str, Any]:
    """The same for the OpenAPI document, where it could not be told from the code; see `hoist`."""
    schema = body.model_json_schema(ref_template="#/components/schemas/{model}Input")
    content = {kind: {"schema": schema} for kind in ("application/json", *kinds)}
    return {"requestBody": {"required": True, "content": content}}


def documented_fields(body: type[BaseModel]) -> dict[str, Any]:
    return documented(body, _FORM)


def hoist(document: dict[str, Any]) -> dict[str, Any]:
    """Put the definitions within bodies where the whole OpenAPI document has its own."""
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
        fields = _parse(content)
    except ValueError:
        raise InvalidBodyError("the body is not JSON") from None
    return _validate(fields, body)


def _read_json_field(content: bytes, body: type[Body]) -> Body:
    try:
        fields = _parse(content or b"{}")
    except ValueError:
        raise LexalignError("the body is not JSON; send JSON or a form") from None
    return _validate(fields, body)


def _read_form(content: bytes, body: type[Body]) -> Body:
    """A field that is there several times is a list."""
    try:
        found = parse_qs(content.decode("utf-8"), keep_blank_values=True, max_num_fields=2_000)
    except ValueError:
        raise LexalignError("the body is not a form in UTF-8") from None
    fields = {name: values[0] if len(values) == 1 else values for name, values in found.items()}
    return _validate(_few(list(fields.items())), body)


def _parse(content: bytes) -> Any:
    text = content.decode(json.detect_encoding(content))
    try:
        return _decoder(long=len(content) > _LONG).decode(text)
    except RecursionError:
        raise LexalignError("the body is nested too deeply") from None


def _decoder(*, long: bool) -> json.JSONDecoder:
    decoder: Any = json.JSONDecoder(object_pairs_hook=_few)
    if long:
        decoder.parse_object, decoder.parse_array = JSONObject, JSONArray
        decoder.scan_once = py_make_scanner(decoder)
    made: json.JSONDecoder = decoder
    return made


def _few(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(fields) > _MOST_FIELDS:
        raise LexalignError(f"an object of {len(fields)} fields is none of this API's")
    return dict(fields)


def _validate(fields: Any, body: type[Body]) -> Body:
    try:
        return body.model_validate(fields)
    except ValidationError as error:
        raise InvalidBodyError(describe([dict(one) for one in error.errors(include_url=False)])) from None
