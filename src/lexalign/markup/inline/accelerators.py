"""Accelerators: the letter of a label that a key chooses, as in `&Save` and `_Save`.

    S&peichern      text  Speichern      translation  Save  with its mark  &Save

A mark inside of a word would hide the word from the translator. It is taken out, and set in the translation
before the same letter where there is one, at the beginning of a word if possible; else before the first
letter.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lexalign.markup.protection import find_untranslatables
from lexalign.markup.tagged_text import TaggedText

# Labels are short; and no address nor formula has an accelerator.
_MAX_LENGTH = 80
_NOT_A_LABEL = re.compile(r"://|=|&[#\w]+;|`")
_AMPERSAND = re.compile(r"&(?=[^\W_])")
_UNDERSCORE = re.compile(r"(?<![\w/.])_(?=[^\W_])")


@dataclass(frozen=True, slots=True)
class Accelerator:
    mark: str
    letter: str

    def put(self, text: TaggedText) -> TaggedText:
        """The text with the mark before a letter; without one, the text as it is."""
        position = _position(text.text, self.letter)
        if position is None:
            return text
        tags = (
            replace(tag, start=tag.start + (tag.start > position), end=tag.end + (tag.end > position))
            for tag in text.tags
        )
        return TaggedText(text.text[:position] + self.mark + text.text[position:], tuple(tags))


def take_accelerator(text: TaggedText) -> tuple[TaggedText, Accelerator | None]:
    """The text without the mark of its accelerator, and the accelerator, if it has one."""
    position = _mark(text.text)
    if position is None:
        return text, None
    tags = (
        replace(tag, start=tag.start - (tag.start > position), end=tag.end - (tag.end > position))
        for tag in text.tags
    )
    without = text.text[:position] + text.text[position + 1 :]
    return TaggedText(without, tuple(tags)), Accelerator(text.text[position], text.text[position + 1])


def _mark(text: str) -> int | None:
    """The position of the one mark in a label; a text with several has none."""
    if len(text) > _MAX_LENGTH or _NOT_A_LABEL.search(text):
        return None
    if text.count("&") == 1 and (match := _AMPERSAND.search(text)):
        before, after = text[match.start() - 1 : match.start()], text[match.end()]
        # R&D and AT&T are names.
        return None if before.isupper() and after.isupper() else match.start()
    if text.count("_") == 1 and (match := _UNDERSCORE.search(text)):
        return match.start()
    return None


def _position(text: str, letter: str) -> int | None:
    protected = find_untranslatables(text)
    free = [
        index
        for index, character in enumerate(text)
        if character.isalnum() and not any(one.start <= index < one.end for one in protected)
    ]
    choices: tuple[Iterator[int], ...] = (
        (
            index
            for index in free
            if _begins_word(text, index) and text[index].casefold() == letter.casefold()
        ),
        (index for index in free if text[index].casefold() == letter.casefold()),
        (index for index in free if _begins_word(text, index)),
    )
    return next((index for choice in choices for index in choice), None)


def _begins_word(text: str, index: int) -> bool:
    return index == 0 or not text[index - 1].isalnum()
