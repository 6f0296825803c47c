"""Every option of DeepL's texts is honoured or refused, however it is sent."""

import re
import time
from typing import Any

import httpx
import pytest

from lexalign.server.compatibility.deepl_translation import DeepLBody

BASE = {"source_lang": "DE", "target_lang": "EN-US"}
_MULTIPART = "multipart/form-data; boundary=x"
SENT = ("json", "data", "multipart", "params")


def send(client: httpx.Client, way: str, path: str = "/v2/translate", **fields: Any) -> httpx.Response:
    asked = {**BASE, **fields}
    if way == "multipart":
        return client.post(path, files={name: (None, str(value)) for name, value in asked.items()})
    given: dict[str, Any] = {way: asked}
    return client.post(path, **given)


def text_of(found: httpx.Response) -> str:
    assert found.status_code == 200, found.text
    return str(found.json()["translations"][0]["text"])


@pytest.mark.parametrize("way", SENT)
def test_every_way_to_send(client: httpx.Client, way: str) -> None:
    assert text_of(send(client, way, text="das Haus")) == text_of(send(client, "json", text="das Haus"))


def test_forms_with_several_texts(client: httpx.Client) -> None:
    several = client.post("/v2/translate", data={**BASE, "text": ["das Haus", "der Hund"]})
    assert len(several.json()["translations"]) == 2


@pytest.mark.parametrize("way", ["json", "data"])
def test_ignored_tags_keep_their_content(client: httpx.Client, way: str) -> None:
    text = "<p>das <x>Haus</x> ist groß</p>"
    asked: dict[str, Any] = {"text": text, "tag_handling": "xml"}
    kept = text_of(send(client, way, **asked, ignore_tags="x,y"))
    assert "<x>Haus</x>" in kept
    assert "groß" not in kept  # what is beside it is translated
    assert text_of(send(client, way, **asked)).count("<x>") == 1


def test_splitting_tags_split(client: httpx.Client) -> None:
    """A tag that splits has its content translated alone; one that does not, with what is around it."""
    alone = text_of(send(client, "json", text="das Haus"))
    asked: dict[str, Any] = {"text": "<a><c>das Haus</c><c>der Hund</c></a>", "tag_handling": "xml"}
    split = text_of(send(client, "json", **asked, splitting_tags=["c"], outline_detection=False))
    assert f"<c>{alone}</c>" in split
    together = text_of(send(client, "json", **asked, non_splitting_tags=["c"]))
    assert together != split
    undetected = text_of(send(client, "json", **asked, outline_detection="0"))
    assert undetected == together
    assert text_of(send(client, "json", **asked)) == split  # detected by its structure


@pytest.mark.parametrize("name", ["ignore_tags", "splitting_tags", "non_splitting_tags", "outline_detection"])
def test_tag_options_without_tags_are_refused(client: httpx.Client, name: str) -> None:
    for handling in ({}, {"tag_handling": "html"}):
        value = "0" if name == "outline_detection" else "x"
        found = send(client, "data", text="das Haus", **{name: value}, **handling)
        assert found.status_code == 400
        assert f"{name}: only with tag_handling=xml" in found.json()["message"]


def test_split_sentences(client: httpx.Client) -> None:
    text = "das Haus\nist groß"
    joined = text_of(send(client, "json", text="das Haus ist groß"))
    assert text_of(send(client, "json", text=text, split_sentences="nonewlines")) == joined
    lines = [text_of(send(client, "json", text=line)) for line in text.split("\n")]
    for value in ("1", "0", 1, 0, True, False):
        assert text_of(send(client, "json", text=text, split_sentences=value)) == "\n".join(lines)


def test_billed_characters_and_model_type(client: httpx.Client) -> None:
    (plain,) = send(client, "json", text="das Haus").json()["translations"]
    assert set(plain) == {"detected_source_language", "text"}
    more = {"show_billed_characters": "1", "model_type": "prefer_quality_optimized"}
    (told,) = send(client, "data", text="das Haus", **more).json()["translations"]
    assert told == {**plain, "billed_characters": 8, "model_type_used": "quality_optimized"}
    (quick,) = send(client, "json", text="das Haus", model_type="latency_optimized").json()["translations"]
    assert quick["model_type_used"] == "latency_optimized"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"formality": "less"}, "formality"),
        ({"style_id": "x"}, "style rules"),
        ({"custom_instructions": ["be brief"]}, "custom instructions"),
        ({"translation_memory_id": "x"}, "translation memories"),
        ({"glossary_id": "a", "glossary_ids": ["b"]}, "not both"),
    ],
)
def test_what_cannot_be_done_is_refused(client: httpx.Client, option: dict[str, Any], message: str) -> None:
    found = send(client, "json", text="das Haus", **option)
    assert found.status_code == 400
    assert message in found.json()["message"]


@pytest.mark.parametrize(
    "option",
    [{"context": "Es geht um Gebäude."}, {"preserve_formatting": "1"}, {"formality": "prefer_more"},
     {"tag_handling_version": "v2"}, {"source_lang": ""}, {"glossary_id": ""}],
)  # fmt: skip
def test_what_makes_no_difference_is_taken(client: httpx.Client, option: dict[str, Any]) -> None:
    text = "das ist der kleine Hund und das große Haus"
    assert text_of(send(client, "data", text=text, **option)) == text_of(send(client, "data", text=text))


