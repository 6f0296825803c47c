"""Texts with tags: the tags are removed before the translation, and set by alignment after it."""

from collections.abc import Sequence
from dataclasses import replace

from lexalign.contracts.alignment import TextAlignment
from lexalign.markup import DocumentTranslation, TagHandling, text_translation
from lexalign.translator import TermResult, Translation, Translator

__all__ = ["TagHandling", "TaggedTexts"]

_MAX_TOKENS = 256  # of a sentence; training data has few that are longer


class TaggedTexts:
    """The sentences to be translated in some texts, and the texts with their translations."""

    def __init__(self, texts: Sequence[str], tags: TagHandling, translator: Translator) -> None:
        self._texts = texts
        self._documents = [
            text_translation(text, lambda part: translator.fits(part, _MAX_TOKENS), tags) for text in texts
        ]

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences of all texts."""
        return list(
            dict.fromkeys(sentence for document in self._documents for sentence in document.sentences)
        )

    def write(self, translations: Sequence[Translation]) -> list[Translation]:
        """The translated texts, from a translation for each of the sentences."""
        found = dict(zip(self.sentences, translations, strict=True))
        return [
            _translation(text, document, [(sentence, found[sentence]) for sentence in document.sentences])
            for text, document in zip(self._texts, self._documents, strict=True)
        ]


def _translation(
    text: str, document: DocumentTranslation, parts: Sequence[tuple[str, Translation]]
) -> Translation:
    """A translated text; offsets are left out, because those of its sentences do not count tags."""
    for sentence, translation in parts:
        document.add(TextAlignment(source=sentence, target=translation.text, links=translation.told_links))
    return Translation(
        source=text,
        text=document.write().decode(),
        score=sum(one.score for _, one in parts) / max(1, len(parts)),
        complete=all(one.complete for _, one in parts),
        protected=tuple(
            replace(item, source=(0, 0), target=(0, 0)) for _, one in parts for item in one.protected
        ),
        terms=tuple(_without_place(term) for _, one in parts for term in one.terms),
    )


def _without_place(term: TermResult) -> TermResult:
    return replace(term, target=None, constraint=replace(term.constraint, source=None))
