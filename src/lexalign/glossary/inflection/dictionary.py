"""What a dictionary tells about forms; without one, rules alone decide, and only those that are sure."""

from collections.abc import Iterator
from dataclasses import dataclass

from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.glossary.matching.words import fold

_MIN_HEAD_LENGTH = 4


@dataclass(frozen=True)
class Dictionary:
    lemmas: Lemmas | None = None

    def knows(self, word: str) -> bool:
        return self.lemmas is not None and bool(word) and self.lemmas.knows(word)

    def is_form(self, word: str) -> bool:
        """Whether the word is listed as a form of another word: "goods" of "good"."""
        return self.lemmas is not None and self.knows(word) and self.lemmas.of(word)[0] != fold(word)

    def has_form(self, form: str, word: str) -> bool:
        """Whether both are listed, as forms of one word."""
        if self.lemmas is None or form == word or not (self.knows(form) and self.knows(word)):
            return False
        return self.lemmas.of(form)[0] == self.lemmas.of(word)[0]

    def agrees(self, form: str, word: str) -> bool:
        """Whether a regular form may be used: it is listed, or the dictionary does not know the word."""
        return not self.knows(word) or self.has_form(form, word)

    def heads(self, compound: str) -> Iterator[str]:
        """The last parts of a compound that are listed with a capital, the longest first."""
        for start in range(2, len(compound) - _MIN_HEAD_LENGTH + 1):
            head = compound[start:].capitalize()
            if self.knows(head):
                yield head
