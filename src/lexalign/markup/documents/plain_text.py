"""Plain text: every line is a segment; its indentation and its line end stay unchanged."""

import re

from lexalign.markup.documents.document import DocumentOptions, Edit, Segment, SplicedDocument
from lexalign.markup.documents.encoding import decode
from lexalign.markup.tagged_text import TaggedText

_LINE = re.compile(r"[^\s](?:[^\n\r]*[^\s])?")


def read(content: bytes, _options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode(content)
    edits = []
    line = 1
    position = 0
    for match in _LINE.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        segment = Segment(TaggedText(match[0]), f"line {line}")
        edits.append(Edit(start=match.start(), end=match.end(), segment=segment))
    return SplicedDocument(content=text, edits=edits, escape=str, encode=encoding.encode)
