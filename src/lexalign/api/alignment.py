"""Word alignments of a text and its translation."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lexalign import translator as engine
from lexalign.alignment.formats import pharaoh_line
from lexalign.api.translation import WordLink
from lexalign.contracts.alignment import Link, SpanLink, WordAlignment
from lexalign.display.notebook import notebook_html
from lexalign.display.word_links import word_spans
from lexalign.text.spacing import space_words
from lexalign.translator import WordAligner
from lexalign.translator.mutual_alignment import symmetrized
from lexalign.translator.word_aligner import WordText

Words = str | Sequence[str]  # a text, or its words


@dataclass(frozen=True)
class Alignment:
    """Which words of two texts are translations of each other.

    Attributes:
        source: The source text.
        target: Its translation.
        words: The links, in the order of the translation.
        pairs: The links as indexes of words from 0, in the order of the source.
        source_words: The words that the indexes of the source count.
        target_words: The words that the indexes of the translation count.
    """

    source: str
    target: str
    words: tuple[WordLink, ...]
    pairs: tuple[tuple[int, int], ...]
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]

    @cached_property
    def pharaoh(self) -> str:
        """The pairs as one line, `0-0 1-2`."""
        return pharaoh_line([Link(*pair) for pair in self.pairs])

    def __repr__(self) -> str:
        shown = ", ".join(f"{one.source}–{one.target}" for one in self.words[:4])
        return f"Alignment({shown}{', …' if len(self.words) > 4 else ''})"

    def _repr_html_(self) -> str:
        links = tuple(SpanLink(one.source_span, one.target_span, one.probability) for one in self.words)
        return notebook_html(engine.Translation(source=self.source, text=self.target, links=links))


def align_pairs(
    pairs: Iterable[tuple[Words, Words]], forward: WordAligner, backward: WordAligner | None
) -> Iterator[Alignment]:
    """By one model, or by the mean of both directions."""
    texts = [(read_words(source), read_words(target)) for source, target in pairs]
    found = (one.words for one in forward.align(texts))
    if backward is not None:
        back = (one.words for one in backward.align([(target, source) for source, target in texts]))
        found = (symmetrized(one, other, "mean") for one, other in zip(found, back, strict=True))
    for (source, target), aligned in zip(texts, found, strict=True):
        yield _alignment(source, target, aligned)


def read_words(given: Words) -> WordText:
    """A text's words are found; a list of words is taken as it is, and shown to the model as a text."""
    if not isinstance(given, Sequence) or not all(isinstance(word, str) for word in given):
        raise TypeError(f"{given!r} is neither a text nor a list of words")
    if isinstance(given, str):
        text, spans = given, word_spans(given)
    else:
        text, spans = space_words(given)
    words = tuple(text[start:end] for start, end in spans)
    return WordText(line=text, text=text, words=words, spans=tuple(spans), line_spans=tuple(spans))


def _alignment(source: WordText, target: WordText, aligned: WordAlignment) -> Alignment:
    links = sorted(aligned.links, key=lambda link: (link.target, link.source))
    return Alignment(
        source=source.text,
        target=target.text,
        words=tuple(
            WordLink(
                source=source.words[link.source],
                target=target.words[link.target],
                probability=link.probability or 0.0,
                source_span=source.spans[link.source],
                target_span=target.spans[link.target],
            )
            for link in links
        ),
        pairs=tuple((link.source, link.target) for link in aligned.links),
        source_words=source.words,
        target_words=target.words,
    )
