"""Tags in texts: taken out before a translation, and set where they belong after it."""

from collections.abc import Sequence
from dataclasses import replace

from lexalign.contracts.alignment import TextAlignment
from lexalign.markup import DocumentTranslation, TagHandling, text_translation
from lexalign.translator import TermResult, Translation, Translator

__all__ = ["TagHandling", "TaggedTexts"]

_MAX_TOKENS = 256  # of a sentence; models have seen few that are longer


class TaggedTexts:
    """What of some texts is to be translated, and the whole in the end."""

    def __init__(self, texts: Sequence[str], tags: TagHandling, translator: Translator) -> None:
        self._texts = texts
        self._works = [
            text_translation(text, lambda part: translator.fits(part, _MAX_TOKENS), tags) for text in texts
        ]

    @property
    def sentences(self) -> list[str]:
        """Each once."""
        return list(dict.fromkeys(sentence for work in self._works for sentence in work.sentences))

    def write(self, translations: Sequence[Translation]) -> list[Translation]:
        """With a translation for each of the sentences."""
        found = dict(zip(self.sentences, translations, strict=True))
        return [
            _whole(text, work, [(sentence, found[sentence]) for sentence in work.sentences])
            for text, work in zip(self._texts, self._works, strict=True)
        ]


def _whole(text: str, work: DocumentTranslation, parts: Sequence[tuple[str, Translation]]) -> Translation:
    """Offsets of sentences without tags would say nothing about it."""
    for sentence, translation in parts:
        work.add(TextAlignment(source=sentence, target=translation.text, links=translation.told_links))
    return Translation(
        source=text,
        text=work.write().decode(),
        score=sum(one.score for _, one in parts) / max(1, len(parts)),
        complete=all(one.complete for _, one in parts),
        protected=tuple(
            replace(item, source=(0, 0), target=(0, 0)) for _, one in parts for item in one.protected
        ),
        terms=tuple(_without_place(term) for _, one in parts for term in one.terms),
    )


def _without_place(term: TermResult) -> TermResult:
    return replace(term, target=None, constraint=replace(term.constraint, source=None))
