"""What users of DeepL's official client for Python do: the uses that its documentation shows."""

import io
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import deepl
import deepl.translator
import pytest
from deepl.api_data import ModelType, MultilingualGlossaryDictionaryEntries

from tests.server.small_server import LiveServer


@pytest.fixture(scope="module")
def client(server: LiveServer) -> Iterator[deepl.DeepLClient]:
    found = deepl.DeepLClient("any", server_url=server.url)
    yield found
    found.close()  # type: ignore[no-untyped-call]


def test_texts(client: deepl.DeepLClient) -> None:
    single = client.translate_text("das Haus", source_lang="DE", target_lang="EN-GB")
    assert isinstance(single, deepl.TextResult)
    assert str(single) == single.text
    several = client.translate_text(
        ["das Haus", "der Hund"],
        source_lang="DE",
        target_lang="EN-US",
        formality=deepl.Formality.PREFER_MORE,
        preserve_formatting=True,
        split_sentences=deepl.SplitSentences.NO_NEWLINES,
        context="Es geht um Häuser.",
        model_type=ModelType.LATENCY_OPTIMIZED,
    )
    assert isinstance(several, list)
    assert [one.detected_source_lang for one in several] == ["DE", "DE"]
    assert several[0].model_type_used == "latency_optimized"


def test_tags(client: deepl.DeepLClient) -> None:
    found = client.translate_text(
        "<document><title>das Haus</title><par><f>X</f> der Hund</par></document>",
        source_lang="DE",
        target_lang="EN-US",
        tag_handling="xml",
        outline_detection=False,
        non_splitting_tags=["f"],
        splitting_tags=["title", "par"],
        ignore_tags=["f"],
    )
    assert isinstance(found, deepl.TextResult)
    assert "<f>X</f>" in found.text
    assert found.text.count("<title>") == found.text.count("</par>") == 1


def test_glossaries(client: deepl.DeepLClient) -> None:
    made = client.create_glossary("Mine", source_lang="DE", target_lang="EN", entries={"Hund": "München"})
    assert client.get_glossary(made.glossary_id).name == "Mine"
    several = client.create_multilingual_glossary(
        "Both",
        [MultilingualGlossaryDictionaryEntries("de", "en", {"Haus": "Straße"})],
    )
    found = client.translate_text(
        "der Hund und das Haus",
        source_lang="DE",
        target_lang="EN-US",
        glossary_ids=[made, several.glossary_id],
    )
    assert isinstance(found, deepl.TextResult)
    assert "München" in found.text
    assert "Straße" in found.text
    with_one = client.translate_text_with_glossary("der Hund", made, target_lang="EN-US")
    assert isinstance(with_one, deepl.TextResult)
    assert "München" in with_one.text


def test_languages_and_usage(client: deepl.DeepLClient) -> None:
    assert [str(one) for one in client.get_source_languages()] == ["DE", "EN"]
    assert not any(one.supports_formality for one in client.get_target_languages())
    usage = client.get_usage()
    assert not usage.any_limit_reached
    assert usage.character.valid


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client looks after its documents every five seconds."""
    soon = SimpleNamespace(sleep=lambda _: time.sleep(0.05), time=time.time)
    monkeypatch.setattr(deepl.translator, "time", soon)


@pytest.mark.usefixtures("impatient")
def test_documents(client: deepl.DeepLClient, tmp_path: Path) -> None:
    source, target = tmp_path / "haus.srt", tmp_path / "house.srt"
    source.write_text("1\n00:00:01,000 --> 00:00:02,000\ndas Haus\n", encoding="utf-8")
    status = client.translate_document_from_filepath(
        source, target, source_lang="DE", target_lang="EN-US", formality="prefer_less"
    )
    assert status.done
    assert "00:00:01,000 --> 00:00:02,000" in target.read_text(encoding="utf-8")
    with pytest.raises(deepl.DeepLException, match="output_format"):
        client.translate_document_from_filepath(source, tmp_path / "house.pdf", target_lang="EN-US")


@pytest.mark.usefixtures("impatient")
def test_documents_as_open_files(client: deepl.DeepLClient, tmp_path: Path) -> None:
    (tmp_path / "haus.html").write_text("<p>das Haus</p>", encoding="utf-8")
    with (tmp_path / "haus.html").open("rb") as source, (tmp_path / "house.html").open("wb") as target:
        client.translate_document(source, target, source_lang="DE", target_lang="EN-US")
    assert (tmp_path / "house.html").read_text(encoding="utf-8").startswith("<p>")
    with pytest.raises(deepl.DocumentTranslationException, match="Office document") as error:
        client.translate_document(b"x", io.BytesIO(), target_lang="EN-US", filename="a.docx")
    assert error.value.document_handle is not None


@pytest.mark.usefixtures("impatient")
def test_documents_step_by_step(client: deepl.DeepLClient) -> None:
    handle = client.translate_document_upload(
        b"das Haus", source_lang="DE", target_lang="EN-US", filename="haus.txt"
    )
    assert client.translate_document_get_status(handle).ok
    status = client.translate_document_wait_until_done(handle)
    assert (status.done, status.billed_characters) == (True, 8)
    fetched = io.BytesIO()
    client.translate_document_download(handle, fetched)
    assert fetched.getvalue()
    other = deepl.DocumentHandle(handle.document_id, "wrong")
    with pytest.raises(deepl.DeepLException):
        client.translate_document_download(other, io.BytesIO())


def test_dictionaries_from_csv(client: deepl.DeepLClient) -> None:
    made = client.create_multilingual_glossary_from_csv("CSV", "DE", "EN", "Haus,house\n")
    client.update_multilingual_glossary_dictionary_from_csv(made, "DE", "EN", "Hund,dog\n")
    entries = client.get_multilingual_glossary_entries(made, "DE", "EN").dictionaries[0].entries
    assert str(entries) == "Haus\thouse\nHund\tdog"
    client.replace_multilingual_glossary_dictionary_from_csv(made, "DE", "EN", "Straße,street\n")
    entries = client.get_multilingual_glossary_entries(made, "DE", "EN").dictionaries[0].entries
    assert str(entries) == "Straße\tstreet"


def test_what_there_is_not_says_so(client: deepl.DeepLClient) -> None:
    for use, message in (
        (lambda: client.rephrase_text("a house", target_lang="EN-US"), "rephrasing"),
        (client.get_all_style_rules, "style rules"),
        (client.list_translation_memories, "translation memories"),
    ):
        with pytest.raises(deepl.DeepLException, match=message):
            use()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("text", "--from", "DE", "--to", "EN-US", "--show-detected-source", "das Haus"), "DE"),
        (("usage",), "Characters: "),
        (("languages", "--glossary"), "de, en"),
        (("glossary", "create", "--name", "cli", "--from", "DE", "--to", "EN", "Haus=house"), "Created"),
    ],
)
def test_its_command_line(server: LiveServer, arguments: tuple[str, ...], expected: str) -> None:
    command = [sys.executable, "-m", "deepl", "--auth-key", "any", "--server-url", server.url, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
