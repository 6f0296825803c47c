"""Texts become sentences in tokens, with stand-ins for untranslatables and with constraints."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import starmap

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Match, Matcher
from lexalign.markup.protection import (
    MaskedText,
    Untranslatable,
    find_untranslatables,
    mask_text,
)
from lexalign.text.alphabet import Alphabet
from lexalign.text.capitals import without_capitals
from lexalign.text.sentences import keep_together, sentence_spans, split_to_fit
from lexalign.text.span_set import SpanSet
from lexalign.text.subwords import Encoding, ModelTokenizer, SubwordTokenizer
from lexalign.translator.constraints import (
    MatchedConstraint,
    divide_constraints,
    drop_protected,
    match_constraints,
    token_constraints,
)
from lexalign.translator.options import ReadOptions
from lexalign.translator.source_text import (
    Refuse,
    RefusedError,
    Sentence,
    SourceSentence,
    SourceText,
    Text,
    check_text,
)
from lexalign.translator.stand_in_words import StandInFinder

_MOST_CHARACTERS_PER_TOKEN = 100  # with addresses in a text; more are not worth looking at
_LINE = re.compile(r"\S(?:.*\S)?")
_LIST_MARK = re.compile(r"(?:[-*+•‣◦·▪●■–—]|\[[ xX]\])[ \t\u00a0]+(?=\S)")
# Gets the number of tokens that are to be searched, again and again while a text is read; it may raise, where
# there are too many of them, or nobody waits for them any more.
Watch = Callable[[int], None]


def unwatched(_num_tokens: int) -> None: ...


class SourceReader:
    """Reads each text once: a sentence's tokens are computed once, and carried to the search and beyond."""

    def __init__(self, tokenizer: ModelTokenizer, limit: int, length_multiple: int) -> None:
        self._source, self._target = tokenizer.source, tokenizer.target
        self._alphabet = Alphabet(tokenizer.source)
        self._limit, self._multiple = limit, length_multiple
        self._stand_ins = StandInFinder(tokenizer, limit)

    def read(
        self,
        text: Text,
        number: int,
        options: ReadOptions,
        matcher: Matcher | None = None,
        refuse: Refuse | None = None,
        watch: Watch = unwatched,
    ) -> SourceText:
        """Errors name the text by its `number`. A text that cannot be translated is an error, or is given to
        `refuse` and becomes empty."""
        try:
            return self._read(text, number, options, matcher, watch)
        except RefusedError as refusal:
            if refuse is None:
                raise
            refuse(number - 1, refusal)
            return self._read("", number, options, matcher, watch)

    def encode(self, text: str, number: int) -> list[int]:
        """The token ids of a source; a text of white space has none."""
        return _encode(self._source, text, number, self._limit)

    def encode_target(self, text: str, number: int, limit: int) -> list[int]:
        return _encode(self._target, text, number, limit)

    def count(self, text: str) -> int:
        """The number of tokens of a source."""
        return len(self._source.encode(text)) if text.strip() else 0

    def fits(self, text: str, max_tokens: int) -> bool:
        """Whether a source has at most so many tokens."""
        return _surely_fits(text, max_tokens) or self.count(text) <= max_tokens

    def _read(
        self, text: Text, number: int, options: ReadOptions, matcher: Matcher | None, watch: Watch
    ) -> SourceText:
        text, given = (text, ()) if isinstance(text, str) else text
        check_text(text, number, given)
        if not given and options.is_translated(text):
            whole = _copied(text)
            return SourceText(text=text, sentences=(whole,), note="already in the target language")
        try:
            sentences = self._sentences(text, given, options, matcher, watch)
        except LexalignError as error:
            raise RefusedError(number, str(error), link=": ") from None
        return SourceText(text=text, sentences=sentences, constraints=tuple(given))

    def _sentences(
        self,
        text: str,
        given: Sequence[Constraint],
        options: ReadOptions,
        matcher: Matcher | None,
        watch: Watch,
    ) -> tuple[SourceSentence, ...]:
        kept = _untranslatables(text, given, options, self._alphabet)
        splitter = _SentenceSplitter(
            self._source, self._alphabet, options, watch, has_terms=bool(given) or matcher is not None
        )
        spans = splitter.split(text, given, kept)
        found: list[SourceSentence] = []
        num_tokens = 0
        for span, constraints, own in zip(
            spans, divide_constraints(given, spans), _divide(kept, spans), strict=True
        ):
            found.append(self._read_sentence(text[slice(*span)], span, constraints, own, splitter, matcher))
            num_tokens += found[-1].length
            watch(num_tokens)
        return tuple(found)

    def _read_sentence(
        self,
        text: str,
        span: Span,
        given: Sequence[Constraint],
        kept: Sequence[Untranslatable],
        splitter: "_SentenceSplitter",
        matcher: Matcher | None,
    ) -> SourceSentence:
        matched = match_constraints(text, given, matcher)
        masked = mask_text(text, _unasked(kept, matched))
        matched = drop_protected(matched, masked)
        constraints, matches = tuple(one for one, _ in matched), tuple(match for _, match in matched)
        found = SourceSentence(
            span=span,
            masked=masked,
            sentence=Sentence(()),
            length=0,
            constraints=constraints,
            matches=matches,
        )
        if not _is_searched(masked, constraints):
            return found
        calm = without_capitals(masked.text, [one.span for one in masked.stand_ins])
        visible = calm or masked.text
        encoding = splitter.encode(visible)
        return replace(
            found,
            capitals=calm is not None,
            sentence=self._sentence(
                visible, encoding, masked, constraints if calm is None else list(starmap(_as_listed, matched))
            ),
            # With the end of sentence.
            length=-(-(len(encoding.ids) + 1) // self._multiple) * self._multiple,
            token_spans=encoding.spans,
        )

    def _sentence(
        self, visible: str, encoding: Encoding, masked: MaskedText, constraints: Sequence[Constraint]
    ) -> Sentence:
        moved = [_moved(one, masked) for one in constraints]
        copied = [Constraint(targets=(one.word,), source=one.span) for one in masked.stand_ins]
        tokens = token_constraints(self._target, encoding, [*moved, *copied])
        stand_ins = self._stand_ins.find(visible, encoding, moved, tokens)
        return Sentence(encoding.ids, tokens[: len(moved)], tokens[len(moved) :], masked.changed, stand_ins)


class _SentenceSplitter:
    """Splits one text, and remembers the tokens of what fits."""

    def __init__(
        self,
        tokenizer: SubwordTokenizer,
        alphabet: Alphabet,
        options: ReadOptions,
        watch: Watch,
        *,
        has_terms: bool,
    ) -> None:
        self._tokenizer, self._alphabet = tokenizer, alphabet
        self._options, self._watch = options, watch
        self._has_terms = has_terms
        self._num_tokens = 0  # of what fits, and is searched
        self._encodings: dict[str, Encoding] = {}  # by masked text

    def encode(self, masked: str) -> Encoding:
        """The tokens of a sentence, which are not computed again where they were counted."""
        return self._encodings.get(masked) or self._tokenizer.encode_with_offsets(masked)

    def split(self, text: str, given: Sequence[Constraint], kept: Sequence[Untranslatable]) -> list[Span]:
        """At least one sentence, without white space around it; what belongs together is not cut."""
        whole = [(0, len(text))]
        if not text.strip():
            return whole
        unplaced = any(one.source is None and one.kind != "avoid" for one in given)
        together = sorted(
            [one.span for one in kept] + [one.source for one in given if one.source is not None]
        )
        spans = keep_together(whole if unplaced else self._pieces(text), together)
        fitting = []
        for span, own in zip(spans, _divide(kept, spans), strict=True):
            if self._fits(text[slice(*span)], own):
                fitting.append(span)
                continue
            if unplaced:
                raise LexalignError(
                    "it must be split, and a constraint does not say what it translates; give its source"
                )
            fitting += keep_together(split_to_fit(text, span, self._fits), [one.span for one in kept])
        return fitting

    def _pieces(self, text: str) -> list[Span]:
        """Sentences, or lines, without white space around them or a list mark before them."""
        languages = self._options.languages
        if self._options.sentences:
            spans = sentence_spans(text, language=languages and languages[0])
        else:
            spans = [match.span() for match in _LINE.finditer(text)]
        return [_without_list_mark(text, span) for span in spans] if self._options.protect else spans

    def _fits(self, text: str, kept: Sequence[Untranslatable] | None = None) -> bool:
        """`kept` are its untranslatables; those of a part, which may cut them, are looked for in it."""
        options = self._options
        if _surely_fits(text, options.max_tokens):
            return True
        if not self._has_terms and not any(map(str.isalnum, text)):  # marks are copied, however many
            return True
        if len(text) > _MOST_CHARACTERS_PER_TOKEN * options.max_tokens:
            return False
        if kept is None:
            kept = _untranslatables(text, (), options, self._alphabet)
        masked = mask_text(text, kept)
        if not masked.text.strip():
            return True
        self._watch(self._num_tokens)
        encoding = self._tokenizer.encode_with_offsets(masked.text)
        if len(encoding.ids) > options.max_tokens:
            return False
        self._encodings[masked.text] = encoding
        self._num_tokens += len(encoding.ids) if _is_searched(masked, ()) else 0
        return True


def _as_listed(constraint: Constraint, match: Match | None) -> Constraint:
    """What a glossary asks for in a text in capitals, in the letters in which it is listed."""
    listed = {target.upper(): target for entry in match.entries for target in entry.targets} if match else {}
    if match is None or not listed:
        return constraint
    with_capital = match.entry.targets[0][:1].isupper()

    def restored(target: str) -> str:
        if not target.isupper():
            return target
        small = target.lower()
        return listed.get(target) or (target[0] + small[1:] if with_capital else small)

    return replace(constraint, targets=tuple(map(restored, constraint.targets)))


def _without_list_mark(text: str, span: Span) -> Span:
    """The sentence behind a mark at the beginning of a line, which stays as it is."""
    start, end = span
    mark = _LIST_MARK.match(text, start, end)
    line = start
    while mark and line and text[line - 1] in " \t\u00a0":
        line -= 1
    return (mark.end(), end) if mark and (line == 0 or text[line - 1] in "\n\r") else span


def _surely_fits(text: str, max_tokens: int) -> bool:
    """No token is shorter than a quarter of a character, which UTF-8 may spell in four bytes."""
    return 4 * len(text) + 2 <= max_tokens


def _divide(kept: Sequence[Untranslatable], spans: Sequence[Span]) -> list[list[Untranslatable]]:
    """The untranslatables of each sentence, counted from its beginning."""
    found: list[list[Untranslatable]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    for one in kept:
        place = bisect_right(starts, one.start) - 1
        if place >= 0 and one.end <= spans[place][1]:
            start = starts[place]
            found[place].append(replace(one, start=one.start - start, end=one.end - start))
    return found


def _copied(text: str) -> SourceSentence:
    """A text that is its own translation."""
    return SourceSentence(span=(0, len(text)), masked=mask_text(text, ()), sentence=Sentence(()), length=0)


def _untranslatables(
    text: str, given: Sequence[Constraint], options: ReadOptions, alphabet: Alphabet
) -> list[Untranslatable]:
    """Where a caller asks for a translation, nothing is kept from it."""
    if not options.protect:
        return []
    asked = SpanSet(one.source for one in given if one.source is not None)
    found = find_untranslatables(text, options.patterns, alphabet.unknown)
    return [one for one in found if not asked.overlap(one.span)]


def _encode(tokenizer: SubwordTokenizer, text: str, number: int, limit: int) -> list[int]:
    check_text(text, number)
    ids = tokenizer.encode(text) if text.strip() else []
    if len(ids) > limit:
        raise RefusedError(number, f"has {len(ids)} tokens, over the model's limit of {limit}; split it")
    return ids


def _unasked(
    kept: Sequence[Untranslatable], constraints: Sequence[MatchedConstraint]
) -> list[Untranslatable]:
    """Without those that a term covers: a term says how they are translated."""
    covered = SpanSet(constraint.source for constraint, _ in constraints if constraint.source is not None)
    return [one for one in kept if not covered.cover(one.span)]


def _is_searched(masked: MaskedText, constraints: Sequence[Constraint]) -> bool:
    """Marks alone, and untranslatables with nothing but marks around them, are copied."""
    if constraints:
        return bool(masked.text.strip())
    return masked.has_words if masked.changed else any(map(str.isalnum, masked.text))


def _moved(constraint: Constraint, masked: MaskedText) -> Constraint:
    if constraint.source is None:
        return constraint
    return replace(constraint, source=masked.from_source(constraint.source))
