"""DOCX: body, tables, text boxes, headers, footers, notes, comments, and the texts of charts and diagrams."""

import re

from lexalign.markup.documents.document import DocumentOptions
from lexalign.markup.documents.office.parts import OfficeDocument

_PARTS = re.compile(
    r"word/(?:document|header\d*|footer\d*|footnotes|endnotes|comments|charts/chart\d*|diagrams/data\d*)\.xml"
)


def read(content: bytes, _options: DocumentOptions) -> OfficeDocument:
    return OfficeDocument(content, lambda name: _PARTS.fullmatch(name) is not None, "word/document.xml", "w")
