"""Hostile and damaged documents: one clear line, and never anything else."""

import io
import time
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.markup import (
    Document,
    DocumentOptions,
    FormatName,
    WordForWord,
    read_document,
    translate_document,
)
from lexalign.markup.documents.office import package
from tests.markup.documents.office_documents import WORD
from tests.markup.test_document_folder import DOCUMENTS, opened

_DEEP = 50_000
_BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'


def refusal(content: bytes, format_name: FormatName) -> str:
    options = DocumentOptions(target_language="en", columns=("a",))
    with pytest.raises(LexalignError) as caught:
        translate_document(read_document(content, format_name, options), WordForWord())
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300
    return message


def outcome(read: Callable[[], Document]) -> str:
    """The error of a translation, if there is one."""
    try:
        translate_document(read(), WordForWord())
    except LexalignError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("format_name", "content"),
    [
        ("json", "[" * _DEEP),
        ("json", '{"a":' * _DEEP + "1" + "}" * _DEEP),
        ("yaml", "[" * 5000 + "]" * 5000),
        ("xml", "<a>" * _DEEP + "</a>" * _DEEP),
        ("android", "<resources>" + "<string>" * _DEEP),
        ("fluent", "a = " + "{" * _DEEP),
        ("xcstrings", '{"sourceLanguage": "de", "strings": ' + "[" * _DEEP),
        ("json", '{"a": "' + "{n, plural, other {" * 100 + "x" + "}}" * 100 + '"}'),
    ],
    ids=["list", "object", "yaml", "xml", "android", "fluent", "xcstrings", "icu"],
)
def test_deep_nesting_is_refused(format_name: FormatName, content: str) -> None:
    assert "deep" in refusal(content.encode(), format_name) or "not " in refusal(
        content.encode(), format_name
    )


@pytest.mark.parametrize("format_name", ["xml", "android", "xliff1", "xliff2", "tmx"])
def test_entity_bombs_are_refused(format_name: FormatName) -> None:
    assert "entity" in refusal(f"{_BOMB}<x>&b;</x>".encode(), format_name)


def _package(document: bytes, name: str = "word/document.xml") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(name, document)
    return buffer.getvalue()


def test_zip_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MAX_SIZE", 1 << 20)
    bomb = _package(b" " * (2 << 20))
    assert len(bomb) < 10_000
    assert "malicious" in refusal(bomb, "docx")


def test_a_part_that_is_longer_than_it_says_is_refused() -> None:
    whole = _package(b"<x>" + b" " * 5000 + b"</x>")
    # The size in the central directory is what a reader is told.
    lying = whole.replace((5007).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    assert lying != whole
    assert "word/document.xml" in refusal(lying, "docx")


def test_entity_bombs_inside_of_a_package_are_refused() -> None:
    assert "entity" in refusal(_package(f"{_BOMB}<w:x>&b;</w:x>".encode()), "docx")


def test_a_package_without_a_document_is_refused() -> None:
    assert "word/document.xml" in refusal(_package(b"<x/>", "other.xml"), "docx")
    assert "ppt/presentation.xml" in refusal(WORD["letter"](), "pptx")
    assert "ZIP" in refusal(b"Ein Text, kein Paket.", "docx")


@pytest.mark.parametrize(
    "format_name",
    ["text", "markdown", "html", "xml", "json", "yaml", "strings", "fluent", "srt", "vtt", "csv"],
)
def test_wrong_encodings_are_refused(format_name: FormatName) -> None:
    assert "UTF-8" in refusal(b"a: Gr\xfc\xdfe\n", format_name)


@pytest.mark.parametrize(("name", "format_name", "content"), DOCUMENTS, ids=[one[0] for one in DOCUMENTS])
def test_a_part_of_a_file_is_translated_or_refused(
    name: str, format_name: FormatName, content: bytes
) -> None:
    cuts = range(1, len(content), max(1, len(content) // (3 if format_name in ("docx", "pptx") else 23)))
    for cut in cuts:
        assert "\n" not in outcome(lambda: opened(name, format_name, content[:cut]))  # noqa: B023


@pytest.mark.parametrize(
    "format_name", ["markdown", "json", "yaml", "properties", "strings", "fluent", "srt", "xml"]
)
@given(
    content=st.lists(
        st.sampled_from(
            [*"\"'{}[]()<>|>:-*_`#=\\&%$;,.!\n\r\t ", "Wort", "1", "00:00:01,000 --> 00:00:02,000\n"]
        ),
        max_size=40,
    ).map("".join)
)
@settings(max_examples=40, deadline=None)
def test_any_text_is_translated_or_refused(format_name: FormatName, content: str) -> None:
    assert "\n" not in outcome(lambda: read_document(content.encode(), format_name, DocumentOptions()))


def test_stray_end_tags_cost_nothing() -> None:
    """Each would be looked for among all open elements, if those were not counted."""
    page = b"<div>" * 20_000 + b"</i>" * 20_000
    started = time.process_time()
    translate_document(read_document(page, "html", DocumentOptions()), WordForWord())
    assert time.process_time() - started < 5
