"""The translations of a text's sentences as one, with offsets into the whole.

What stands between sentences is kept as it is.
"""

from collections.abc import Sequence
from dataclasses import replace

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.constraint import Constraint
from lexalign.markup.protection import ProtectedSpan
from lexalign.translator.source_text import SourceText
from lexalign.translator.translation import TermResult, Translation


def join_sentences(source: SourceText, translations: Sequence[Translation]) -> Translation:
    """Each with alternatives of its own; where one has fewer of them, its last goes on."""
    num_ranks = 1 + max(len(one.alternatives) for one in translations)
    best, *others = (_join(source, [_ranked(one, rank) for one in translations]) for rank in range(num_ranks))
    return replace(best, alternatives=tuple(others))


def _ranked(translation: Translation, rank: int) -> Translation:
    return (translation, *translation.alternatives)[: rank + 1][-1]


def _join(source: SourceText, parts: Sequence[Translation]) -> Translation:
    texts: list[str] = []
    shifts: list[tuple[int, int]] = []
    end = length = 0
    for sentence, part in zip(source.sentences, parts, strict=True):
        gap = source.text[end : sentence.span[0]]
        shifts.append((sentence.span[0], length + len(gap)))
        texts += (gap, part.text)
        length += len(gap) + len(part.text)
        end = sentence.span[1]
    placed = list(zip(parts, shifts, strict=True))
    lengths = [len(part.tokens) + 1 for part in parts]
    return Translation(
        source=source.text,
        note=source.note,
        text="".join([*texts, source.text[end:]]),
        tokens=tuple(token for part in parts for token in part.tokens),
        token_log_probabilities=tuple(one for part in parts for one in part.token_log_probabilities),
        end_log_probability=sum(part.end_log_probability for part in parts),
        log_probability=sum(part.log_probability for part in parts),
        score=sum(part.score * size for part, size in zip(parts, lengths, strict=True)) / sum(lengths),
        complete=all(part.complete for part in parts),
        terms=_terms(source, placed),
        links=tuple(_moved_link(link, *shift) for part, shift in placed for link in part.links),
        protected=tuple(_moved_span(one, *shift) for part, shift in placed for one in part.protected),
        missing_numbers=tuple(
            _moved(span, shift[0]) for part, shift in placed for span in part.missing_numbers
        ),
    )


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
            moved = _moved_term(term, *shift)
            if moved.match is None:
                asked.setdefault(moved.constraint, []).append(moved)
            else:
                from_glossary.append(moved)
    found = []
    for constraint in source.constraints:
        terms = asked[constraint]
        if constraint.source is None:
            found.append(next((term for term in terms if not term.met), terms[0]))
        else:
            found.append(terms.pop(0))
    return (*found, *from_glossary)


def _moved_term(term: TermResult, source_start: int, target_start: int) -> TermResult:
    source, match = term.constraint.source, term.match
    constraint = replace(term.constraint, source=None if source is None else _moved(source, source_start))
    if match is not None:
        match = replace(match, span=_moved(match.span, source_start), constraint=constraint)
    target = None if term.target is None else _moved(term.target, target_start)
    return replace(term, constraint=constraint, target=target, match=match)


def _moved_link(link: SpanLink, source_start: int, target_start: int) -> SpanLink:
    return SpanLink(_moved(link.source, source_start), _moved(link.target, target_start), link.probability)


def _moved_span(one: ProtectedSpan, source_start: int, target_start: int) -> ProtectedSpan:
    return replace(one, source=_moved(one.source, source_start), target=_moved(one.target, target_start))


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
