"""Several glossaries in a request, single terms of a stored one changed, and files stored."""

from typing import Any

import httpx

TEXT = "der Hund läuft über die Straße"
PAIR = {"source_language": "de", "target_language": "en"}


def store(client: httpx.Client, **terms: str) -> str:
    entries = [{"source": source, "targets": [target]} for source, target in terms.items()]
    made = client.post("/v1/glossaries", json={"name": "words", "terms": entries})
    return str(made.json()["id"])


def asked_for(client: httpx.Client, **body: Any) -> dict[str, list[str]]:
    found = client.post("/v1/translate", json={"text": TEXT, "target_forms": "listed", **PAIR, **body})
    assert found.status_code == 200, found.text
    (translation,) = found.json()["translations"]
    return {TEXT[slice(*term["source"])]: term["targets"] for term in translation["terms"]}


def test_terms_of_the_request_come_first_then_each_glossary(client: httpx.Client) -> None:
    one, two = store(client, Hund="München", Straße="groß"), store(client, Hund="Haus", läuft="ist")
    assert asked_for(client, glossary_ids=[one, two]) == {
        "Hund": ["München"],
        "läuft": ["ist"],
        "Straße": ["groß"],
    }
    own = [{"source": "Hund", "targets": ["lange"]}]
    found = asked_for(client, glossary=own, glossary_id=two, glossary_ids=[one])
    assert found == {"Hund": ["lange"], "läuft": ["ist"], "Straße": ["groß"]}
    unknown = client.post("/v1/translate", json={"text": TEXT, "glossary_ids": ["none"], **PAIR})
    assert unknown.status_code == 404


def test_single_terms_are_changed(client: httpx.Client) -> None:
    identifier = store(client, Hund="München", Straße="groß")
    path = f"/v1/glossaries/{identifier}"
    changes = {
        "remove": [{"source": "Hund", "targets": ["München"]}],
        "add": [{"source": "Hund", "targets": ["Haus"]}],
        "name": "others",
    }
    changed = client.patch(path, json=changes).json()
    assert (changed["name"], changed["version"], changed["terms"]) == ("others", 2, 2)
    assert asked_for(client, glossary_id=identifier) == {"Hund": ["Haus"], "Straße": ["groß"]}
    gone = client.patch(path, json=changes)
    assert gone.status_code == 400
    assert "not in the glossary" in gone.json()["message"]
    contradiction = {"add": [{"source": "Hund", "targets": ["Haus"], "policy": "avoid"}]}
    assert "contradicts itself" in client.patch(path, json=contradiction).json()["message"]
    assert client.patch(path, json={"name": "x"}, headers={"If-Match": '"1"'}).status_code == 412
    assert client.get(path).json()["version"] == 2


def test_a_file_is_stored(client: httpx.Client) -> None:
    query = {"format": "tsv", "name": "file", **PAIR}
    content = "source\ttarget\nHund\tMünchen\n".encode()
    stored = client.post("/v1/glossaries/import", params=query, content=content)
    assert stored.status_code == 201
    assert stored.json()["directions"] == [{**PAIR, "terms": 1}]
    assert asked_for(client, glossary_id=stored.json()["id"]) == {"Hund": ["München"]}
    empty = client.post("/v1/glossaries/import", params=query, content=b"source\ttarget\n")
    assert empty.status_code == 400


def test_tokens_of_an_alignment_cover_the_words(client: httpx.Client) -> None:
    pair = {"source": "das Haus, groß", "target": "die Straße, lange"}
    body = {"pairs": [pair], "subwords": True, **PAIR}
    (found,) = client.post("/v1/align", json=body).json()["pairs"]
    tokens = found["subwords"]
    for side in ("source", "target"):
        covered = {place for start, end in tokens[side] for place in range(start, end)}
        assert all(place in covered for place, letter in enumerate(pair[side]) if letter.strip())
    assert len(tokens["matrix"]) == len(tokens["target"])
    assert all(len(row) == len(tokens["source"]) and sum(row) <= 1.001 for row in tokens["matrix"])
