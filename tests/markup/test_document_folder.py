"""A folder of documents of every format: translated, opened by another parser, and compared."""

import io
from pathlib import Path

import docx
import pytest

from lexalign.bundled import find_model
from lexalign.markup import (
    FORMATS,
    Document,
    DocumentOptions,
    FormatName,
    WordForWord,
    guess_format,
    read_document,
    translate_document,
)
from lexalign.translator import AlignedSentences, TranslateOptions, Translator
from tests.markup.documents.office_documents import SLIDES, WORD
from tests.markup.documents.structures import STRUCTURES

FOLDER = Path(__file__).parent / "documents" / "folder"
COLUMNS = {
    "texts.de.csv": "text",
    "prices.en.csv": "name",
    "terms.de.tsv": "de=en",
    "glossary.en.tsv": "definition",
}


def documents() -> list[tuple[str, FormatName, bytes]]:
    found: list[tuple[str, FormatName, bytes]] = [
        (path.name, guess_format(path, path.read_bytes()), path.read_bytes())
        for path in sorted(FOLDER.iterdir())
    ]
    found += [(f"{name}.docx", "docx", make()) for name, make in WORD.items()]
    found += [(f"{name}.pptx", "pptx", make()) for name, make in SLIDES.items()]
    return found


DOCUMENTS = documents()


def opened(name: str, format_name: FormatName, content: bytes) -> Document:
    target = "de" if ".en." in name or "_en." in name else "en"
    columns = (COLUMNS[name],) if name in COLUMNS else ()
    return read_document(content, format_name, DocumentOptions(target_language=target, columns=columns))


def test_the_folder_has_sixty_documents_of_every_format() -> None:
    assert len(DOCUMENTS) >= 60
    assert {format_name for _, format_name, _ in DOCUMENTS} == set(FORMATS)


@pytest.mark.parametrize("reverse", [False, True], ids=["in order", "reversed"])
@pytest.mark.parametrize(("name", "format_name", "content"), DOCUMENTS, ids=[one[0] for one in DOCUMENTS])
def test_the_structure_is_that_of_the_source(
    name: str, format_name: FormatName, content: bytes, reverse: bool
) -> None:
    translated = translate_document(opened(name, format_name, content), WordForWord(reverse=reverse))
    structure = STRUCTURES[format_name]
    assert structure(translated) == structure(content)
    assert translated != content


@pytest.mark.parametrize(("name", "format_name", "content"), DOCUMENTS, ids=[one[0] for one in DOCUMENTS])
def test_every_text_is_translated_and_nothing_else(
    name: str, format_name: FormatName, content: bytes
) -> None:
    """Read again, a translated file has the segments of its source, translated."""
    document = opened(name, format_name, content)
    translated = translate_document(document, WordForWord())
    if format_name in ("xliff1", "xliff2", "tmx", "po", "xcstrings") or "=" in COLUMNS.get(name, ""):
        assert all(
            segment.text.text.upper().split()[0] in _decoded(translated).upper()
            for segment in document.segments
        )
        return
    again = opened(name, format_name, translated)
    # In capitals the accelerator of S&PEICHERN looks like that of a name, as R&D.
    assert [one.text.text.upper().replace("&", "") for one in again.segments] == [
        one.text.text.upper().replace("&", "") for one in document.segments
    ]
    assert all(one.text.text.upper() == one.text.text or _has_code(one.text.text) for one in again.segments)


def _has_code(text: str) -> bool:
    return any(mark in text for mark in ("{", "%", "$", "<", "`", "@", "(#", "_", "/", "--", "&", "\\"))


def _decoded(content: bytes) -> str:
    return content.decode("utf-16" if content[:2] == b"\xff\xfe" else "utf-8")


def test_untranslated_bytes_of_a_package_stay() -> None:
    """Only the parts with text are written again; the others keep their compressed bytes."""
    content = WORD["report"]()
    translated = translate_document(read_document(content, "docx", DocumentOptions()), WordForWord(str))
    start = content.index(b"word/styles.xml") - 30
    length = 4000
    assert content[start : start + length] in translated
    texts = [one.text for one in docx.Document(io.BytesIO(translated)).paragraphs]
    assert texts == [one.text for one in docx.Document(io.BytesIO(content)).paragraphs]


@pytest.mark.parametrize(
    ("languages", "names"),
    [
        (("de", "en"), ("film.de.srt", "strings.xml", "opening.pptx")),
        (("en", "de"), ("card.en.html", "prefs.en.ftl")),
    ],
)
def test_the_bundled_models_keep_the_structure_too(
    languages: tuple[str, str], names: tuple[str, ...]
) -> None:
    translator = Translator.load(find_model(*languages), device="cpu")
    sentences = AlignedSentences(
        translator=translator, options=TranslateOptions(align="post-aln", beam=2, workers=1)
    )
    for name, format_name, content in DOCUMENTS:
        if name in names:
            translated = translate_document(opened(name, format_name, content), sentences)
            assert STRUCTURES[format_name](translated) == STRUCTURES[format_name](content)
            assert translated != content
