"""Text from words that come separate, with the spaces that a writer would set.

Gold alignments and many corpora are tokenised; models learn from running text, in which a comma follows its
word at once. The spans keep the words apart:

    words    Das | stimmt | , | " | ja | " | .
    text     Das stimmt, "ja".

Where this would guess wrong, the words can say it, with the mark of OpenNMT's tokenizer, which is not shown:

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
    """The running text of words, and where each of them stands in it."""
    parts: list[str] = []
    spans: list[Span] = []
    position = 0
    open_quotes: set[str] = set()
    attached = True  # the next word follows without a space
    for marked in words:
        word = without_joiners(marked)
        paired = marked in _PAIRED
        closes = paired and word in open_quotes
        if not attached and not closes and not _follows_at_once(marked):
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


def _follows_at_once(word: str) -> bool:
    return word.startswith(JOINER) or word in _CLITICS or all(character in _CLOSING for character in word)
