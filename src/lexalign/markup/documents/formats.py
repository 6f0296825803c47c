"""The document formats, by name, and detected by a file's name and content."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import Document, DocumentOptions
from lexalign.markup.documents.names import FORMATS, FormatName

# The module of each format that is not named as the format.
_MODULES: dict[FormatName, str] = {
    "text": "plain_text",
    "markdown": "markdown.document",
    "xml": "structured_xml",
    "json": "catalogues.json_messages",
    "yaml": "catalogues.yaml_messages",
    "properties": "catalogues.properties",
    "android": "catalogues.android",
    "strings": "catalogues.apple_strings",
    "xcstrings": "catalogues.string_catalogue",
    "fluent": "catalogues.fluent",
    "srt": "subtitles",
    "vtt": "subtitles",
    "docx": "office.docx",
    "pptx": "office.pptx",
    "csv": "delimited",
    "tsv": "delimited",
}
_SUFFIXES: dict[str, FormatName] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".po": "po",
    ".pot": "po",
    ".tmx": "tmx",
    ".json": "json",
    ".arb": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".properties": "properties",
    ".strings": "strings",
    ".xcstrings": "xcstrings",
    ".ftl": "fluent",
    ".srt": "srt",
    ".vtt": "vtt",
    ".docx": "docx",
    ".docm": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".dita": "xml",
    ".ditamap": "xml",
    ".dbk": "xml",
    ".docbook": "xml",
}
# Bytes. A reader holds 15 to 50 times as much in memory, and that of Markdown 135 times and more.
_MAX_SIZE = 64 << 20
_MAX_SIZES: dict[FormatName, int] = {"markdown": 8 << 20, "yaml": 32 << 20}
_XLIFF_SUFFIXES = frozenset({".xlf", ".xliff", ".sdlxliff", ".mxliff", ".mqxliff"})
_XLIFF_VERSION = re.compile(rb"""<(?:[\w.-]+:)?xliff\b[^>]*?\sversion\s*=\s*["'](\d)""")
# All that `guess_format` knows; those of XML have several formats.
SUFFIXES: tuple[str, ...] = (*_SUFFIXES, *sorted(_XLIFF_SUFFIXES), ".xml")
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z][\w.-]*)")


def guess_format(path: Path, content: bytes) -> FormatName:
    suffix = path.suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if suffix in _XLIFF_SUFFIXES:
        return _xliff_format(content)
    if suffix == ".xml":
        return _xml_format(content)
    raise LexalignError(f"{path}: its name does not tell its format; give --format {'|'.join(FORMATS)}")


def suffixes_of(format_name: FormatName) -> list[str]:
    """The ends of names by which a format is known."""
    found = [suffix for suffix, name in _SUFFIXES.items() if name == format_name]
    if format_name in ("xliff1", "xliff2"):
        found += sorted(_XLIFF_SUFFIXES)
    return [*found, ".xml"] if format_name in ("xml", "android") else found


def _xml_format(content: bytes) -> FormatName:
    """The format of an XML file, by its root element."""
    root = _ROOT.search(content[:10_000].replace(b"\0", b""))
    match root[1] if root else None:
        case b"xliff":
            return _xliff_format(content)
        case b"resources":
            return "android"
        case b"tmx":
            return "tmx"
        case b"html":
            return "html"
    return "xml"


def _xliff_format(content: bytes) -> FormatName:
    # In UTF-16 every other byte is 0.
    version = _XLIFF_VERSION.search(content[:10_000].replace(b"\0", b""))
    match version[1] if version else None:
        case b"1":
            return "xliff1"
        case b"2":
            return "xliff2"
        case None:
            raise LexalignError("not an XLIFF file: there is no <xliff version=...> at its beginning")
    raise LexalignError("this version of XLIFF is not supported; 1.2 and 2.0 to 2.2 are")


def check_size(size: int, format_name: FormatName | None = None) -> None:
    """Refuse a document that is too large to be held in memory, as nobody writes one."""
    limit = _MAX_SIZES.get(format_name, _MAX_SIZE) if format_name else _MAX_SIZE
    if size > limit:
        raise LexalignError(
            f"it has {size >> 20} MB, and the limit is {limit >> 20} MB; divide it, "
            "or translate lines of text: lexalign translate corpus INPUT OUTPUT"
        )


def read_document(content: bytes, format_name: FormatName, options: DocumentOptions) -> Document:
    check_size(len(content), format_name)
    module = import_module(f"lexalign.markup.documents.{_MODULES.get(format_name, format_name)}")
    read: Callable[[bytes, DocumentOptions], Document] = module.read
    return read(content, options)
