"""Work for the workers, small enough to be sent to another process, and how it is done.

Jobs that have the same `Work` can be in one batch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lexalign.alignment.attention_files import AttentionPlace
from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.translator import AlignerName, MutualAligner, SearchPlan, Sentence, StreamedToken, Translator
from lexalign.translator.continuations import Continuation
from lexalign.translator.word_aligner import AlignedPair, read_words

Models = Mapping[str, Translator]  # by name
Matrix = npt.NDArray[np.float64]  # an array costs little on its way between processes, and lists do not
_NUM_PARTS = 4  # in which a batch's results are sent; each costs a few milliseconds


@dataclass(frozen=True, kw_only=True)
class SearchWork:
    """Sentences to be translated with the same options.

    Those with terms need about twice as many steps, of about 1.4 times the time, so they are batched apart.
    """

    model: str
    plan: SearchPlan
    constrained: bool = False


@dataclass(frozen=True, kw_only=True)
class AlignWork:
    """Pairs of texts to be aligned; matrices, which are as large as both lengths multiplied, if asked for."""

    model: str
    method: AlignerName
    attention: AttentionPlace | None = None
    matrix: bool = False
    subwords: bool = False


@dataclass(frozen=True, kw_only=True)
class MutualWork:
    """Pairs of texts to be aligned by the models of both directions, for tags."""

    model: str
    back: str
    method: AlignerName
    attention: AttentionPlace | None = None


@dataclass(frozen=True, kw_only=True)
class ContinueWork:
    """Sentences whose translations have a beginning already."""

    model: str
    plan: SearchPlan


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamWork:
    """One text to be translated token by token; it equals no other work, so it is alone in its batch."""

    model: str
    method: AlignerName
    attention: AttentionPlace | None = None


@dataclass(frozen=True, kw_only=True)
class WordLinks:
    """The word alignment of a pair of texts: the words' character spans and their links.

    A link is (source index, target index, probability). The matrix (target, source) has for every target word
    the probability of each source word; `subwords` are the same for the model's own tokens.
    """

    source: tuple[Span, ...]
    target: tuple[Span, ...]
    links: tuple[tuple[int, int, float], ...]
    matrix: Matrix | None = None
    subwords: "SubwordLinks | None" = None

    @property
    def size(self) -> int:
        """The cost of writing it, for `ThreadPools`."""
        matrices = [self.matrix, self.subwords.matrix if self.subwords else None]
        return len(self.source) + len(self.target) + sum(one.size for one in matrices if one is not None)


@dataclass(frozen=True, kw_only=True)
class SubwordLinks:
    """The alignment of the tokens of a pair of texts; what is missing to 1 in a row comes from no token."""

    source: tuple[Span, ...]
    target: tuple[Span, ...]
    matrix: Matrix


Work = SearchWork | AlignWork | MutualWork | ContinueWork | StreamWork
Payload = Sentence | Continuation | tuple[str, str] | str
Result = list[Hypothesis] | WordLinks | tuple[SpanLink, ...] | None


@dataclass(frozen=True)
class EarlyResults:
    """Results of some jobs of a batch, by their indices, before the rest is done."""

    indices: list[int]
    results: Sequence[Result]


Emit = Callable[[StreamedToken | EarlyResults], None]


def perform(models: Models, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
    """A result for each payload; `emit` gets the tokens of a stream, and the early results of a search."""
    translator = models[work.model]
    if isinstance(work, SearchWork):
        sentences = [payload for payload in payloads if isinstance(payload, Sentence)]
        return _search(translator, sentences, work.plan, emit)
    if isinstance(work, ContinueWork):
        asked = (payload for payload in payloads if isinstance(payload, Continuation))
        return [translator.search_continuations(one, work.plan) for one in asked]
    if isinstance(work, MutualWork):
        pairs = [payload for payload in payloads if isinstance(payload, tuple)]
        return list(_mutual_aligner(models, work).align(pairs))
    if isinstance(work, AlignWork):
        pairs = [payload for payload in payloads if isinstance(payload, tuple)]
        aligner = translator.word_aligner(work.method, work.attention)
        texts = [(read_words(source), read_words(target)) for source, target in pairs]
        return [_word_links(pair, work) for pair in aligner.align(texts)]
    for token in translator.stream(str(payloads[0]), method=work.method, place=work.attention):
        emit(token)
    return [None]


def _search(
    translator: Translator, sentences: Sequence[Sentence], plan: SearchPlan, emit: Emit
) -> list[Result]:
    results: list[Result] = [None] * len(sentences)
    num_left = len(sentences)
    for indices, found in translator.search_parts(sentences, plan, _NUM_PARTS):
        num_left -= len(indices)
        if num_left:
            emit(EarlyResults(indices, found))
        for index, hypotheses in zip(indices, found, strict=True):
            results[index] = hypotheses
    return results


def _mutual_aligner(models: Models, work: MutualWork) -> MutualAligner:
    return MutualAligner(
        forward=models[work.model].word_aligner(work.method, work.attention),
        backward=models[work.back].word_aligner(work.method, work.attention),
    )


def _word_links(pair: AlignedPair, work: AlignWork) -> WordLinks:
    links = tuple((link.source, link.target, link.probability or 0.0) for link in pair.words.links)
    # After the source's tokens stands the end of the sentence.
    rows = pair.subwords.probabilities[:, : len(pair.source_spans)].double().numpy()
    subwords = SubwordLinks(source=pair.source_spans, target=pair.target_spans, matrix=rows.round(6))
    return WordLinks(
        source=pair.source.line_spans,
        target=pair.target.line_spans,
        links=links,
        matrix=_word_matrix(pair, rows) if work.matrix else None,
        subwords=subwords if work.subwords else None,
    )


def _word_matrix(pair: AlignedPair, rows: Matrix) -> Matrix:
    """Word probabilities: summed over the subwords of a source word, averaged over those of a target word."""
    source = _membership(pair.source.spans, pair.source_spans)
    target = _membership(pair.target.spans, pair.target_spans)
    averaged = target / np.maximum(1, target.sum(1, keepdims=True))
    found: Matrix = (averaged @ rows @ source.T).round(6)
    return found


def _membership(words: Sequence[Span], subwords: Sequence[Span]) -> Matrix:
    """1 where a subword (column) belongs to a word (row)."""
    found = np.zeros((len(words), len(subwords)))
    for row, word in enumerate(words):
        found[
            row, [index for index, (start, end) in enumerate(subwords) if start < word[1] and word[0] < end]
        ] = 1
    return found
