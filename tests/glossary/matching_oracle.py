"""A slow reference for the matching: every span of words against every entry, then the rules in turn."""

from lexalign.contracts.alignment import Span
from lexalign.glossary import Entry, Glossary
from lexalign.glossary.matching.casing import case_matches
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.glossary.matching.words import Word, split

Found = tuple[Span, str, bool]  # with the entry's source, and whether it is inflected


ENDINGS = ("e", "en", "em", "er", "es")


def slow_matches(glossary: Glossary, text: str, lemmas: Lemmas, language: str | None = None) -> set[Found]:
    words = split(text)
    candidates = {
        ((words[first].start, words[last].end), entry.source, inflected)
        for first in range(len(words))
        for last in range(first, len(words))
        for entry in glossary
        if not (_is_verb(entry, language) and first and words[first - 1].key in ("the", "a"))
        if (inflected := _agree(words[first : last + 1], entry, lemmas, language)) is not None
    }
    taken: list[Span] = []
    while spans := {span for span, _, _ in candidates if not any(_overlap(span, other) for other in taken)}:
        taken.append(min(spans, key=lambda span: (span[0] - span[1], span[0])))
    found = {one for one in candidates if one[0] in taken}
    literal = {span for span, _, inflected in found if not inflected}
    return {one for one in found if not (one[2] and one[0] in literal)}


def _agree(words: list[Word], entry: Entry, lemmas: Lemmas, language: str | None) -> bool | None:
    own = split(_bare(entry, language))
    if len(own) != len(words):
        return None
    inflected = False
    small = len(own) > 1 and entry.case == "match-source" and _heading(own, language)
    for index, (one, other) in enumerate(zip(own, words, strict=True)):
        asked = one.text.lower() if small and not index else one.text
        if (index and one.attached != other.attached) or not case_matches(asked, other.text, entry.case):
            return None
        if one.key != other.key:
            inflected = True
            rigid = len(own) == 1 and one.key not in lemmas.of(one.text)
            if rigid and not other.key.startswith(one.key):
                return None
            alike = one.text[0].isalpha() and set(lemmas.of(one.text)) & set(lemmas.of(other.text))
            declined = language == "de" and index < len(own) - 1 and _stems(one.key) & _stems(other.key)
            if not (alike or declined):
                return None
    return inflected


def _bare(entry: Entry, language: str | None) -> str:
    first, _, rest = entry.source.partition(" ")
    dropped = {"en": ("to", "the", "a"), "de": ("die",)}.get(language or "", ())
    noun = language == "en" or any(word[:1].isupper() for word in rest.split())
    return rest if first in dropped and rest and noun else entry.source


def _is_verb(entry: Entry, language: str | None) -> bool:
    return language == "en" and entry.source.startswith("to ")


def _heading(own: list[Word], language: str | None) -> bool:
    first, *others = (word.text for word in own)
    if first != first.capitalize() or first == first.lower() or len(first) < 2:
        return False
    if language == "de":
        return bool(_stems(own[0].key)) and own[1].text[0].isalpha()
    return all(word == word.lower() for word in others)


def _stems(key: str) -> set[str]:
    """The longest possible stem of an adjective."""
    stems = [key.removesuffix(ending) for ending in ENDINGS if key.endswith(ending)]
    return {max(stems, key=len)} if stems and len(max(stems, key=len)) > 2 and key.isalpha() else set()


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
