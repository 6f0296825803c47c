"""Text from words that come separate, with the spaces that a writer would set.

Gold alignments and many corpora are tokenised; models learn from running text, in which a comma follows its
word at once. The spans keep the words apart:

    words    Das | stimmt | , | " | ja | " | .
    text     Das stimmt, "ja".
"""

from collections.abc import Sequence

from lexalign.text.surface import Span

_CLOSING = frozenset(".,;:!?%)]}»”’…")
_OPENING = frozenset("([{«„“‘¿¡")
_PAIRED = frozenset("\"'")
_CLITICS = frozenset(
    {"'s", "'re", "'ve", "'ll", "'d", "'m", "n't", "'S", "'RE", "'VE", "'LL", "'D", "'M", "N'T"}
)


def space_words(words: Sequence[str]) -> tuple[str, list[Span]]:
    """The running text of words, and where each of them stands in it."""
    parts: list[str] = []
    spans: list[Span] = []
    position = 0
    open_quotes: set[str] = set()
    attached = True  # the next word follows without a space
    for word in words:
        closes = word in _PAIRED and word in open_quotes
        if not attached and not closes and not _follows_at_once(word):
            parts.append(" ")
            position += 1
        spans.append((position, position + len(word)))
        parts.append(word)
        position += len(word)
        attached = word in _OPENING or (word in _PAIRED and not closes)
        if word in _PAIRED:
            open_quotes ^= {word}
    return "".join(parts), spans


def _follows_at_once(word: str) -> bool:
    return word in _CLITICS or all(character in _CLOSING for character in word)
