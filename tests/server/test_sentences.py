"""Texts split as they are translated, with the language that they seem to be in."""

import httpx
import pytest

TEXT = "Das Haus ist groß, sagte Dr. Müller am 3. Mai. Es ist alt.\n\n🏠 Ja!"
PAIR = {"source_language": "de", "target_language": "en"}


def test_sentences_are_those_that_are_translated(client: httpx.Client) -> None:
    found = client.post("/v1/sentences", json={"text": TEXT, **PAIR}).json()
    parts = [TEXT[slice(*span)] for span in found["sentences"]]
    assert parts == ["Das Haus ist groß, sagte Dr. Müller am 3. Mai.", "Es ist alt.", "🏠 Ja!"]
    whole = client.post("/v1/translate", json={"text": TEXT, **PAIR}).json()["translations"][0]
    assert [list(one["source"]) for one in whole["sentences"]] == found["sentences"]
    assert (found["source_language"], found["target_language"]) == ("de", "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The house is big and the dog is small.", "en"),
        ("La maison est grande et le chien est petit.", "fr"),
        ("42", None),
    ],
)
def test_the_language_is_detected_whatever_is_translated(
    client: httpx.Client, text: str, language: str | None
) -> None:
    detected = client.post("/v1/sentences", json={"text": text, **PAIR}).json()["detected"]
    assert (detected and detected["language"]) == language


def test_a_pair_without_a_model_is_refused(client: httpx.Client) -> None:
    refused = client.post("/v1/sentences", json={"text": "Ja", "source_language": "fr"})
    assert refused.status_code == 400
    assert "no model" in refused.json()["message"]
