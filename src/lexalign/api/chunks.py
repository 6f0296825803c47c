"""Tokens of a stream become words, each with the words that it comes from."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lexalign.characters import continues_word, in_word
from lexalign.contracts.alignment import Span
from lexalign.display.word_links import touched, word_spans
from lexalign.translator import StreamedToken


@dataclass(frozen=True)
class Chunk:
    """A piece of a translation: a word, a term or a punctuation mark, with the space before it.

    Attributes:
        text: What it adds to the translation so far.
        source: The word of the source that it most probably comes from.
        source_span: The characters of `source` in its text: first, last + 1.
        probability: How probably it comes from there, 0 to 1.
        is_term: Whether it meets a term of the glossary.
    """

    text: str
    source: str
    source_span: Span
    probability: float
    is_term: bool = False

    def __repr__(self) -> str:
        return f"Chunk({self.text!r}, {self.source!r}, {self.probability:.2f})"


def read_chunks(source: str, tokens: Iterable[StreamedToken]) -> Iterator[Chunk]:
    """A word is given when the next one begins."""
    words = word_spans(source)
    held: list[StreamedToken] = []
    for token in tokens:
        if held and not _continues(held[-1], token):
            yield _chunk(source, words, held)
            held = []
        held.append(token)
    if held:
        yield _chunk(source, words, held)


def _continues(before: StreamedToken, token: StreamedToken) -> bool:
    """A token without a visible character is the beginning of a word."""
    if not before.text.strip():
        return True
    return not token.term and continues_word(token.text) and in_word(before.text[-1])


def _chunk(source: str, words: list[Span], tokens: list[StreamedToken]) -> Chunk:
    surest = max(tokens, key=lambda token: token.probability)
    span = surest.source
    if found := touched(words, span):
        span = min(span[0], words[found[0]][0]), max(span[1], words[found[-1]][1])
    start = span[1] - len(source[slice(*span)].lstrip())
    span = start, start + len(source[slice(*span)].strip())
    return Chunk(
        text="".join(token.text for token in tokens),
        source=source[slice(*span)],
        source_span=span,
        probability=surest.probability,
        is_term=any(token.term for token in tokens),
    )
