r"""Java properties: every value is a message; comments, keys and separators stay to the byte.

A value that goes on over several lines becomes one line. The encoding is UTF-8, or Latin-1 where the file is
not valid UTF-8; a file of ASCII alone stays one, with `\u00e9` for é.
"""

import re
from collections.abc import Callable

from lexalign.markup.documents.catalogues.json_tree import Lines
from lexalign.markup.documents.catalogues.messages import message_edits
from lexalign.markup.documents.document import DocumentOptions, Edit, SplicedDocument
from lexalign.markup.documents.encoding import Encoding, decode

_ENTRY = re.compile(
    r"""^[ \t\f]*+
    (?P<key>(?![#!\s])(?:\\(?:\r\n|[\s\S])|[^\\:=\s])++)
    (?P<separator>[ \t\f]*+(?:[:=])?[ \t\f]*+)
    (?P<value>(?:\\(?:\r\n|[\s\S])|[^\\\r\n])*+)""",
    re.VERBOSE | re.MULTILINE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(?:\r\n|\r|\n)[ \t\f]*|([\s\S]))")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def read(content: bytes, _options: DocumentOptions) -> SplicedDocument:
    text, encoding = _decode(content)
    escape = _escape_ascii if text.isascii() else _escape_for(encoding)
    lines = Lines(text)
    edits: list[Edit] = []
    position = 0
    while match := _ENTRY.search(text, position):
        position = max(match.end(), position + 1)
        where = f"line {lines.number(match.start('key'))}: {match['key']!r}"
        edits += message_edits(match.span("value"), _unescape(match["value"]), where, escape, "java")
    return SplicedDocument(content=text, edits=edits, escape=escape, encode=encoding.encode)


def _decode(content: bytes) -> tuple[str, Encoding]:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        if not content.startswith((b"\xff\xfe", b"\xfe\xff")):
            return decode(content, declared="latin-1")
    return decode(content)


def _unescape(value: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return _LETTERS.get(match[2], match[2]) if match[2] else ""

    # A character beyond the first 65,536 is two escapes.
    return _ESCAPE.sub(character, value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    # White space at the beginning would belong to the separator.
    return "\\" + text if text.startswith(" ") else text


def _escape_ascii(text: str) -> str:
    return "".join(_code(character) if ord(character) > 126 else character for character in _escape(text))


def _escape_for(encoding: Encoding) -> Callable[[str], str]:
    if encoding.name != "latin-1":
        return _escape

    def escape(text: str) -> str:
        return "".join(_code(character) if ord(character) > 255 else character for character in _escape(text))

    return escape


def _code(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[index : index + 2].hex()}" for index in range(0, len(units), 2))
