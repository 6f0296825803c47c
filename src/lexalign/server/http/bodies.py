"""The fields of a request, whether it comes as JSON or as a form."""

import json
from typing import Any, TypeVar
from urllib.parse import parse_qs

from fastapi import Request
from pydantic import BaseModel

from lexalign.contracts.errors import LexalignError

Body = TypeVar("Body", bound=BaseModel)


async def read_fields(request: Request, body: type[Body]) -> Body:
    content = await request.body()
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        fields: Any = _form(content)
    else:
        try:
            fields = json.loads(content or b"{}")
        except (ValueError, RecursionError):
            raise LexalignError("the body is not JSON; send JSON or a form") from None
    return body.model_validate(fields)


def documented(body: type[BaseModel]) -> dict[str, Any]:
    """The same for the OpenAPI document, where it could not be told from the code."""
    schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
    kinds = ("application/json", "application/x-www-form-urlencoded")
    return {"requestBody": {"required": True, "content": {kind: {"schema": schema} for kind in kinds}}}


def _form(content: bytes) -> dict[str, Any]:
    """A field that is there several times is a list."""
    try:
        found = parse_qs(content.decode("utf-8"), keep_blank_values=True, max_num_fields=2_000)
    except ValueError:
        raise LexalignError("the body is not a form in UTF-8") from None
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}
