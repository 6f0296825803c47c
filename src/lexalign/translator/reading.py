"""From text to what is searched: sentences, with stand-ins for untranslatables, in tokens."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Matcher
from lexalign.markup.protection import (
    MaskedText,
    Patterns,
    Untranslatable,
    find_untranslatables,
    mask_text,
)
from lexalign.text.detection import already_in
from lexalign.text.sentences import keep_together, sentence_spans, split_to_fit
from lexalign.text.span_set import SpanSet
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.text.surface import check_unicode
from lexalign.translator.constraint_tokens import token_constraints
from lexalign.translator.glossaries import Asked, ask
from lexalign.translator.options import TranslateOptions
from lexalign.translator.plan import Sentence
from lexalign.translator.source_text import SourceSentence, SourceText

_MOST_CHARACTERS_PER_TOKEN = 100  # with addresses in a text; more are not worth looking at
_LINE = re.compile(r"\S(?:.*\S)?")
Text = str | tuple[str, Sequence[Constraint]]  # alone, or with what is asked of its translation


class RefusedError(LexalignError):
    """A text that cannot be translated; `reason` says why without naming it."""

    def __init__(self, number: int, reason: str, *, link: str = " ") -> None:
        super().__init__(f"text {number}{link}{reason}")
        self.reason, self._link = reason, link


Refuse = Callable[[int, RefusedError], None]  # is told the place of a text in the stream, from 0


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How texts are read for one call."""

    sentences: bool
    protect: bool
    patterns: Patterns
    max_tokens: int  # of a sentence; longer ones are split
    spans: bool  # of tokens are asked for, because all is aligned
    languages: Languages | None = None
    skip_translated: bool = False

    @classmethod
    def of(cls, options: TranslateOptions, limit: int, languages: Languages | None = None) -> "ReadOptions":
        return cls(
            sentences=options.sentences,
            protect=options.protect,
            patterns=Patterns(options.patterns),
            max_tokens=min(limit, options.max_sentence_tokens) if options.sentences else limit,
            spans=options.align is not None,
            languages=languages,
            skip_translated=options.skip_translated,
        )

    def is_translated(self, text: str) -> bool:
        """Whether a text needs no translation."""
        return self.skip_translated and self.languages is not None and already_in(text, *self.languages)


