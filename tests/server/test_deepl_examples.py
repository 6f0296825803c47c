"""What users of DeepL's official client for Python do: the uses that its documentation shows."""

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


def test_documents(client: deepl.DeepLClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The client looks every five seconds.
    soon = SimpleNamespace(sleep=lambda _: time.sleep(0.05), time=time.time)
    monkeypatch.setattr(deepl.translator, "time", soon)
    source, target = tmp_path / "haus.srt", tmp_path / "house.srt"
    source.write_text("1\n00:00:01,000 --> 00:00:02,000\ndas Haus\n", encoding="utf-8")
    status = client.translate_document_from_filepath(
        source, target, source_lang="DE", target_lang="EN-US", formality="prefer_less"
    )
    assert status.done
    assert "00:00:01,000 --> 00:00:02,000" in target.read_text(encoding="utf-8")
    with pytest.raises(deepl.DeepLException, match="output_format"):
        client.translate_document_from_filepath(source, tmp_path / "house.pdf", target_lang="EN-US")


def test_its_command_line(server: LiveServer) -> None:
    command = [sys.executable, "-m", "deepl", "--auth-key", "any", "--server-url", server.url]
    text = [*command, "text", "--from", "DE", "--to", "EN-US", "--show-detected-source", "das Haus"]
    done = subprocess.run(text, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "DE" in done.stdout
