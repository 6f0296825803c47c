"""What the caller and glossaries ask of a sentence's translation, in characters and in tokens."""

import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from lexalign.contracts.alignment import Span, spans_overlap
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Match, Matcher, MatchOptions
from lexalign.markup.protection import MaskedText
from lexalign.text.span_set import SpanSet
from lexalign.text.subwords import Encoding, Languages, SubwordTokenizer

# A character that no vocabulary joins with letters, so that what follows is split as within a word.
_NO_LETTER = "\ufffc"
MatchedConstraint = tuple[Constraint, Match | None]  # with the match where a glossary asks for it


def matcher_of(glossary: Glossary | Matcher | None, languages: Languages | None = None) -> Matcher | None:
    """A glossary is compiled once, for the languages of the model, also where it is given with every
    sentence."""
    return _compiled(glossary, languages) if isinstance(glossary, Glossary) else glossary


@lru_cache(maxsize=4)
def _compiled(glossary: Glossary, languages: Languages | None) -> Matcher:
    """Inflected forms that nobody asked for are left out with a warning where they cannot be had."""
    source, target = (language or None for language in languages or ("", ""))
    if len(glossary) and not len(glossary.for_languages(source, target)):
        warnings.warn(f"the glossary has no terms from {source} to {target}", stacklevel=2)
    try:
        return Matcher(glossary, source_language=source, target_language=target)
    except LexalignError as error:
        warnings.warn(str(error), stacklevel=2)
    exact = MatchOptions(source_forms="exact")
    return Matcher(glossary, exact, source_language=source, target_language=target)


def divide_constraints(constraints: Sequence[Constraint], spans: Sequence[Span]) -> list[list[Constraint]]:
    """The constraints of each sentence; what is to be avoided everywhere is asked of all."""
    found: list[list[Constraint]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    for one in constraints:
        if one.source is None:
            for own in found:
                own.append(one)
            continue
        place = max(0, bisect_right(starts, one.source[0]) - 1)
        start, end = spans[place]
        if not start <= one.source[0] < one.source[1] <= end:
            raise LexalignError("it must be split, and a constraint lies across a split; split it yourself")
        found[place].append(replace(one, source=(one.source[0] - start, one.source[1] - start)))
    return found


def match_constraints(
    text: str, constraints: Sequence[Constraint], matcher: Matcher | None
) -> list[MatchedConstraint]:
    """What the caller asks comes first, and a glossary is silent about the source of it."""
    found: list[MatchedConstraint] = [(constraint, None) for constraint in constraints]
    if matcher is None:
        return found
    taken = [constraint.source for constraint in constraints if constraint.source is not None]
    for match in matcher.match(text):
        if not any(spans_overlap(match.span, one) for one in taken):
            found.append((match.constraint, match))
    return found


def drop_protected(constraints: Sequence[MatchedConstraint], masked: MaskedText) -> list[MatchedConstraint]:
    """Without a glossary's terms that stand inside of an untranslatable, as "help" in an address."""
    protected = SpanSet(one.span for one in masked.originals)
    return [
        (constraint, match)
        for constraint, match in constraints
        if match is None or constraint.source is None or not protected.overlap(constraint.source)
    ]


def token_constraints(
    tokenizer: SubwordTokenizer, source: Encoding, constraints: Sequence[Constraint]
) -> tuple[TokenConstraint, ...]:
    """In the same order; `tokenizer` is the target's, `source` the sentence that they belong to.

    A target is split into subwords as the model would write it at the start of a word, so that "dog" is met
    by `▁dog` and not in `▁hot dog`; what may follow it is for the search, by `continues_word`.
    """
    return tuple(_token_constraint(tokenizer, source, constraint) for constraint in constraints)


def _token_constraint(
    tokenizer: SubwordTokenizer, source: Encoding, constraint: Constraint
) -> TokenConstraint:
    targets = [target.strip() for target in constraint.targets]
    alternatives = [
        *(tuple(tokenizer.encode_inside(target)) for target in targets),
        *(_part_tokens(tokenizer, part) for part in constraint.parts),
    ]
    beside = [_part_tokens(tokenizer, f"-{target}") for target in targets if target[:1].isupper()]
    return TokenConstraint(
        alternatives=(*alternatives, *(beside if constraint.kind == "avoid" else ())),
        beside=tuple(beside),
        source=None if constraint.source is None else touched(source.spans, constraint.source),
        kind=constraint.kind,
        bonus=constraint.bonus,
        whole=not any(part.endswith("-") for part in constraint.parts),
    )


def _part_tokens(tokenizer: SubwordTokenizer, part: str) -> tuple[int, ...]:
    """The subwords of a part of a longer word; those of "-daten" continue the word before them."""
    if part.endswith("-"):
        return tuple(tokenizer.encode_inside(part.strip("-")))
    encoded = tokenizer.encode_with_offsets(_NO_LETTER + part.strip("-"))
    return tuple(one for one, (start, _) in zip(encoded.ids, encoded.spans, strict=True) if start > 0)


def touched(pieces: Sequence[Span], span: Span) -> tuple[int, ...]:
    """The pieces that share a character with a stretch of the text."""
    return tuple(index for index, (start, end) in enumerate(pieces) if start < span[1] and span[0] < end)
