"""The official DeepL client, pointed at the server."""

import re
from collections.abc import Iterator

import deepl
import httpx
import pytest
from deepl.api_data import MultilingualGlossaryDictionaryEntries

from tests.server.small_server import LiveServer

TEXT = "der kleine Hund läuft über die lange Straße"


@pytest.fixture(scope="module")
def translator(server: LiveServer) -> Iterator[deepl.DeepLClient]:
    found = deepl.DeepLClient("any", server_url=server.url)
    yield found
    found.close()  # type: ignore[no-untyped-call]


def own(client: httpx.Client, text: str, **more: object) -> str:
    asked = {"text": text, "source_language": "de", "target_language": "en", **more}
    return client.post("/v1/translate", json=asked).json()["translations"][0]["text"]  # type: ignore[no-any-return]


def test_text(translator: deepl.DeepLClient, client: httpx.Client) -> None:
    found = translator.translate_text(TEXT, source_lang="DE", target_lang="EN-US")
    assert isinstance(found, deepl.TextResult)
    assert found.text == own(client, TEXT)
    assert found.detected_source_lang == "DE"
    assert found.billed_characters == len(TEXT)
    several = translator.translate_text([TEXT, "", "das Haus"], source_lang="DE", target_lang="EN-GB")
    assert isinstance(several, list)
    assert [one.text for one in several] == [own(client, TEXT), "", own(client, "das Haus")]


def test_the_language_is_guessed(translator: deepl.DeepLClient) -> None:
    found = translator.translate_text("Das ist der kleine Hund und das große Haus.", target_lang="EN-US")
    assert found.detected_source_lang == "DE"  # type: ignore[union-attr]


def test_languages_and_usage(translator: deepl.DeepLClient) -> None:
    assert [(one.code, one.name) for one in translator.get_source_languages()] == [
        ("DE", "German"),
        ("EN", "English"),
    ]
    assert [one.code for one in translator.get_target_languages()] == ["DE", "EN-GB", "EN-US"]
    pairs = translator.get_glossary_languages()
    assert {(pair.source_lang, pair.target_lang) for pair in pairs} == {("de", "en"), ("en", "de")}
    before = translator.get_usage().character.count
    translator.translate_text("das Haus", target_lang="EN-US", source_lang="DE")
    assert translator.get_usage().character.count == (before or 0) + 8


def test_glossaries(translator: deepl.DeepLClient, client: httpx.Client) -> None:
    made = translator.create_glossary("Tiere", "DE", "EN", {"Hund": "München", "Straße": "Haus|x"})
    assert (made.name, made.ready, made.entry_count) == ("Tiere", True, 2)
    assert made.glossary_id in [one.glossary_id for one in translator.list_glossaries()]
    assert translator.get_glossary(made.glossary_id).creation_time == made.creation_time
    assert translator.get_glossary_entries(made) == {"Hund": "München", "Straße": "Haus|x"}
    found = translator.translate_text("der Hund läuft", source_lang="DE", target_lang="EN-US", glossary=made)
    terms = [{"source": "Hund", "targets": ["München"]}]
    assert found.text == own(client, "der Hund läuft", glossary=terms)  # type: ignore[union-attr]
    assert "München" in found.text  # type: ignore[union-attr]
    translator.delete_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        translator.get_glossary(made.glossary_id)


def test_glossaries_from_csv(translator: deepl.DeepLClient) -> None:
    content = 'Haus,"house, big",de,en\nHund,dog,de,en\n'
    made = translator.create_glossary_from_csv("CSV", "DE", "EN", content)
    assert translator.get_glossary_entries(made) == {"Haus": "house, big", "Hund": "dog"}
    with pytest.raises(deepl.DeepLException, match="twice"):
        translator.create_glossary_from_csv("CSV", "DE", "EN", "Haus,house\nHaus,home\n")


def test_multilingual_glossaries(translator: deepl.DeepLClient) -> None:
    german = MultilingualGlossaryDictionaryEntries("DE", "EN", {"Hund": "dog"})
    english = MultilingualGlossaryDictionaryEntries("EN", "DE", {"dog": "Hund", "house": "Haus"})
    made = translator.create_multilingual_glossary("Tiere", [german, english])
    sizes = {(one.source_lang, one.target_lang): one.entry_count for one in made.dictionaries}
    assert sizes == {("DE", "EN"): 1, ("EN", "DE"): 2}
    more = MultilingualGlossaryDictionaryEntries("DE", "EN", {"Hund": "hound", "Haus": "house"})
    translator.update_multilingual_glossary_dictionary(made, more)
    found = translator.get_multilingual_glossary_entries(made, "DE", "EN").dictionaries[0]
    assert str(found.entries) == "Hund\thound\nHaus\thouse"
    translator.replace_multilingual_glossary_dictionary(made, german)
    assert translator.update_multilingual_glossary_name(made, "Neu").name == "Neu"
    translator.delete_multilingual_glossary_dictionary(made, source_lang="EN", target_lang="DE")
    left = translator.get_multilingual_glossary(made.glossary_id)
    assert [(one.source_lang, one.entry_count) for one in left.dictionaries] == [("DE", 1)]
    assert made.glossary_id in [one.glossary_id for one in translator.list_multilingual_glossaries()]
    found_text = translator.translate_text("der Hund", source_lang="DE", target_lang="EN-US", glossary=made)
    assert "dog" in found_text.text  # type: ignore[union-attr]
    translator.delete_multilingual_glossary(made)
    with pytest.raises(deepl.GlossaryNotFoundException):
        translator.get_multilingual_glossary(made.glossary_id)


@pytest.mark.parametrize("tags", ["html", "xml"])
def test_tags_are_kept(translator: deepl.DeepLClient, tags: str) -> None:
    plain = translator.translate_text("das Haus", source_lang="DE", target_lang="EN-US").text  # type: ignore[union-attr]
    found = translator.translate_text(
        "<p>das <b>Haus</b></p>", source_lang="DE", target_lang="EN-US", tag_handling=tags
    ).text  # type: ignore[union-attr]
    assert sorted(re.findall("<.*?>", found)) == ["</b>", "</p>", "<b>", "<p>"]
    assert re.sub("<.*?>", "", found) == plain


def test_what_cannot_be_done_is_refused(translator: deepl.DeepLClient) -> None:
    with pytest.raises(deepl.DeepLException, match="no model from DE to FR"):
        translator.translate_text("Haus", source_lang="DE", target_lang="FR")
    with pytest.raises(deepl.DeepLException, match="formality"):
        translator.translate_text("Haus", source_lang="DE", target_lang="EN-US", formality="more")
    with pytest.raises(deepl.DeepLException, match="mismatched tag"):
        translator.translate_text("<b>Haus", source_lang="DE", target_lang="EN-US", tag_handling="xml")
