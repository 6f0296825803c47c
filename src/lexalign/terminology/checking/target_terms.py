"""Where a translation has the targets of a term: as written, in another form, or in a compound."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lexalign.glossary.matching.headwords import adjective_stem, headword
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.words import Word, fold, split
from lexalign.text.languages import primary

Likeness = Literal["exact", "form", "compound"]  # best first
LIKENESS: tuple[Likeness, ...] = ("exact", "form", "compound")
_MIN_PART, _SURE_PART = 3, 4  # letters of a part of a compound; a shorter one may be a part by accident
_COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "nb", "fi"})
_LINKING = ("s", "es", "n", "en", "er")  # between the parts of a German compound


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Target words `start` to `end`."""

    start: int
    end: int
    likeness: Likeness

    @property
    def words(self) -> range:
        return range(self.start, self.end)


class TargetTerms:
    def __init__(self, language: str | None, lemmas: Lemmas | None = None) -> None:
        self._language = primary(language) if language else None
        self._lemmas = lemmas if lemmas is not None or language is None else find_lemmas(language)
        self._split: dict[str, list[Word]] = {}
        self._likeness: dict[tuple[str, str, bool], Likeness | None] = {}

    def occurrences(
        self, targets: Sequence[str], forms: Sequence[str], words: Sequence[Word], *, as_typed: bool
    ) -> list[Occurrence]:
        """All places of any of the targets; known `forms` of them are forms, whatever their lemmas are."""
        found: dict[tuple[int, int], Likeness] = {}
        exact = {target if as_typed else fold(target) for target in targets}
        for target in dict.fromkeys((*targets, *forms)):
            parts = self._parts(target)
            for start in range(len(words) - len(parts) + 1):
                likeness = self._compare(parts, words[start : start + len(parts)], exact, as_typed)
                if likeness is not None:
                    if likeness == "exact" and target not in targets:
                        likeness = "form"
                    key = start, start + len(parts)
                    found[key] = min(likeness, found.get(key, likeness), key=LIKENESS.index)
        return [Occurrence(*key, likeness) for key, likeness in sorted(found.items())]

    def _parts(self, target: str) -> list[Word]:
        if target not in self._split:
            self._split[target] = split(headword(target, self._language).text)
        return self._split[target]

    def _compare(
        self, parts: Sequence[Word], words: Sequence[Word], exact: set[str], as_typed: bool
    ) -> Likeness | None:
        worst = 0
        for index, (part, word) in enumerate(zip(parts, words, strict=True)):
            likeness = self._word_likeness(part, word, last=index == len(parts) - 1)
            if likeness is None:
                return None
            worst = max(worst, LIKENESS.index(likeness))
        if worst == 0 and as_typed and " ".join(word.text for word in words) not in exact:
            worst = 1  # in another case
        return LIKENESS[worst]

    def _word_likeness(self, part: Word, word: Word, *, last: bool) -> Likeness | None:
        if part.key == word.key:
            return "exact"
        key = part.text, word.text, last
        if key not in self._likeness:
            if len(self._likeness) > 1_000_000:
                self._likeness.clear()
            self._likeness[key] = self._look_up(part, word, last)
        return self._likeness[key]

    def _look_up(self, part: Word, word: Word, last: bool) -> Likeness | None:
        if not part.key[:1].isalpha() or not word.key[:1].isalpha():
            return None
        if self._lemmas is not None and set(self._lemmas.of(part.text)) & set(self._lemmas.of(word.text)):
            return "form"
        if _joined(part.key) == _joined(word.key):
            return "form"
        stems = [adjective_stem(one.key, self._language) or one.key for one in (part, word)]
        if not last and stems[0] == stems[1]:
            return "form"
        terms, words = ({one.key, *self._lemmas_of(one)} for one in (part, word))
        return "compound" if any(self._is_part(one, other) for one in terms for other in words) else None

    def _lemmas_of(self, word: Word) -> Sequence[str]:
        return self._lemmas.of(word.text) if self._lemmas is not None else ()

    def _is_part(self, part: str, word: str) -> bool:
        """Whether a term is the first part of a compound (or all but its last letter), the last or inside."""
        if f"-{part}-" in f"-{word}-":
            return part != word
        if "-" in word:
            return any(one == part or self._is_part(part, one) for one in word.split("-"))
        if len(word) <= len(part):
            return False
        if len(part) < _MIN_PART or self._language not in _COMPOUNDING:
            return False
        if len(part) < _SURE_PART:
            return self._is_between_words(part, word)
        shortened = part[:-1] if len(part) > _SURE_PART + 1 else part
        return word.startswith((part, shortened)) or word.endswith(part) or self._is_between_words(part, word)

    def _is_between_words(self, part: str, word: str) -> bool:
        """Whether what stands around a part are words: "Ministerrat" has "Rat", and "Apparat" does not."""
        start = word.find(part)
        if start < 0:
            return False
        before, after = word[:start], word[start + len(part) :]
        return self._is_word(before, *(before.removesuffix(one) for one in _LINKING)) and self._is_word(
            after, *(after.removeprefix(one) for one in _LINKING)
        )

    def _is_word(self, *spellings: str) -> bool:
        """Whether there is nothing, or a word that the dictionary has in one of the spellings."""
        if not spellings[0]:
            return True
        known = self._lemmas
        return known is not None and any(len(one) > 2 and known.knows(one.capitalize()) for one in spellings)


def _joined(key: str) -> str:
    """A compound without its hyphens, which are a matter of taste: Cashflow-Planung, Cashflowplanung."""
    return key.replace("-", "")
