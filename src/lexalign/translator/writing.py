"""From what was found to text, and what is to be said of it."""

from collections.abc import Iterator, Sequence
from operator import itemgetter

from lexalign.characters import goes_on, in_word
from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.glossary import Match
from lexalign.text.subwords import SubwordTokenizer
from lexalign.translator.plan import Ids
from lexalign.translator.reading import Reading
from lexalign.translator.translation import ScoredTarget, Term, Translation


class TranslationWriter:
    def __init__(self, tokenizer: SubwordTokenizer) -> None:
        self._tokenizer = tokenizer

    def translation(self, ranked: Sequence[Hypothesis], reading: Reading) -> Translation:
        if not ranked:
            terms = tuple(
                Term(constraint=one, met=False, reason="no source", match=match)
                for one, match in _asked(reading)
            )
            return Translation(text="", terms=terms)
        best, *others = ranked
        return self._write(best, reading, tuple(self._write(other, reading) for other in others))

    def scored(self, text: str, ids: Ids, log_probabilities: Sequence[float]) -> ScoredTarget:
        *tokens, end = log_probabilities
        return ScoredTarget(
            text=text,
            tokens=tuple(self._tokenizer.pieces(ids)),
            token_log_probabilities=tuple(tokens),
            end_log_probability=end,
            log_probability=sum(log_probabilities),
        )

    def _write(
        self, hypothesis: Hypothesis, reading: Reading, alternatives: tuple[Translation, ...] = ()
    ) -> Translation:
        *log_probabilities, end = hypothesis.token_log_probabilities
        text, spans = self._tokenizer.decode_with_offsets(hypothesis.token_ids)
        return Translation(
            text=text,
            tokens=tuple(self._tokenizer.pieces(hypothesis.token_ids)),
            token_log_probabilities=tuple(log_probabilities),
            end_log_probability=end,
            log_probability=hypothesis.log_probability,
            score=hypothesis.score,
            complete=hypothesis.complete,
            alternatives=alternatives,
            terms=_terms(hypothesis, reading, text, spans),
            links=_links(hypothesis, reading, spans),
        )


def _terms(hypothesis: Hypothesis, reading: Reading, text: str, spans: Sequence[Span]) -> tuple[Term, ...]:
    """What became of the constraints, in characters."""
    if not hypothesis.fates:
        return tuple(_look_for(constraint, match, text) for constraint, match in _asked(reading))
    return tuple(
        Term(
            constraint=constraint,
            met=fate.met,
            target=None if fate.tokens is None else (spans[fate.tokens[0]][0], spans[fate.tokens[1] - 1][1]),
            reason=fate.reason,
            probability=fate.probability,
            match=match,
        )
        for (constraint, match), fate in zip(_asked(reading), hypothesis.fates, strict=True)
    )


def _asked(reading: Reading) -> Iterator[tuple[Constraint, Match | None]]:
    return zip(reading.constraints, reading.matches, strict=True)


def _look_for(constraint: Constraint, asked_by: Match | None, text: str) -> Term:
    """Where nothing was done about a constraint, it may be met all the same."""
    forms = filter(None, map(str.strip, constraint.targets))
    found = min((span for form in forms for span in _places(form, text)), key=itemgetter(0), default=None)
    met = (found is None) == (constraint.kind == "avoid")
    return Term(constraint=constraint, met=met, target=found, match=asked_by)


def _places(form: str, text: str) -> Iterator[Span]:
    """Where a form stands as whole words."""
    start = text.find(form)
    while start >= 0:
        end = start + len(form)
        inside = start > 0 and in_word(text[start - 1]) and goes_on(form)
        if not inside and not goes_on(text[end : end + 1]):
            yield start, end
        start = text.find(form, start + 1)


def _links(hypothesis: Hypothesis, reading: Reading, spans: Sequence[Span]) -> tuple[SpanLink, ...]:
    """Tokens without a visible character, and those that come from one, have none."""
    pairs = ((reading.spans[origin.source], origin.probability) for origin in hypothesis.origins)
    return tuple(
        SpanLink(source, target, probability)
        for (source, probability), target in zip(pairs, spans, strict=False)
        if source[0] < source[1] and target[0] < target[1]
    )
