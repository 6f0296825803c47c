"""Detokenization: running text from separate words, with the span of each word.

Gold alignments and many corpora are tokenised; models are trained on running text, in which a comma follows
its word without a space:

    words    Das | stimmt | , | " | ja | " | .
    text     Das stimmt, "ja".

Where these rules are wrong, words can have the joiner mark of OpenNMT's tokenizer, which is removed:

    words    an | above | ￭-￭ | mentioned | newspapers | ￭' | fault
    text     an above-mentioned newspapers' fault
"""

from collections.abc import Sequence

from lexalign.text.surface import Span

JOINER = "￭"  # no space on this side of a word
_CLOSING = frozenset(".,;:!?%)]}»”’…।॥")
_OPENING = frozenset("([{«„“‘¿¡")
_PAIRED = frozenset("\"'")
_CLITICS = frozenset(
    {"'s", "'re", "'ve", "'ll", "'d", "'m", "n't", "'S", "'RE", "'VE", "'LL", "'D", "'M", "N'T"}
)


def space_words(words: Sequence[str]) -> tuple[str, list[Span]]:
    """The running text of words, and the span of each word."""
    parts: list[str] = []
    spans: list[Span] = []
    position = 0
    open_quotes: set[str] = set()
    attached = True  # the next word follows without a space
    for marked in words:
        word = without_joiners(marked)
        paired = marked in _PAIRED
        closes = paired and word in open_quotes
        if not attached and not closes and not _attaches_left(marked):
            parts.append(" ")
            position += 1
        spans.append((position, position + len(word)))
        parts.append(word)
        position += len(word)
        attached = word in _OPENING or (paired and not closes) or marked.endswith(JOINER)
        if paired:
            open_quotes ^= {word}
    return "".join(parts), spans


def without_joiners(text: str) -> str:
    return text.replace(JOINER, "")


def _attaches_left(word: str) -> bool:
    return word.startswith(JOINER) or word in _CLITICS or all(character in _CLOSING for character in word)
