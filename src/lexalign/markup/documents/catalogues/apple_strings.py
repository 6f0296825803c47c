"""Apple's `.strings`: the values are messages; comments and keys stay to the byte.

An entry is `"key" = "value";`; keys may stand without quotes. UTF-16 with a byte order mark and UTF-8 stay
what they are.
"""

import re

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.catalogues.json_tree import Lines
from lexalign.markup.documents.catalogues.messages import message_edits
from lexalign.markup.documents.document import DocumentOptions, Edit, SplicedDocument
from lexalign.markup.documents.encoding import decode

_ITEM = re.compile(
    r"""\s*+(?:
        (?P<comment>/\*[\s\S]*?\*/|//[^\n]*+)
      | (?P<key>"(?:[^"\\]|\\[\s\S])*+"|[\w.$/-]++)\s*+=\s*+"(?P<value>(?:[^"\\]|\\[\s\S])*+)"\s*+;
      | (?P<alone>(?:"(?:[^"\\]|\\[\s\S])*+"|[\w.$-]++)\s*+;)
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:[Uu]([0-9a-fA-F]{4})|([\s\S]))")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}


def read(content: bytes, _options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode(content)
    lines = Lines(text)
    edits: list[Edit] = []
    position = 0
    while True:
        match = _ITEM.match(text, position)
        if match is None:
            raise LexalignError(
                f"line {lines.number(position)}: not a .strings file: "
                'neither a comment nor "key" = "value"; begins here'
            )
        if match["end"] is not None:
            break
        if match["key"]:
            where = f"line {lines.number(match.start('key'))}: {match['key']}"
            edits += message_edits(match.span("value"), _unescape(match["value"]), where, _escape, "plain")
        position = match.end()
    return SplicedDocument(content=text, edits=edits, escape=_escape, encode=encoding.encode)


def _unescape(value: str) -> str:
    def character(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _LETTERS.get(match[2], match[2])

    return _ESCAPE.sub(character, value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escape(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
