"""Hypotheses become translations: text, terms, links, untranslatables and missing numbers."""

from collections.abc import Iterator, Sequence
from operator import itemgetter

from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis, UnmetReason
from lexalign.glossary import Match
from lexalign.markup.protection import (
    ProtectedSpan,
    RestoredText,
    missing_numbers,
    restore_links,
    restore_text,
    with_own_currency,
)
from lexalign.text.capitals import in_capitals
from lexalign.text.longer_words import enclosing_word, find_part, find_words_of
from lexalign.text.subwords import Languages, SubwordTokenizer
from lexalign.translator.coverage import source_coverage
from lexalign.translator.joining import join_sentences
from lexalign.translator.number_formats import fit_numbers
from lexalign.translator.sentence_case import with_sentence_capital
from lexalign.translator.source_text import Ids, SourceSentence, SourceText
from lexalign.translator.term_articles import fit_articles, fit_number
from lexalign.translator.term_spacing import close_up_terms, first_letter
from lexalign.translator.translation import ScoredTarget, TermResult, Translation

Ranked = Sequence[Hypothesis]  # the best first; none where a sentence was not searched


class TranslationWriter:
    def __init__(self, tokenizer: SubwordTokenizer, languages: Languages | None = None) -> None:
        self._tokenizer, self._languages = tokenizer, languages

    def translation(self, source: SourceText, found: Sequence[Ranked]) -> Translation:
        """The whole text, from what was found for each of its sentences."""
        parts = [self.sentence(*pair) for pair in zip(source.sentences, found, strict=True)]
        return join_sentences(source, parts)

    def scored(self, text: str, ids: Ids, log_probabilities: Sequence[float]) -> ScoredTarget:
        *tokens, end = log_probabilities
        return ScoredTarget(
            text=text,
            tokens=tuple(self._tokenizer.pieces(ids)),
            token_log_probabilities=tuple(tokens),
            end_log_probability=end,
            log_probability=sum(log_probabilities),
        )

    def sentence(self, source: SourceSentence, ranked: Ranked) -> Translation:
        """One sentence, with offsets from its beginning."""
        if not ranked:
            return _copied(source)
        best, *others = ranked
        return self._write(best, source, tuple(self._write(other, source) for other in others))

    def _write(
        self, hypothesis: Hypothesis, source: SourceSentence, alternatives: tuple[Translation, ...] = ()
    ) -> Translation:
        *log_probabilities, end = hypothesis.token_log_probabilities
        decoded, spans = self._tokenizer.decode_with_offsets(hypothesis.token_ids)
        decoded, spans = close_up_terms(
            source.text, decoded, spans, source.constraints, hypothesis.constraint_results
        )
        if self._languages and self._languages[1] == "en":
            decoded, spans = fit_number(decoded, spans, source.constraints, hypothesis.constraint_results)
            decoded, spans = fit_articles(decoded, spans, hypothesis.constraint_results)
        if self._languages:
            decoded, spans = fit_numbers(decoded, spans, source.masked.text, self._languages)
        links = _links(hypothesis, source, spans)
        restored = restore_text(source.masked, decoded, links)
        skipped = [one.source for one in restored.protected]
        terms = _terms(hypothesis, source, restored, decoded, spans)
        text = with_sentence_capital(restored.text, source.text, terms)
        kept = sorted(one.target for one in restored.protected)
        text = with_own_currency(source.text, text, kept)
        if source.capitals:
            text = in_capitals(text, kept)
        covered, uncovered = source_coverage(hypothesis, source)
        return Translation(
            source=source.text,
            text=text,
            tokens=tuple(self._tokenizer.pieces(hypothesis.token_ids)),
            token_log_probabilities=tuple(log_probabilities),
            end_log_probability=end,
            log_probability=hypothesis.log_probability,
            score=hypothesis.score,
            complete=hypothesis.complete,
            alternatives=alternatives,
            terms=terms,
            links=restore_links(source.masked, restored, links),
            protected=restored.protected,
            missing_numbers=tuple(missing_numbers(source.text, text, skipped)),
            covered=covered,
            uncovered=uncovered,
        )


def _copied(source: SourceSentence) -> Translation:
    """A sentence without a word is its own translation."""
    protected = tuple(
        ProtectedSpan(
            text=source.text[slice(*one.span)],
            kind=one.kind,
            source=one.span,
            target=one.span,
            placement="copied",
        )
        for one in source.masked.originals
    )
    terms = tuple(
        TermResult(constraint=one, met=False, reason="no source", match=match)
        for one, match in _asked(source)
    )
    return Translation(source=source.text, text=source.text, terms=terms, protected=protected)


def _terms(
    hypothesis: Hypothesis,
    source: SourceSentence,
    restored: RestoredText,
    decoded: str,
    spans: Sequence[Span],
) -> tuple[TermResult, ...]:
    """What became of the constraints, in characters."""
    if not hypothesis.constraint_results:
        return tuple(look_for(constraint, match, restored.text) for constraint, match in _asked(source))
    found = []
    for (constraint, match), result in zip(_asked(source), hypothesis.constraint_results, strict=True):
        target = None
        if result.tokens is not None:
            first = first_letter(decoded, spans[result.tokens[0]][0])
            target = restored.moved((first, spans[result.tokens[1] - 1][1]))
        reason, part_of = _longer_word(constraint, result, source.text, target and (restored.text, target))
        found.append(
            TermResult(
                constraint=constraint,
                met=result.met,
                target=target,
                part_of=part_of,
                reason=reason,
                probability=result.probability,
                match=match,
            )
        )
    return tuple(found)


def _longer_word(
    constraint: Constraint, result: ConstraintResult, source: str, place: tuple[str, Span] | None
) -> tuple[UnmetReason | None, str | None]:
    """The reason why a constraint is not met, and the longer word that it, or its source, is a part of."""
    if place is not None:
        word = enclosing_word(*place)
        return result.reason, word if constraint.parts or result.reason == "inside a word" else None
    if result.reason == "not aligned" and constraint.source is not None:
        word = enclosing_word(source, constraint.source)
        return ("inside a source word" if word else result.reason), word
    return result.reason, None


def _asked(source: SourceSentence) -> Iterator[tuple[Constraint, Match | None]]:
    return zip(source.constraints, source.matches, strict=True)


def look_for(constraint: Constraint, asked_by: Match | None, text: str) -> TermResult:
    """What became of a constraint about which nothing was done: it may be met all the same."""
    forms = filter(None, map(str.strip, constraint.targets))
    whole = (span for form in forms for span in find_words_of(form, text))
    parts = (span for part in constraint.parts for span in find_part(part, text))
    found = min(whole, key=itemgetter(0), default=None) or min(parts, key=itemgetter(0), default=None)
    met = (found is None) == (constraint.kind == "avoid")
    part_of = enclosing_word(text, found) if found and constraint.parts else None
    return TermResult(constraint=constraint, met=met, target=found, part_of=part_of, match=asked_by)


def _links(hypothesis: Hypothesis, source: SourceSentence, spans: Sequence[Span]) -> tuple[SpanLink, ...]:
    """Between the masked text and its translation.

    Tokens without a visible character, and those that come from one, have none.
    """
    pairs = ((source.token_spans[origin.source], origin.probability) for origin in hypothesis.origins)
    return tuple(
        SpanLink(origin, target, probability)
        for (origin, probability), target in zip(pairs, spans, strict=False)
        if origin[0] < origin[1] and target[0] < target[1]
    )
