"""Links of finished translations by both directions: the mean of two models' probabilities.

A model of one direction asks the words of the translation where they come from, and function words without a
counterpart must say something, too. The other asks the words of the source, which have better choices. By the
bundled models, for "Click Delete." and "Klicken Sie auf Löschen.":

                    en→de   de→en   mean
    Click–Klicken    1.00     .87    .93
    Click–auf         .59     .13    .36
    Delete–Löschen   1.00    1.00   1.00
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lexalign.alignment.words import span_links
from lexalign.contracts.alignment import SpanLink
from lexalign.markup.units import units_of
from lexalign.translator.mutual_alignment import symmetrized
from lexalign.translator.word_aligner import WordAligner, WordText

# Tags are set by all that speaks for a word, so weak links count too. Chosen on development data.
_LEAST_PROBABILITY = 0.1

TextPair = tuple[str, str]  # a source and its translation


@dataclass(frozen=True, kw_only=True)
class MutualAligner:
    """Aligners of both directions; words are the units between which tags may be set."""

    forward: WordAligner
    backward: WordAligner

    @property
    def signature(self) -> str:
        signatures = f"{self.forward.signature}, back {self.backward.signature}"
        return f"mean of {signatures}, least {_LEAST_PROBABILITY}"

    def align(self, pairs: Sequence[TextPair]) -> Iterator[tuple[SpanLink, ...] | None]:
        """The links of each pair, in order; None for one that is too long for a model."""
        fitting = [index for index, pair in enumerate(pairs) if self._fits(*pair)]
        found = dict(zip(fitting, self._align([pairs[index] for index in fitting]), strict=True))
        return (found.get(index) for index in range(len(pairs)))

    def _fits(self, source: str, target: str) -> bool:
        return self.forward.fits(source, target) and self.backward.fits(target, source)

    def _align(self, pairs: Sequence[TextPair]) -> Iterator[tuple[SpanLink, ...]]:
        texts = [(_units(source), _units(target)) for source, target in pairs]
        ahead = self.forward.align(texts)
        back = self.backward.align([(target, source) for source, target in texts])
        for (source, target), one, other in zip(texts, ahead, back, strict=True):
            words = symmetrized(one.words, other.words, "mean", _LEAST_PROBABILITY)
            yield tuple(
                SpanLink(source.spans[link.source], target.spans[link.target], link.probability)
                for link in words.links
            )


def unit_links(aligner: WordAligner, pairs: Sequence[TextPair]) -> Iterator[tuple[SpanLink, ...] | None]:
    """The links of one direction; None for a pair that is too long for the model."""
    fitting = [index for index, pair in enumerate(pairs) if aligner.fits(*pair)]
    texts = [(_units(pairs[index][0]), _units(pairs[index][1])) for index in fitting]
    found = {
        index: tuple(span_links(one.subwords.links, one.source_spans, one.target_spans))
        for index, one in zip(fitting, aligner.align(texts), strict=True)
    }
    return (found.get(index) for index in range(len(pairs)))


def _units(text: str) -> WordText:
    spans = tuple(units_of(text))
    words = tuple(text[start:end] for start, end in spans)
    return WordText(line=text, text=text, words=words, spans=spans, line_spans=spans)
