"""The answers that every route may give, for the OpenAPI document."""

from typing import Any

from lexalign.server.http.errors import Problem

_MEANINGS = {
    400: "The request makes no sense; the message says why.",
    401: "A valid key is needed.",
    413: "The request is too large.",
    422: "The request does not have the form it must have.",
    429: "Too much is waiting; `Retry-After` says for how many seconds to wait.",
    503: "The server is stopping, has lost a worker, or cannot change its database.",
    504: "The request took too long.",
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": meaning} for status, meaning in _MEANINGS.items()
}
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": Problem, "description": "There is no such one."}}
CHANGED: dict[int | str, dict[str, Any]] = {
    412: {"model": Problem, "description": "It is not of the version that `If-Match` names."}
}
