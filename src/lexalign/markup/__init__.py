"""Tags and documents: markup is kept, and transferred into the translation by word alignment."""

from lexalign.markup.documents.detection import looks_like
from lexalign.markup.documents.document import Document, DocumentOptions, Segment, too_long
from lexalign.markup.documents.formats import SUFFIXES, check_size, guess_format, read_document, suffixes_of
from lexalign.markup.documents.names import FORMATS, FormatName
from lexalign.markup.inline.xml import TagOptions
from lexalign.markup.segments import SentenceTranslator
from lexalign.markup.tagged_text import Tag, TaggedText
from lexalign.markup.transfer import transfer_by_position, transfer_tags
from lexalign.markup.translation import (
    DocumentTranslation,
    TagHandling,
    text_translation,
    translate_document,
    translate_texts,
)
from lexalign.markup.word_for_word import WordForWord

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Document",
    "DocumentOptions",
    "DocumentTranslation",
    "FormatName",
    "Segment",
    "SentenceTranslator",
    "Tag",
    "TagHandling",
    "TagOptions",
    "TaggedText",
    "WordForWord",
    "check_size",
    "guess_format",
    "looks_like",
    "read_document",
    "suffixes_of",
    "text_translation",
    "too_long",
    "transfer_by_position",
    "transfer_tags",
    "translate_document",
    "translate_texts",
]
