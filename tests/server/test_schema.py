"""The OpenAPI document: whole, with examples that work, and no request made from it breaks the server."""

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.server.small_server import LiveServer

_CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            assert operation["tags"], (method, path)


def test_other_methods_are_told_which_there_are(client: httpx.Client, document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        refused = client.request("TRACE", path.replace("{", "x").replace("}", "x"))
        assert refused.status_code == 405, path
        told = {one.strip().lower() for one in refused.headers["allow"].split(",")}
        assert told >= set(methods), path  # /v1/glossaries/extract is also the path of a glossary
    assert client.request("TRACE", "/v1/glossaries").headers["allow"] == "GET, POST"
    assert client.request("TRACE", "/health").headers["allow"] == "GET, HEAD"


def test_examples_work(client: httpx.Client, document: dict[str, Any]) -> None:
    tried = 0
    for path, methods in document["paths"].items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        if body is None or "{" in path:
            continue
        schema = body["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        for example in schema.get("examples", []):
            pair = {"source_language": "de", "target_language": "en"} if path == "/v1/align" else {}
            parameters = {"format": "csv"} if "glossary-files" in path else {}
            found = client.post(path, json={**example, **pair}, params=parameters)
            assert found.is_success, (path, found.text)
            tried += 1
    assert tried >= 7


def test_no_request_breaks_the_server(server: LiveServer) -> None:
    """schemathesis makes requests, good and bad, from the document; all are answered as it says."""
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    found = list(schema.get_all_operations())
    operations = [result.ok() for result in found if isinstance(result, Ok)]
    assert len(operations) == len(found)
    assert len(operations) > 25
    for operation in operations:

        @settings(
            max_examples=4,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def send(case: schemathesis.Case[Any]) -> None:
            response = case.call()
            assert response.status_code != 500, (case, response.text)
            case.validate_response(response, checks=_CHECKS)

        send()
    assert server.client.get("/health").status_code == 200
    assert 'status="500"' not in server.client.get("/metrics").text
