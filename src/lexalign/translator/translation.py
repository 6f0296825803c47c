"""The results of a translator."""

from dataclasses import dataclass

from lexalign.contracts.alignment import Span, SpanLink, spans_overlap
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.hypothesis import UnmetReason
from lexalign.glossary import Match
from lexalign.markup.protection import ProtectedSpan

_QUOTED = 80  # characters


@dataclass(frozen=True, kw_only=True)
class ScoredTarget:
    """A target text in tokens, each with its log-probability given the source and the tokens before it."""

    text: str
    tokens: tuple[str, ...] = ()
    token_log_probabilities: tuple[float, ...] = ()  # one for each token
    end_log_probability: float = 0.0  # of ending after the last token
    log_probability: float = 0.0  # of all of it, the end included


@dataclass(frozen=True, kw_only=True)
class TermResult:
    """What became of a constraint: where in the translation it is met, or why it is not.

    `part_of` is the longer word that the target, or of an unmet one the source, is only a part of.
    `probability` is that the target comes from the constraint's source, where alignments were asked for;
    `match` tells how a glossary came to ask for it.
    """

    constraint: Constraint
    met: bool
    target: Span | None = None
    part_of: str | None = None
    reason: UnmetReason | None = None
    probability: float | None = None
    match: Match | None = None


@dataclass(frozen=True, kw_only=True)
class UncoveredWord:
    """A source word that nothing in the translation seems to come from.

    It counts as `lost` if it, or what is uncovered beside it, is too long to be translated by nothing.
    """

    source: Span
    probability: float  # that nothing comes from it
    lost: bool = False


@dataclass(frozen=True, kw_only=True)
class Translation(ScoredTarget):
    """A translation that a search has found; what has no word is its own translation.

    Tokens are those of the search, in which stand-ins such as X1 take the place of protected spans.
    """

    score: float = 0.0  # the log-probability after the length penalty, by which hypotheses are ranked
    complete: bool = True  # False where the length limit ended it
    alternatives: tuple["Translation", ...] = ()  # the next best, best first
    terms: tuple[TermResult, ...] = ()  # of the sentence's constraints, in their order
    sentences: tuple[SpanLink, ...] = ()  # of the source, each with its translation
    links: tuple[SpanLink, ...] = ()  # of every token to its source, where they were asked for
    source: str = ""  # the text that was translated
    note: str | None = None  # what is to be said of it: that it is in the target language already
    protected: tuple[ProtectedSpan, ...] = ()  # placeholders, addresses and their like, with their places
    missing_numbers: tuple[Span, ...] = ()  # numbers, and signs of currencies, that the translation lacks
    covered: float | None = None  # the share of source words that something comes from; None: not known
    uncovered: tuple[UncoveredWord, ...] = ()  # the other ones

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should look at, in words."""
        missing = [self.source[slice(*span)] for span in self.missing_numbers]
        found = [f"the {'number' if text.isdigit() else 'sign'} {text} is missing" for text in missing]
        found += [
            f"{one.text} is set by its position alone"
            for one in self.protected
            if one.placement == "position"
        ]
        found += [f"nothing seems to come from “{_shortened(text)}”" for text in self.lost_texts]
        if not self.complete:
            found.append("the translation was cut off at the length limit")
        if self.note:
            found.append(f"{self.note}, and left as it is")
        return tuple(found)

    @property
    def lost_texts(self) -> tuple[str, ...]:
        """Parts of the source that are likely lost."""
        return tuple(self.source[slice(*run)] for run in self.lost_spans)

    @property
    def lost_spans(self) -> tuple[Span, ...]:
        """Where these parts are in the source."""
        runs: list[Span] = []
        for one in self.uncovered:
            if not one.lost:
                continue
            if runs and not any(map(str.isalnum, self.source[runs[-1][1] : one.source[0]])):
                runs[-1] = runs[-1][0], one.source[1]
            else:
                runs.append(one.source)
        return tuple(runs)

    @property
    def term_links(self) -> list[SpanLink]:
        """Terms that are met, each with what it was asked for."""
        return [
            SpanLink(term.constraint.source, term.target, 1.0)
            for term in self.terms
            if term.target is not None and term.constraint.source is not None
        ]

    @property
    def told_links(self) -> tuple[SpanLink, ...]:
        """The links, but a term comes from what it was asked for, whatever an aligner thinks of it."""
        told = self.term_links
        found = (
            link for link in self.links if not any(spans_overlap(link.target, one.target) for one in told)
        )
        return tuple(sorted([*found, *told], key=lambda link: link.target))


def _shortened(text: str) -> str:
    """A quotation for a message."""
    return text if len(text) <= _QUOTED else f"{text[: _QUOTED // 2]} … {text[-_QUOTED // 2 :]}"


@dataclass(frozen=True, kw_only=True)
class StreamedToken:
    """A token of a translation; `text` is what it adds to the text so far."""

    text: str
    piece: str
    log_probability: float
    source: Span  # the characters it most probably comes from
    probability: float  # that it comes from there
    distribution: tuple[float, ...]  # over the source's subwords and, last, its end; () where not known
    term: TermResult | None = None  # that it is the whole target of
