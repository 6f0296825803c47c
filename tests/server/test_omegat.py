"""OmegaT's connectors: the requests that their sources send, sent again.

The bundled DeepL connector asks version 1 by GET, the newer plug-in version 2 by a form; the LibreTranslate
plug-in sends JSON. OmegaT's own tags are like <f0>...</f0> and <x1/>.
"""

import re

import httpx

SEGMENT = "<f0>das Haus</f0> ist <x1/> groß"


def test_the_bundled_deepl_connector(client: httpx.Client) -> None:
    asked = {
        "auth_key": "any",
        "preserve_formatting": "1",
        "source_lang": "DE",
        "split_sentences": "1",
        "tag_handling": "xml",
        "target_lang": "EN",
        "text": SEGMENT,
    }
    found = client.get("/v1/translate", params=asked)
    assert found.status_code == 200, found.text
    text = found.json()["translations"][0]["text"]
    assert sorted(re.findall("<.*?>", text)) == ["</f0>", "<f0>", "<x1/>"]
    assert text == client.get("/v2/translate", params=asked).json()["translations"][0]["text"]


def test_the_deepl_plug_in(client: httpx.Client) -> None:
    headers = {"Authorization": "DeepL-Auth-Key any"}
    asked = {"text": "das Haus ist groß", "target_lang": "EN-US", "source_lang": "DE", "split_sentences": "0"}
    found = client.post("/v2/translate", data=asked, headers=headers)
    # It looks for the first "text" in the response by a regular expression.
    assert re.search(r'"text"\s*:\s*"((?:\\.|[^\\"])*)"', found.text)


def test_the_libretranslate_plug_in(client: httpx.Client) -> None:
    asked = {"q": "das Haus ist groß", "source": "de", "target": "en", "format": "text"}
    found = client.post("/translate", json=asked)
    assert isinstance(found.json()["translatedText"], str)
