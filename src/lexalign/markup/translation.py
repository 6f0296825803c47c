"""Translation of documents and of strings with tags, by any translator of sentences."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from lexalign.contracts.alignment import Span, TextAlignment
from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import Document, DocumentOptions, Segment
from lexalign.markup.documents.html import html_document
from lexalign.markup.documents.structured_xml import xml_text
from lexalign.markup.inline.xml import TagOptions
from lexalign.markup.segments import (
    SegmentTranslation,
    SentenceTranslator,
    needs_links,
    needs_translation,
    sentences_of,
    translate_segment,
)
from lexalign.markup.tagged_text import TaggedText
from lexalign.text.surface import check_unicode

TagHandling = Literal["xml", "html"]
# Some documents cannot hold them, so all are replaced; a line break would split a line.
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f\u2028\u2029\ufffe\uffff\ud800-\udfff]")


class DocumentTranslation:
    """A document in translation: its sentences, their translations, and the translated document."""

    def __init__(self, document: Document, fits: Callable[[str], bool], *, split: bool = True) -> None:
        """Without `split`, only lines are told apart, and what is too long for the translator."""
        self._document = document
        self._sentences: list[list[Span]] = [
            sentences_of(segment, fits, split=split) for segment in document.segments
        ]
        self._found: dict[str, TextAlignment] = {}
        self._taken: dict[int, TaggedText] = {}

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences that need translation."""
        parts = zip(self._document.segments, self._sentences, strict=True)
        found = (
            segment.text.text[start:end]
            for index, (segment, spans) in enumerate(parts)
            for start, end in spans
            if index not in self._taken
        )
        return list(dict.fromkeys(filter(needs_translation, found)))

    @property
    def tagged_sentences(self) -> frozenset[str]:
        """The sentences in which tags begin or end, and whose words must be linked."""
        return frozenset(
            segment.text.text[slice(*span)]
            for segment, spans in zip(self._document.segments, self._sentences, strict=True)
            for span in (spans if segment.text.tags else ())
            if needs_links(segment, span)
        )

    @property
    def missing(self) -> list[str]:
        return [sentence for sentence in self.sentences if sentence not in self._found]

    def add(self, aligned: TextAlignment) -> None:
        # One character for another, so that links stay valid.
        target = _CONTROLS.sub(" ", aligned.target)
        self._found[aligned.source] = replace(aligned, target=target)

    def take(self, index: int, translation: TaggedText) -> None:
        """The translation of a segment is known as a whole; its sentences need none."""
        self._taken[index] = translation

    def segments(self) -> list[TaggedText]:
        return [one.text for one in self.translated()]

    def translated(self) -> list[SegmentTranslation]:
        """The translations of all segments, with what they are made of."""
        parts = zip(self._document.segments, self._sentences, strict=True)
        return [
            SegmentTranslation(text=self._taken[index])
            if index in self._taken
            else translate_segment(segment, spans, self._found)
            for index, (segment, spans) in enumerate(parts)
        ]

    def write(self) -> bytes:
        return self._document.write(self.segments())


def translate_document(document: Document, translator: SentenceTranslator) -> bytes:
    work = DocumentTranslation(document, translator.fits)
    for aligned in translator.translate(work.missing):
        work.add(aligned)
    return work.write()


def translate_texts(
    texts: Sequence[str],
    translator: SentenceTranslator,
    *,
    tag_handling: TagHandling | None = None,
    options: TagOptions | None = None,
) -> list[str]:
    """Translate strings of any length, sentence by sentence; tags are set by alignment."""
    documents = [text_translation(text, translator.fits, tag_handling, options) for text in texts]
    missing = dict.fromkeys(sentence for document in documents for sentence in document.missing)
    found = {aligned.source: aligned for aligned in translator.translate(list(missing))}
    for document in documents:
        for sentence in document.missing:
            document.add(found[sentence])
    return [document.write().decode() for document in documents]


def text_translation(
    text: str,
    fits: Callable[[str], bool],
    tag_handling: TagHandling | None = None,
    options: TagOptions | None = None,
    *,
    split: bool = True,
) -> DocumentTranslation:
    """A string in translation, for callers that translate its sentences themselves."""
    return DocumentTranslation(_document(text, tag_handling, options or TagOptions()), fits, split=split)


def _document(text: str, tag_handling: TagHandling | None, options: TagOptions) -> Document:
    check_unicode(text)
    if "\0" in text:
        raise LexalignError("the text contains a NUL character; is it text?")
    match tag_handling:
        case "html":
            return html_document(text, str.encode, DocumentOptions())
        case "xml":
            return xml_text(text, options)
        case None:
            return _WholeText(TaggedText(text))
    raise LexalignError(f"unknown tag_handling {tag_handling!r}; there are xml and html")


@dataclass(frozen=True)
class _WholeText:
    """A string as a document of one segment."""

    text: TaggedText

    @property
    def segments(self) -> Sequence[Segment]:
        return [Segment(self.text, "the text")]

    def write(self, translations: Sequence[TaggedText]) -> bytes:
        return translations[0].render().encode()
