"""Texts with tags: the tags are removed before the translation, and set by alignment after it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.markup import DocumentTranslation, TagHandling, TagOptions, text_translation
from lexalign.server.batching.thread_pools import checkpoint
from lexalign.translator import TermResult, Translation, Translator
from lexalign.translator.aligned_sentences import with_told_links

__all__ = ["TagHandling", "TaggedTexts"]

_MAX_TOKENS = 256  # of a sentence; training data has few that are longer
Links = Mapping[str, tuple[SpanLink, ...]]  # by both directions, of some sentences


class TaggedTexts:
    """The sentences to be translated in some texts, and the texts with their translations."""

    def __init__(
        self,
        texts: Sequence[str],
        tags: TagHandling,
        translator: Translator,
        options: TagOptions,
        *,
        split: bool = True,
    ) -> None:
        self._texts = texts
        self._documents: list[DocumentTranslation] = []
        for text in texts:
            checkpoint()
            self._documents.append(
                text_translation(
                    text, lambda part: translator.fits(part, _MAX_TOKENS), tags, options, split=split
                )
            )

    @property
    def sentences(self) -> list[str]:
        """The distinct sentences of all texts."""
        return list(
            dict.fromkeys(sentence for document in self._documents for sentence in document.sentences)
        )

    @property
    def tagged_sentences(self) -> frozenset[str]:
        """Those in which tags begin or end."""
        return frozenset(one for document in self._documents for one in document.tagged_sentences)

    def write(self, translations: Sequence[Translation], links: Links) -> list[Translation]:
        """The translated texts, from a translation for each of the sentences."""
        found = dict(zip(self.sentences, translations, strict=True))
        written = []
        for text, document in zip(self._texts, self._documents, strict=True):
            checkpoint()
            parts = [(sentence, found[sentence]) for sentence in document.sentences]
            written.append(_translation(text, document, parts, links))
        return written


def _translation(
    text: str, document: DocumentTranslation, parts: Sequence[tuple[str, Translation]], links: Links
) -> Translation:
    """A translated text; offsets are left out, because those of its sentences do not count tags."""
    for sentence, translation in parts:
        document.add(with_links(sentence, translation, links.get(sentence)))
    return Translation(
        source=text,
        text=document.write().decode(),
        score=sum(one.score for _, one in parts) / max(1, len(parts)),
        complete=all(one.complete for _, one in parts),
        note=parts[0][1].note if parts and all(one.note for _, one in parts) else None,
        protected=tuple(
            replace(item, source=(0, 0), target=(0, 0)) for _, one in parts for item in one.protected
        ),
        terms=tuple(_without_place(term) for _, one in parts for term in one.terms),
        covered=_covered([one for _, one in parts]),
    )


def _covered(parts: Sequence[Translation]) -> float | None:
    """The share of all source words that something comes from, where it is known of every sentence."""
    sizes = [len(one.source.split()) for one in parts]
    if not parts or any(one.covered is None for one in parts):
        return None
    return sum((one.covered or 0.0) * size for one, size in zip(parts, sizes, strict=True)) / max(
        1, sum(sizes)
    )


def with_links(sentence: str, found: Translation, mutual: tuple[SpanLink, ...] | None) -> TextAlignment:
    if mutual is None:
        return TextAlignment(source=sentence, target=found.text, links=found.told_links)
    links = with_told_links(found, mutual)
    return TextAlignment(source=sentence, target=found.text, links=links, mutual=True)


def _without_place(term: TermResult) -> TermResult:
    return replace(term, target=None, constraint=replace(term.constraint, source=None))