def test_each_text_has_its_language(client: httpx.Client) -> None:
    texts = [
        "Das ist der kleine Hund und das große Haus.",
        "This text is written in English, and needs no translation at all.",
    ]
    found = client.post("/v2/translate", json={"text": texts, "target_lang": "EN-US"}).json()["translations"]
    assert [one["detected_source_language"] for one in found] == ["DE", "EN"]
    assert found[1]["text"] == texts[1]
    (alone,) = client.post("/v2/translate", data={"text": texts[1], "target_lang": "EN-US"}).json()[
        "translations"
    ]
    assert (alone["text"], alone["detected_source_language"]) == (texts[1], "EN")


def test_several_glossaries(client: httpx.Client) -> None:
    def glossary(*terms: tuple[str, str]) -> str:
        entries = "\n".join("\t".join(term) for term in terms)
        asked = {"name": "g", "source_lang": "de", "target_lang": "en", "entries": entries}
        made = client.post("/v2/glossaries", data={**asked, "entries_format": "tsv"})
        assert made.status_code == 201, made.text
        return str(made.json()["glossary_id"])

    first, second = glossary(("Hund", "München")), glossary(("Hund", "lange"), ("Haus", "Straße"))
    for way, value in (("json", [first, second]), ("data", f"{first},{second}")):
        text = text_of(send(client, way, text="der Hund und das Haus", glossary_ids=value))
        assert re.search("München", text)
        assert re.search("Straße", text)
    assert "lange" in text_of(send(client, "json", text="der Hund", glossary_ids=[second, first]))


def test_languages_of_version_3(client: httpx.Client) -> None:
    found = {one["lang"]: one for one in client.get("/v3/languages?resource=translate_text").json()}
    assert set(found) == {"de", "en", "en-GB", "en-US"}
    assert (found["en"]["usable_as_source"], found["en"]["usable_as_target"]) == (True, False)
    assert (found["en-GB"]["usable_as_source"], found["en-GB"]["usable_as_target"]) == (False, True)
    assert set(found["de"]["features"]) == {"auto_detection", "glossary", "tag_handling"}
    assert client.get("/v3/languages?resource=voice").json() == []
    assert client.get("/v3/languages").status_code == 400
    names = [one["name"] for one in client.get("/v3/languages/resources").json()]
    assert names == ["translate_text", "translate_document", "glossary"]
    glossaries = client.get("/v3/languages?resource=glossary").json()
    assert [one["lang"] for one in glossaries] == ["de", "en"]


def test_an_emptied_glossary_in_version_2(client: httpx.Client) -> None:
    asked = {
        "name": "g",
        "source_lang": "de",
        "target_lang": "en",
        "entries": "a\tb",
        "entries_format": "tsv",
    }
    identifier = client.post("/v2/glossaries", json=asked).json()["glossary_id"]
    path = f"/v3/glossaries/{identifier}"
    assert client.delete(f"{path}/dictionaries?source_lang=de&target_lang=en").status_code == 204
    assert client.get(path).json()["dictionaries"] == []
    assert client.get(f"/v2/glossaries/{identifier}").status_code == 404
    assert identifier not in client.get("/v2/glossaries").text
    assert client.get(f"/v2/glossaries/{identifier}/entries").text == ""


def test_a_glossary_edited_by_forms(client: httpx.Client) -> None:
    pair = {"source_lang": "de", "target_lang": "en", "entries_format": "tsv"}
    body = {"name": "g", **{f"dictionaries[0].{name}": value for name, value in pair.items()}}
    made = client.post("/v3/glossaries", data={**body, "dictionaries[0].entries": "a\tb"})
    assert made.status_code == 201, made.text
    path = f"/v3/glossaries/{made.json()['glossary_id']}"
    added = {f"dictionaries[0].{name}": (None, value) for name, value in pair.items()}
    changed = client.patch(path, files={**added, "dictionaries[0].entries": (None, "c\td")})
    assert changed.json()["dictionaries"][0]["entry_count"] == 2
    replaced = client.put(f"{path}/dictionaries", data={**pair, "entries": "e\tf"})
    assert replaced.json()["entry_count"] == 1
    assert client.patch(path, data={"name": "new"}).json()["name"] == "new"


def test_pages_of_other_sites_cannot_send_forms(client: httpx.Client) -> None:
    asked = {
        "name": "g",
        "source_lang": "de",
        "target_lang": "en",
        "entries": "a\tb",
        "entries_format": "tsv",
    }
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://example.com"}
    assert client.post("/v2/glossaries", data=asked, headers=headers).status_code == 403
    assert client.post("/v2/glossaries", data=asked, headers={"Sec-Fetch-Site": "same-origin"}).is_success


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"--x\r\n", _MULTIPART),
        (b"text=\xff", "application/x-www-form-urlencoded"),
        (b"", "multipart/form-data"),
        (b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--x--', _MULTIPART),
        (b"&".join(b"a%d=1" % number for number in range(5_000)), "application/x-www-form-urlencoded"),
    ],
)  # fmt: skip
def test_broken_forms_are_refused(client: httpx.Client, content: bytes, kind: str) -> None:
    found = client.post("/v2/translate", content=content, headers={"Content-Type": kind})
    assert found.status_code == 400, found.text
    assert "\n" not in found.json()["message"]


def test_line_ends_among_many_spaces() -> None:
    """A search that begins at each space anew would take minutes, in which the server answers nobody."""
    for text in (" " * 199_999 + "x", " \n" * 100_000, "\t " * 100_000):
        started = time.process_time()
        body = without_newlines(text)
        assert len(body.texts[0]) <= len(text)
        assert time.process_time() - started < 5
    assert without_newlines("a  \n\n b\tc").texts == ["a b\tc"]


def without_newlines(text: str) -> DeepLBody:
    asked = {"text": text, "target_lang": "EN", "split_sentences": "nonewlines"}
    return DeepLBody.model_validate(asked)
