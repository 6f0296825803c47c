"""Matching again, slowly: every span of words against every entry, then the rules one after the other."""

from lexalign.contracts.alignment import Span
from lexalign.glossary import Entry, Glossary
from lexalign.glossary.matching.casing import agrees
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.glossary.matching.words import Word, split

Found = tuple[Span, str, bool]  # with the entry's source, and whether it is inflected


def slow_matches(glossary: Glossary, text: str, lemmas: Lemmas) -> set[Found]:
    words = split(text)
    candidates = {
        ((words[first].start, words[last].end), entry.source, inflected)
        for first in range(len(words))
        for last in range(first, len(words))
        for entry in glossary
        if (inflected := _agree(words[first : last + 1], entry, lemmas)) is not None
    }
    taken: list[Span] = []
    while spans := {span for span, _, _ in candidates if not any(_overlap(span, other) for other in taken)}:
        taken.append(min(spans, key=lambda span: (span[0] - span[1], span[0])))
    found = {one for one in candidates if one[0] in taken}
    literal = {span for span, _, inflected in found if not inflected}
    return {one for one in found if not (one[2] and one[0] in literal)}


def _agree(words: list[Word], entry: Entry, lemmas: Lemmas) -> bool | None:
    own = split(entry.source)
    if len(own) != len(words):
        return None
    inflected = False
    for index, (one, other) in enumerate(zip(own, words, strict=True)):
        if (index and one.glued != other.glued) or not agrees(one.text, other.text, entry.case):
            return None
        if one.key != other.key:
            inflected = True
            rigid = len(own) == 1 and one.key not in lemmas.of(one.text)
            if rigid and not other.key.startswith(one.key):
                return None
            if not one.text[0].isalpha() or not set(lemmas.of(one.text)) & set(lemmas.of(other.text)):
                return None
    return inflected


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
