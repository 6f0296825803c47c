"""Documents with text inside of the markup of other text: attributes in tags, text boxes in paragraphs.

Such a document is written in layers. The innermost texts are replaced first; what is around them is then
found in the new text, so that a tag that moves has its translated attributes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from lexalign.markup.documents.document import Edit, Segment, SplicedDocument
from lexalign.markup.tagged_text import TaggedText


@dataclass(frozen=True, slots=True)
class Layer:
    """Finds the same texts in a document before and after the layers inside of it were translated."""

    find: Callable[[str], Iterable[Edit]]
    escape: Callable[[str], str]


class LayeredDocument:
    def __init__(self, text: str, layers: Sequence[Layer], encode: Callable[[str], bytes]) -> None:
        self._text, self._layers, self._encode = text, layers, encode
        self._found = [_spliced(text, layer) for layer in layers]
        self.segments: Sequence[Segment] = [segment for found in self._found for segment in found.segments]

    def write(self, translations: Sequence[TaggedText]) -> bytes:
        return self._encode(self.splice(translations))

    def splice(self, translations: Sequence[TaggedText]) -> str:
        text, position = self._text, 0
        for layer, found in zip(self._layers, self._found, strict=True):
            end = position + len(found.segments)
            now = found if text == self._text else _spliced(text, layer)
            moved = [
                _with_markup(translation, segment.text)
                for translation, segment in zip(translations[position:end], now.segments, strict=True)
            ]
            text, position = now.splice(moved), end
        return text


def _spliced(text: str, layer: Layer) -> SplicedDocument:
    return SplicedDocument(content=text, edits=list(layer.find(text)), escape=layer.escape, encode=str.encode)


def _with_markup(translation: TaggedText, source: TaggedText) -> TaggedText:
    """The translation, with the current markup of the source's tags."""
    tags = (
        replace(tag, opening=now.opening, closing=now.closing)
        for tag, now in zip(translation.tags, source.tags, strict=True)
    )
    return TaggedText(translation.text, tuple(tags))
