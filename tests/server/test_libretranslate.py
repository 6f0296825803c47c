"""LibreTranslate's clients: libretranslatepy, its own page, and OmegaT's plug-in."""

import httpx
import pytest
from libretranslatepy import LibreTranslateAPI

from tests.server.small_server import LiveServer

ASKED = {"q": "das Haus ist groß", "source": "de", "target": "en"}
GERMAN = "Das ist der kleine Hund und das große Haus."


def own(client: httpx.Client, text: str) -> str:
    asked = {"text": text, "source_language": "de", "target_language": "en"}
    return client.post("/v1/translate", json=asked).json()["translations"][0]["text"]  # type: ignore[no-any-return]


def as_form(fields: dict[str, str]) -> dict[str, tuple[None, str]]:
    """As a page's FormData is sent: multipart."""
    return {name: (None, value) for name, value in fields.items()}


def test_translate(client: httpx.Client) -> None:
    expected = {"translatedText": own(client, ASKED["q"])}
    assert client.post("/translate", json=ASKED).json() == expected
    assert client.post("/translate", data=ASKED).json() == expected
    assert client.post("/translate", params=ASKED).json() == expected
    assert client.post("/translate", files=as_form(ASKED)).json() == expected
    several = client.post(
        "/translate", json={**ASKED, "q": [ASKED["q"], "der Hund"], "alternatives": 2}
    ).json()
    assert several["translatedText"] == [expected["translatedText"], own(client, "der Hund")]
    assert [len(others) for others in several["alternatives"]] == [2, 2]


def test_the_official_client(server: LiveServer, client: httpx.Client) -> None:
    api = LibreTranslateAPI(server.url, api_key="any")
    assert api.translate(ASKED["q"], "de", "en") == own(client, ASKED["q"])
    assert api.detect("Ceci est un petit chien et une grande maison.")[0]["language"] == "fr"
    assert [one["code"] for one in api.languages()] == ["de", "en"]


def test_the_calls_of_its_page(client: httpx.Client) -> None:
    settings = client.get("/frontend/settings").json()
    assert (settings["keyRequired"], settings["suggestions"], settings["filesTranslation"]) == (
        False,
        True,
        True,
    )
    assert {".txt", ".docx", ".html", ".srt", ".xlf"} <= set(settings["supportedFilesFormat"])
    assert settings["language"]["source"] == {"code": "de", "name": "German"}
    form = {**ASKED, "source": "auto", "q": GERMAN, "format": "html", "alternatives": "3", "api_key": ""}
    found = client.post("/translate", files=as_form(form)).json()
    assert found["detectedLanguage"]["language"] == "de"
    assert client.get("/spec").json()["openapi"]


def test_files(client: httpx.Client) -> None:
    files = {"file": ("haus.html", "<p>das Haus</p>")}
    found = client.post("/translate_file", files=files, data={"source": "de", "target": "en"})
    assert found.status_code == 200, found.text
    url = found.json()["translatedFileUrl"]
    assert url.endswith(".haus.html")
    fetched = client.get(url)
    assert fetched.text == f"<p>{own(client, 'das Haus')}</p>"
    identifier, _, rest = url.rpartition("/")[2].partition(".")
    assert client.get(f"/download_file/{identifier}.wrong.haus.html").status_code == 404
    assert client.get(f"/download_file/{rest}").status_code == 404
    bad = client.post(
        "/translate_file", files={"file": ("a.pdf", "x")}, data={"source": "de", "target": "en"}
    )
    assert bad.status_code == 400
    assert "format" in bad.json()["error"]
    broken = client.post(
        "/translate_file", files={"file": ("a.docx", "x")}, data={"source": "de", "target": "en"}
    )
    assert broken.status_code == 400


def test_suggestions(client: httpx.Client) -> None:
    asked = {"q": "das Haus", "s": "the mansion", "source": "de", "target": "en"}
    assert client.post("/suggest", files=as_form(asked)).json() == {"success": True}
    (found,) = [one for one in client.get("/v1/suggestions").json() if one["target"] == "the mansion"]
    assert (found["source"], found["source_language"]) == ("das Haus", "de")
    assert client.post("/suggest", json={**asked, "s": ""}).status_code == 400
    assert client.delete(f"/v1/suggestions/{found['id']}").status_code == 204
    assert client.delete(f"/v1/suggestions/{found['id']}").status_code == 404


def test_the_language_is_guessed(client: httpx.Client) -> None:
    found = client.post("/translate", json={"q": GERMAN, "source": "auto", "target": "en"}).json()
    assert found["detectedLanguage"]["language"] == "de"
    assert found["detectedLanguage"]["confidence"] > 50
    english = "This is the small dog and the big house."
    same = client.post("/translate", json={"q": english, "source": "auto", "target": "en"}).json()
    assert (same["translatedText"], same["detectedLanguage"]["language"]) == (english, "en")
    detected = client.post("/detect", data={"q": english}).json()
    assert detected[0]["language"] == "en"
    assert [one["confidence"] for one in detected] == sorted(
        (one["confidence"] for one in detected), reverse=True
    )


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