class SourceReader:
    def __init__(self, tokenizer: ModelTokenizer, limit: int, length_multiple: int) -> None:
        self._source, self._target = tokenizer.source, tokenizer.target
        self._limit, self._multiple = limit, length_multiple

    def read(
        self, text: Text, number: int, options: ReadOptions, matcher: Matcher | None = None
    ) -> SourceText:
        """`number` is that of the text, for errors."""
        text, given = (text, ()) if isinstance(text, str) else text
        check_text(text, number, given)
        if not given and options.is_translated(text):
            whole = _copied(text)
            return SourceText(text=text, sentences=(whole,), note="already in the target language")
        try:
            kept = self._untranslatables(text, given, options)
            spans = self._sentences(text, given, kept, options)
            sentences = tuple(
                self._read_sentence(text[slice(*span)], span, asked, own, options, matcher)
                for span, asked, own in zip(spans, _shared(given, spans), _divided(kept, spans), strict=True)
            )
        except RefusedError:
            raise
        except LexalignError as error:
            raise RefusedError(number, str(error), link=": ") from None
        return SourceText(text=text, sentences=sentences, constraints=tuple(given))

    def encode(self, text: str, number: int) -> list[int]:
        """Token ids of a source; none at all for a text without a word."""
        return self._encode(text, number, source=True, limit=self._limit)

    def encode_target(self, text: str, number: int, limit: int) -> list[int]:
        return self._encode(text, number, source=False, limit=limit)

    def count(self, text: str) -> int:
        """Tokens of a source, however many."""
        return len(self._source.encode(text)) if text.strip() else 0

    def _encode(self, text: str, number: int, *, source: bool, limit: int) -> list[int]:
        check_text(text, number)
        ids = (self._source if source else self._target).encode(text) if text.strip() else []
        if len(ids) > limit:
            raise RefusedError(number, f"has {len(ids)} tokens, over the model's limit of {limit}; split it")
        return ids

    def _untranslatables(
        self, text: str, given: Sequence[Constraint], options: ReadOptions
    ) -> list[Untranslatable]:
        """Where a caller asks for a translation, nothing is kept from it."""
        if not options.protect:
            return []
        asked = SpanSet(one.source for one in given if one.source is not None)
        return [one for one in find_untranslatables(text, options.patterns) if not asked.overlap(one.span)]

    def _sentences(
        self,
        text: str,
        given: Sequence[Constraint],
        kept: Sequence[Untranslatable],
        options: ReadOptions,
    ) -> list[Span]:
        """At least one, without white space around it; none is cut inside of what belongs together."""
        whole = [(0, len(text))]
        if not text.strip():
            return whole
        unplaced = any(one.source is None and one.kind != "avoid" for one in given)
        spans = whole if unplaced else _pieces(text, options)
        together = sorted(
            [one.span for one in kept] + [one.source for one in given if one.source is not None]
        )
        fitting = []
        for span in keep_together(spans, together):
            if self._fits(text[slice(*span)], options):
                fitting.append(span)
                continue
            if unplaced:
                raise LexalignError(
                    "it must be split, and a constraint does not say what it translates; give its source"
                )
            parts = split_to_fit(text, span, lambda part: self._fits(part, options))
            fitting += keep_together(parts, [one.span for one in kept])
        return fitting

    def _fits(self, text: str, options: ReadOptions) -> bool:
        # No token is shorter than a quarter of a character, which UTF-8 may spell in four bytes.
        if 4 * len(text) + 2 <= options.max_tokens:
            return True
        if len(text) > _MOST_CHARACTERS_PER_TOKEN * options.max_tokens:
            return False
        if options.protect:
            text = mask_text(text, find_untranslatables(text, options.patterns)).text
        return self.count(text) <= options.max_tokens

    def _read_sentence(
        self,
        text: str,
        span: Span,
        given: Sequence[Constraint],
        kept: Sequence[Untranslatable],
        options: ReadOptions,
        matcher: Matcher | None,
    ) -> SourceSentence:
        asked = ask(text, given, matcher)
        masked = mask_text(text, _unasked(kept, asked))
        asked = _outside(asked, masked)
        constraints, matches = tuple(one for one, _ in asked), tuple(match for _, match in asked)
        empty = SourceSentence(
            span=span,
            masked=masked,
            sentence=Sentence(()),
            length=0,
            constraints=constraints,
            matches=matches,
        )
        if not _is_searched(masked, constraints):
            return empty
        encoded = self._source.encode_with_offsets(masked.text) if self._needs_spans(empty, options) else None
        ids = self._source.encode(masked.text) if encoded is None else encoded.ids
        moved = [_moved(one, masked) for one in constraints]
        copied = [Constraint(targets=(one.word,), source=one.span) for one in masked.stand_ins]
        tokens: tuple[TokenConstraint, ...] = ()
        if encoded is not None:
            tokens = token_constraints(self._target, encoded, [*moved, *copied])
        return replace(
            empty,
            sentence=Sentence(ids, tokens[: len(moved)], tokens[len(moved) :], masked.changed),
            # With the end of sentence.
            length=-(-(len(ids) + 1) // self._multiple) * self._multiple,
            token_spans=() if encoded is None else tuple(encoded.spans),
        )

    def _needs_spans(self, sentence: SourceSentence, options: ReadOptions) -> bool:
        return bool(options.spans or sentence.constraints or sentence.masked.changed)


def _copied(text: str) -> SourceSentence:
    """A text that is its own translation."""
    return SourceSentence(span=(0, len(text)), masked=mask_text(text, ()), sentence=Sentence(()), length=0)


def _pieces(text: str, options: ReadOptions) -> list[Span]:
    """Sentences, or lines; without white space around them."""
    if options.sentences:
        return sentence_spans(text, language=options.languages and options.languages[0])
    return [match.span() for match in _LINE.finditer(text)]


def check_text(text: str, number: int, given: Sequence[Constraint] = ()) -> None:
    """Refuse what cannot be translated."""
    if "\0" in text:
        raise RefusedError(number, "contains a NUL character; is it text?")
    try:
        check_unicode(text)
    except LexalignError as error:
        raise RefusedError(number, str(error), link=": ") from None
    for start, end in (one.source for one in given if one.source is not None):
        if not 0 <= start < end <= len(text):
            raise RefusedError(
                number,
                f"the source {start} to {end} of a constraint lies outside of the text, which has "
                f"{len(text)} characters",
                link=": ",
            )


def _shared(constraints: Sequence[Constraint], spans: Sequence[Span]) -> list[list[Constraint]]:
    """What is asked of each sentence; what is to be avoided everywhere is asked of all."""
    found: list[list[Constraint]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    for one in constraints:
        if one.source is None:
            for asked in found:
                asked.append(one)
            continue
        place = max(0, bisect_right(starts, one.source[0]) - 1)
        start, end = spans[place]
        if not start <= one.source[0] < one.source[1] <= end:
            raise LexalignError("it must be split, and a constraint lies across a split; split it yourself")
        found[place].append(replace(one, source=(one.source[0] - start, one.source[1] - start)))
    return found


def _divided(kept: Sequence[Untranslatable], spans: Sequence[Span]) -> list[list[Untranslatable]]:
    """The untranslatables of each sentence, counted from its beginning."""
    found: list[list[Untranslatable]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    for one in kept:
        place = bisect_right(starts, one.start) - 1
        if place >= 0 and one.end <= spans[place][1]:
            start = starts[place]
            found[place].append(replace(one, start=one.start - start, end=one.end - start))
    return found


def _unasked(kept: Sequence[Untranslatable], asked: Sequence[Asked]) -> list[Untranslatable]:
    """Without those that a term covers: a term says how they are translated."""
    covered = SpanSet(constraint.source for constraint, _ in asked if constraint.source is not None)
    return [one for one in kept if not covered.cover(one.span)]


def _outside(asked: Sequence[Asked], masked: MaskedText) -> list[Asked]:
    """Without a glossary's terms that stand inside of an untranslatable, as "help" in an address."""
    kept = SpanSet(one.span for one in masked.originals)
    return [
        (constraint, match)
        for constraint, match in asked
        if match is None or constraint.source is None or not kept.overlap(constraint.source)
    ]


def _is_searched(masked: MaskedText, constraints: Sequence[Constraint]) -> bool:
    """Marks alone, and untranslatables with nothing but marks around them, are copied."""
    if constraints:
        return bool(masked.text.strip())
    return masked.has_words if masked.changed else any(map(str.isalnum, masked.text))


def _moved(constraint: Constraint, masked: MaskedText) -> Constraint:
    if constraint.source is None:
        return constraint
    return replace(constraint, source=masked.from_source(constraint.source))
