"""The translations of a text's sentences as one, with offsets into the whole.

What stands between sentences is kept as it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lexalign.contracts.alignment import SpanLink, shift_span
from lexalign.contracts.constraint import Constraint
from lexalign.markup.protection import ProtectedSpan
from lexalign.text.sentences import replace_sentences
from lexalign.translator.source_text import SourceSentence, SourceText
from lexalign.translator.translation import StreamedToken, TermResult, Translation


def join_sentences(source: SourceText, translations: Sequence[Translation]) -> Translation:
    """Each with alternatives of its own; where one has fewer of them, its last goes on."""
    num_ranks = 1 + max(len(one.alternatives) for one in translations)
    best, *others = (_join(source, [_ranked(one, rank) for one in translations]) for rank in range(num_ranks))
    return replace(best, alternatives=tuple(others))


def with_gaps(source: SourceText) -> Iterator[tuple[SourceSentence, str]]:
    """Each sentence, and what stands before it."""
    end = 0
    for sentence in source.sentences:
        yield sentence, source.text[end : sentence.span[0]]
        end = sentence.span[1]


def join_token(token: StreamedToken, sentence: SourceSentence, gap: str = "") -> StreamedToken:
    """A token of a sentence as one of the whole text; the first brings what stands before the sentence."""
    return replace(token, text=gap + token.text, source=shift_span(token.source, sentence.span[0]))


def _ranked(translation: Translation, rank: int) -> Translation:
    return (translation, *translation.alternatives)[: rank + 1][-1]


def _join(source: SourceText, parts: Sequence[Translation]) -> Translation:
    spans = [sentence.span for sentence in source.sentences]
    text, starts = replace_sentences(source.text, spans, [part.text for part in parts])
    shifts = [(span[0], start) for span, start in zip(spans, starts, strict=True)]
    placed = list(zip(parts, shifts, strict=True))
    lengths = [len(part.tokens) + 1 for part in parts]
    return Translation(
        source=source.text,
        note=source.note,
        text=text,
        tokens=tuple(token for part in parts for token in part.tokens),
        token_log_probabilities=tuple(one for part in parts for one in part.token_log_probabilities),
        end_log_probability=sum(part.end_log_probability for part in parts),
        log_probability=sum(part.log_probability for part in parts),
        score=sum(part.score * size for part, size in zip(parts, lengths, strict=True)) / sum(lengths),
        complete=all(part.complete for part in parts),
        sentences=tuple(
            SpanLink(span, (start, start + len(part.text)))
            for span, start, part in zip(spans, starts, parts, strict=True)
            if part.text.strip()
        ),
        terms=_terms(source, placed),
        links=tuple(link.shifted(*shift) for part, shift in placed for link in part.links),
        protected=tuple(_shift_protected(one, *shift) for part, shift in placed for one in part.protected),
        missing_numbers=tuple(
            shift_span(span, shift[0]) for part, shift in placed for span in part.missing_numbers
        ),
        covered=_covered(parts),
        uncovered=tuple(
            replace(one, source=shift_span(one.source, shift[0]))
            for part, shift in placed
            for one in part.uncovered
        ),
    )


def _covered(parts: Sequence[Translation]) -> float | None:
    """The share of all words, where it is known of every sentence that was searched."""
    known = [(part.covered, len(part.source.split())) for part in parts if part.tokens]
    if not known or any(share is None for share, _ in known):
        return None
    return sum((share or 0.0) * size for share, size in known) / max(1, sum(size for _, size in known))


def _terms(
    source: SourceText, placed: Sequence[tuple[Translation, tuple[int, int]]]
) -> tuple[TermResult, ...]:
    """In the order in which they were asked, then what a glossary asked for.

    A constraint that was asked of all sentences is met if all meet it.
    """
    asked: dict[Constraint, list[TermResult]] = {}
    from_glossary: list[TermResult] = []
    for part, shift in placed:
        for term in part.terms:
            shifted = _shift_term(term, *shift)
            if shifted.match is None:
                asked.setdefault(shifted.constraint, []).append(shifted)
            else:
                from_glossary.append(shifted)
    found = []
    for constraint in source.constraints:
        terms = asked[constraint]
        if constraint.source is None:
            found.append(next((term for term in terms if not term.met), terms[0]))
        else:
            found.append(terms.pop(0))
    return (*found, *from_glossary)


def _shift_term(term: TermResult, source_start: int, target_start: int) -> TermResult:
    source, match = term.constraint.source, term.match
    constraint = replace(term.constraint, source=None if source is None else shift_span(source, source_start))
    if match is not None:
        match = replace(match, span=shift_span(match.span, source_start), constraint=constraint)
    target = None if term.target is None else shift_span(term.target, target_start)
    return replace(term, constraint=constraint, target=target, match=match)


def _shift_protected(one: ProtectedSpan, source_start: int, target_start: int) -> ProtectedSpan:
    return replace(
        one, source=shift_span(one.source, source_start), target=shift_span(one.target, target_start)
    )
