"""PPTX: slides, tables, notes, and the texts of charts and diagrams; masters and layouts stay as they are."""

import re

from lexalign.markup.documents.document import DocumentOptions
from lexalign.markup.documents.office.parts import OfficeDocument

_PARTS = re.compile(
    r"ppt/(?:slides/slide\d+|notesSlides/notesSlide\d+|charts/chart\d*|diagrams/data\d*|comments/\w+)\.xml"
)


def read(content: bytes, _options: DocumentOptions) -> OfficeDocument:
    return OfficeDocument(
        content, lambda name: _PARTS.fullmatch(name) is not None, "ppt/presentation.xml", "p"
    )
