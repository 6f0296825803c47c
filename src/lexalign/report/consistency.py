"""Consistency in a document: a term's form may vary, its lemma may not; a name has one translation.

    Abgeordnete   deputy | MP     "deputies" in segment 3, "MPs" in segment 7          two lemmas
    Contoso                       "Contoso" in segments 1 and 4, "Kontoso" in segment 9

A name is a word with a capital inside of a sentence that the source language's dictionary does not have. Its
translation is what is linked to it; forms that differ in their ending only are the same.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

from lexalign.contracts.alignment import SpanLink, TextAlignment, spans_overlap
from lexalign.markup.units import is_word, units_of
from lexalign.report.values import Inconsistency, SegmentReport, Variant

_SURE = 0.5  # the probability of a link that says how a name is translated
_MAX_ENDING = 2  # letters by which forms of a name may differ
_MIN_NAME_LENGTH = 3

Numbered = tuple[int, TextAlignment]  # with the number of its segment


def inconsistent_terms(segments: Iterable[SegmentReport]) -> list[Inconsistency]:
    """Terms that are met by forms of different targets of the glossary."""
    found: dict[tuple[str, tuple[str, ...]], dict[str, list[int]]] = {}
    for segment in segments:
        for term in segment.terms:
            if term.met and term.form and term.kind != "avoid" and len(term.targets) > 1:
                variants = found.setdefault((term.term, term.targets), {})
                variants.setdefault(_lemma(term.form, term.targets), []).append(segment.number)
    return [
        Inconsistency(kind="term", source=term, variants=_variants(forms))
        for (term, _), forms in found.items()
        if len(forms) > 1
    ]


def _lemma(form: str, targets: Sequence[str]) -> str:
    """The target of the glossary that a form is of: the one with which it has most letters in common."""
    return max(targets, key=lambda target: (_num_common(form, target), -len(target)))


def name_candidates(sentence: str, is_known: Callable[[str], bool]) -> list[tuple[int, int]]:
    """The spans of words that may be names; the first word of a sentence has a capital anyway."""
    units = [unit for unit in units_of(sentence) if is_word(sentence, unit)]
    return [
        (start, end)
        for start, end in units[1:]
        if sentence[start].isupper()
        and end - start >= _MIN_NAME_LENGTH
        and sentence[start:end].isalpha()
        and not is_known(sentence[start:end])
        and not is_known(sentence[start:end].lower())
    ]


def inconsistent_names(sentences: Iterable[Numbered], is_known: Callable[[str], bool]) -> list[Inconsistency]:
    """Names with several translations, by sentences with their links."""
    found: dict[str, dict[str, list[int]]] = {}
    for number, aligned in sentences:
        for span in name_candidates(aligned.source, is_known):
            form = _translation(aligned, span)
            if form:
                forms = found.setdefault(aligned.source[slice(*span)], {})
                same = next((one for one in forms if _same_name(one, form)), form)
                forms.setdefault(same, []).append(number)
    return [
        Inconsistency(kind="name", source=name, variants=_variants(forms))
        for name, forms in found.items()
        if len(forms) > 1
    ]


def _translation(aligned: TextAlignment, span: tuple[int, int]) -> str:
    """The words that are surely linked to a span, in their order; a name that stands there is its own."""
    if aligned.source[slice(*span)] in aligned.target:
        return aligned.source[slice(*span)]
    linked = [link.target for link in _sure(aligned.links) if spans_overlap(link.source, span)]
    words = (unit for unit in units_of(aligned.target) if is_word(aligned.target, unit))
    found = (word for word in words if any(spans_overlap(word, target) for target in linked))
    return " ".join(aligned.target[slice(*word)] for word in found)


def _sure(links: Iterable[SpanLink]) -> Iterator[SpanLink]:
    return (link for link in links if link.probability is None or link.probability >= _SURE)


def _same_name(one: str, other: str) -> bool:
    longest = max(len(one), len(other))
    return _num_common(one, other) >= max(_MIN_NAME_LENGTH, longest - _MAX_ENDING)


def _num_common(one: str, other: str) -> int:
    """The number of letters with which both begin, whatever their case and diacritics."""
    length = 0
    for first, second in zip(_plain(one), _plain(other), strict=False):
        if first != second:
            break
        length += 1
    return length


def _plain(text: str) -> str:
    parts = unicodedata.normalize("NFD", text.casefold())
    return "".join(character for character in parts if unicodedata.category(character) != "Mn")


def _variants(forms: dict[str, list[int]]) -> tuple[Variant, ...]:
    ordered = sorted(forms.items(), key=lambda entry: -len(entry[1]))
    return tuple(Variant(form=form, segments=tuple(dict.fromkeys(numbers))) for form, numbers in ordered)
