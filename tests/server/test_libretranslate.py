"""LibreTranslate's clients send JSON or forms."""

import httpx
import pytest

ASKED = {"q": "das Haus ist groß", "source": "de", "target": "en"}


def own(client: httpx.Client, text: str) -> str:
    asked = {"text": text, "source_language": "de", "target_language": "en"}
    return client.post("/v1/translate", json=asked).json()["translations"][0]["text"]  # type: ignore[no-any-return]


def test_translate(client: httpx.Client) -> None:
    expected = own(client, ASKED["q"])
    for found in (client.post("/translate", json=ASKED), client.post("/translate", data=ASKED)):
        assert found.json() == {"translatedText": expected}
    several = client.post(
        "/translate", json={**ASKED, "q": [ASKED["q"], "der Hund"], "alternatives": 2}
    ).json()
    assert several["translatedText"] == [expected, own(client, "der Hund")]
    assert [len(others) for others in several["alternatives"]] == [2, 2]


def test_the_language_is_guessed(client: httpx.Client) -> None:
    text = "Das ist der kleine Hund und das große Haus."
    found = client.post("/translate", json={"q": text, "source": "auto", "target": "en"}).json()
    assert found["detectedLanguage"]["language"] == "de"
    assert found["detectedLanguage"]["confidence"] > 50
    (detected,) = client.post("/detect", data={"q": "This is the small dog and the big house."}).json()
    assert detected["language"] == "en"


def test_languages(client: httpx.Client) -> None:
    assert client.get("/languages").json() == [
        {"code": "de", "name": "German", "targets": ["en"]},
        {"code": "en", "name": "English", "targets": ["de"]},
    ]


@pytest.mark.parametrize(
    ("more", "message"),
    [({"target": "fr"}, "no model"), ({"q": "a\0b"}, "NUL")],
)
def test_errors(client: httpx.Client, more: dict[str, str], message: str) -> None:
    found = client.post("/translate", json={**ASKED, **more})
    assert found.status_code == 400
    assert message in found.json()["error"]
