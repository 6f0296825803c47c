"""Texts of bilingual files, which may be labels with an accelerator."""

from dataclasses import dataclass

from lexalign.markup.documents.document import Segment
from lexalign.markup.inline.accelerators import Accelerator, take_accelerator
from lexalign.markup.inline.xml import escape_xml
from lexalign.markup.tagged_text import TaggedText


@dataclass(frozen=True, slots=True)
class Label:
    text: TaggedText
    accelerator: Accelerator | None

    def segment(self, where: str, max_length: int | None = None) -> Segment:
        return Segment(self.text, where, max_length)

    def write(self, translation: TaggedText) -> str:
        """The translation in XML, with the accelerator of the source."""
        marked = self.accelerator.put(translation) if self.accelerator else translation
        return marked.render(escape_xml)


def read_label(text: TaggedText) -> Label:
    return Label(*take_accelerator(text))
