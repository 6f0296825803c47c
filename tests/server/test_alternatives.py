"""What else may stand at a place of a translation, and what follows a given beginning."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lexalign.bundled import find_model
from lexalign.server.running import ServerOptions
from lexalign.server.translating.catalogue import ModelChoice
from tests.server.small_server import live_server

SOURCE = "The house at the end of the street is very big."
PAIR = {"source_language": "en", "target_language": "de"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Of a server with a trained model: what a random one writes has no words."""
    options = ServerOptions(
        models=(ModelChoice(source="en", target="de", folder=find_model("en", "de")),),
        data=tmp_path_factory.mktemp("alternatives"),
        port=0,
        device="cpu",
        workers=1,
    )
    with live_server(options) as live:
        yield live.client


@pytest.fixture(scope="module")
def target(client: httpx.Client) -> str:
    found = client.post("/v1/translate", json={"text": SOURCE, **PAIR}).json()["translations"][0]
    assert found["sentences"] == [{"source": [0, len(SOURCE)], "target": [0, len(found["text"])]}]
    return str(found["text"])


def ask(client: httpx.Client, **body: Any) -> list[dict[str, Any]]:
    found = client.post("/v1/alternatives", json={"source": SOURCE, **PAIR, **body})
    assert found.status_code == 200, found.text
    return list(found.json()["alternatives"])


def word_at(target: str, number: int) -> list[int]:
    start = sum(len(word) + 1 for word in target.split(" ")[:number])
    return [start, start + len(target.split(" ")[number])]


def test_alternatives_keep_what_stands_before(client: httpx.Client, target: str) -> None:
    span = word_at(target, 1)
    found = ask(client, target=target, span=span, number=4)
    assert 0 < len(found) <= 4
    replacements = [one["replacement"] for one in found]
    assert len(set(replacements)) == len(replacements)
    assert target[slice(*span)] not in replacements
    for one in found:
        assert one["text"].startswith(target[: span[0]])
        assert one["text"][slice(*one["span"])] == one["replacement"]
        assert one["alignment"], one
        assert all(link["target"][1] <= len(one["text"]) for link in one["alignment"])
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)


def test_the_score_is_that_of_the_whole_translation(client: httpx.Client, target: str) -> None:
    """The first word is what stands there; with it as the replacement, the search finds the rest again."""
    best = client.post("/v1/translate", json={"text": SOURCE, **PAIR}).json()["translations"][0]
    first, span = target.split(" ")[0], word_at(target, 0)
    found = ask(client, target=target, span=span, replacement=first, number=10)
    again = [one for one in found if one["text"] == target]
    assert [one["score"] for one in again] == [pytest.approx(best["score"], abs=1e-3)]
    assert all(one["replacement"] == first for one in found)


def test_terms_that_are_to_come_are_met(client: httpx.Client, target: str) -> None:
    terms = [{"source": "street", "targets": ["Gasse"]}]
    found = ask(client, target=target, span=word_at(target, 0), glossary=terms, number=2)
    assert found
    assert all("Gasse" in one["text"] and one["terms"][0]["met"] for one in found)


def test_a_replacement_is_not_made_longer(client: httpx.Client, target: str) -> None:
    for one in ask(client, target=target, span=word_at(target, 0), replacement="Villa", number=5):
        assert one["text"].startswith("Villa")
        assert not one["text"][5:6].isalnum()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"target": "Das Haus", "span": [3, 99]}, "outside of the target"),
        ({"target": "Das Haus", "span": [5, 3]}, "outside of the target"),
        ({"target": "Das Haus", "span": [0, 3], "source": "a house\na dog"}, "one at a time"),
    ],
)
def test_what_cannot_be_asked_is_refused(client: httpx.Client, body: dict[str, Any], message: str) -> None:
    found = client.post("/v1/alternatives", json={"source": SOURCE, **PAIR, **body})
    assert found.status_code == 400
    assert message in found.json()["message"]


def test_a_source_without_words_has_no_alternatives(client: httpx.Client) -> None:
    assert ask(client, source="", target="", span=[0, 0]) == []
