"""What a translation tells: its text, where its words come from, its terms, and what to look at."""

from dataclasses import dataclass
from functools import cached_property

from lexalign import translator as engine
from lexalign.contracts.alignment import Span
from lexalign.display.notebook import notebook_html
from lexalign.display.term_results import outcome
from lexalign.display.word_links import linked_words


@dataclass(frozen=True)
class WordLink:
    """A word of the translation, and a word of the source that it comes from.

    Attributes:
        source: The word of the source.
        target: The word of the translation.
        probability: How probable the link is, 0 to 1.
        source_span: The characters of `source` in its text: first, last + 1.
        target_span: The characters of `target` in the translation.
    """

    source: str
    target: str
    probability: float
    source_span: Span
    target_span: Span

    def __repr__(self) -> str:
        return f"WordLink({self.source!r}, {self.target!r}, {self.probability:.2f})"


@dataclass(frozen=True)
class Term:
    """A term of the glossary that was found in the source, and its result.

    Attributes:
        source: The term as it is in the text.
        targets: The translations that are allowed, including inflected forms.
        met: Whether the translation has one of them, or for a term to avoid, none.
        target: The one that the translation has, as it is there.
        outcome: The result in words: met, or why not.
        source_span: The characters of `source` in the text: first, last + 1.
        target_span: The characters of `target` in the translation.
        probability: How probably `target` comes from `source`, 0 to 1.
    """

    source: str
    targets: tuple[str, ...]
    met: bool
    target: str | None
    outcome: str
    source_span: Span | None
    target_span: Span | None
    probability: float | None

    def __repr__(self) -> str:
        return f"Term({self.source!r}, {self.target!r}, {self.outcome!r})"


class Translation:
    """A translation; `str()` of it is its text."""

    def __init__(self, found: engine.Translation) -> None:
        self._found = found

    @property
    def text(self) -> str:
        """The translation."""
        return self._found.text

    @property
    def source(self) -> str:
        """The text that was translated."""
        return self._found.source

    @cached_property
    def words(self) -> tuple[WordLink, ...]:
        """Links between words, in the order of the translation; empty with `align=False`.

        A word may have several links, or none. Punctuation has none.
        """
        found = linked_words(self.source, self._found)
        return tuple(
            WordLink(
                source=self.source[slice(*found.source[pair.source])],
                target=self.text[slice(*found.target[pair.target])],
                probability=pair.probability,
                source_span=found.source[pair.source],
                target_span=found.target[pair.target],
            )
            for pair in found.pairs
        )

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the glossary that were found in the source."""
        return tuple(_term(one, self.source, self.text) for one in self._found.terms)

    @property
    def coverage(self) -> float | None:
        """The share of source words that were translated, 0 to 1; None if it is not known."""
        return self._found.covered

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should check: missing numbers and words, and terms that are not met."""
        unmet = (f"“{one.source}” is {one.outcome}" for one in self.terms if not one.met)
        return (*unmet, *self._found.warnings)

    @property
    def score(self) -> float:
        """The mean log-probability of a token; higher is more certain."""
        return self._found.score

    @cached_property
    def alternatives(self) -> tuple["Translation", ...]:
        """The next best translations, best first, if `n_best` is more than 1."""
        return tuple(Translation(one) for one in self._found.alternatives)

    @property
    def details(self) -> engine.Translation:
        """Everything that the engine knows: tokens, their probabilities, links of subwords."""
        return self._found

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        parts = [repr(self.text)]
        if self.terms:
            parts.append(f"terms: {sum(one.met for one in self.terms)}/{len(self.terms)} met")
        if self.warnings:
            parts.append(f"warnings: {len(self.warnings)}")
        return f"Translation({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Translation) and self._found == other._found

    def __hash__(self) -> int:
        return hash((self.source, self.text))

    def _repr_html_(self) -> str:
        """Both texts in a notebook; pointing at a word shows the words that it is aligned with."""
        return notebook_html(self._found)


def _term(found: engine.TermResult, source: str, text: str) -> Term:
    span = found.constraint.source
    return Term(
        source="" if span is None else source[slice(*span)],
        targets=found.constraint.targets,
        met=found.met,
        target=None if found.target is None else text[slice(*found.target)],
        outcome=outcome(found),
        source_span=span,
        target_span=found.target,
        probability=found.probability,
    )
