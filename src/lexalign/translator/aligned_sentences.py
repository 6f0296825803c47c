"""A translator as documents see one: sentences in, translations with links out."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from lexalign.contracts.alignment import SpanLink, TextAlignment, spans_overlap
from lexalign.glossary import Glossary, Matcher
from lexalign.translator.mutual_links import MutualAligner, unit_links
from lexalign.translator.options import TranslateOptions
from lexalign.translator.translation import Translation
from lexalign.translator.translator import Translator

_WINDOW = 64  # sentences that are aligned together


def _say_nothing(_translation: Translation) -> None:
    return


@dataclass(frozen=True, kw_only=True)
class AlignedSentences:
    """`notice` sees every translation, and what became of a glossary's terms in it.

    Links are those that the options ask for, or those of a `mutual` aligner, which aligns only `linked`
    sentences where these are named.
    """

    translator: Translator
    options: TranslateOptions
    glossary: Glossary | Matcher | None = None
    mutual: MutualAligner | None = None
    linked: Container[str] | None = None
    notice: Callable[[Translation], None] = _say_nothing
    max_tokens: int = 256  # models have seen few sentences that are longer, and do badly on them

    def fits(self, sentence: str) -> bool:
        return self.translator.fits(sentence, self.max_tokens)

    def translate(self, sentences: Iterable[str]) -> Iterator[TextAlignment]:
        found = self.translator.translate_stream(sentences, self.options, glossary=self.glossary)
        while window := list(islice(found, 1 if self.mutual is None else _WINDOW)):
            for translation, aligned in zip(window, self._align(window), strict=True):
                self.notice(translation)
                yield aligned

    def align(self, pairs: Sequence[tuple[str, str]]) -> Iterator[TextAlignment]:
        """Finished translations with their links, as far as there is an aligner for them."""
        links: Iterable[tuple[SpanLink, ...] | None] = [None] * len(pairs)
        asked = self.options.constraints
        if self.mutual is not None:
            links = self.mutual.align(pairs)
        elif self.translator.has_aligner(asked.method):
            links = unit_links(self.translator.word_aligner(asked.method, asked.attention), pairs)
        for (source, target), found in zip(pairs, links, strict=True):
            mutual = self.mutual is not None and found is not None
            yield TextAlignment(source=source, target=target, links=found or (), mutual=mutual)

    def _align(self, window: Sequence[Translation]) -> Iterator[TextAlignment]:
        if self.mutual is None:
            for one in window:
                yield TextAlignment(source=one.source, target=one.text, links=one.told_links)
            return
        linked = [one for one in window if self.linked is None or one.source in self.linked]
        links = self.mutual.align([(one.source, one.text) for one in linked])
        by_source = dict(zip((one.source for one in linked), links, strict=True))
        for one in window:
            found = by_source.get(one.source)
            if found is None:
                yield TextAlignment(source=one.source, target=one.text, links=one.told_links)
            else:
                yield TextAlignment(
                    source=one.source, target=one.text, links=with_told_links(one, found), mutual=True
                )


def with_told_links(translation: Translation, links: Sequence[SpanLink]) -> tuple[SpanLink, ...]:
    """What was asked for, and what was kept, comes from its source, whatever an aligner thinks of it."""
    told = [
        *translation.term_links,
        *(SpanLink(one.source, one.target, 1.0) for one in translation.protected),
    ]
    targets = [link.target for link in told]
    found = (link for link in links if not any(spans_overlap(link.target, one) for one in targets))
    return tuple(sorted([*found, *told], key=lambda link: link.target))
