"""What workers are asked to do, small enough to be sent to another process, and how it is done.

Things that have the same `Work` can be done together.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lexalign.contracts.alignment import Span
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.translator import OnlineMethod, SearchPlan, Sentence, StreamedToken, Translator
from lexalign.translator.word_aligner import AlignedPair, read_words

Models = Mapping[str, Translator]


_PARTS = 4  # in which a batch's results come; each takes a few milliseconds of its own


@dataclass(frozen=True, kw_only=True)
class SearchWork:
    """Sentences to be translated in one way.

    Those with terms need about twice as many steps, of about 1.4 times the time: others do not wait for them.
    """

    model: str
    plan: SearchPlan
    constrained: bool = False


@dataclass(frozen=True, kw_only=True)
class AlignWork:
    """Pairs of texts to be aligned."""

    model: str
    method: OnlineMethod


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamWork:
    """One text to be translated token by token; equal to no other, so it is alone in its batch."""

    model: str
    method: OnlineMethod


@dataclass(frozen=True, kw_only=True)
class WordLinks:
    """Where the words of both sides stand, their links (source, target, probability), and for every target
    word how probable each source word is as its origin."""

    source: tuple[Span, ...]
    target: tuple[Span, ...]
    links: tuple[tuple[int, int, float], ...]
    matrix: tuple[tuple[float, ...], ...]


Work = SearchWork | AlignWork | StreamWork
Payload = Sentence | tuple[str, str] | str
Result = list[Hypothesis] | WordLinks | None


@dataclass(frozen=True)
class EarlyResults:
    """Of those places of a batch that are done before the rest."""

    places: list[int]
    results: Sequence[Result]


Emit = Callable[[StreamedToken | EarlyResults], None]


def perform(models: Models, work: Work, payloads: Sequence[Payload], emit: Emit) -> list[Result]:
    """A result for each; a stream gives its tokens to `emit`, a search what is done before the rest."""
    translator = models[work.model]
    if isinstance(work, SearchWork):
        sentences = [payload for payload in payloads if isinstance(payload, Sentence)]
        return _search(translator, sentences, work.plan, emit)
    if isinstance(work, AlignWork):
        pairs = [payload for payload in payloads if isinstance(payload, tuple)]
        texts = [(read_words(source), read_words(target)) for source, target in pairs]
        return [_word_links(pair) for pair in translator.word_aligner(work.method).align(texts)]
    for token in translator.stream(str(payloads[0]), method=work.method):
        emit(token)
    return [None]


def _search(
    translator: Translator, sentences: Sequence[Sentence], plan: SearchPlan, emit: Emit
) -> list[Result]:
    results: list[Result] = [None] * len(sentences)
    num_left = len(sentences)
    for places, found in translator.search_parts(sentences, plan, _PARTS):
        num_left -= len(places)
        if num_left:
            emit(EarlyResults(places, found))
        for place, ranked in zip(places, found, strict=True):
            results[place] = ranked
    return results


def _word_links(pair: AlignedPair) -> WordLinks:
    links = tuple((link.source, link.target, link.probability or 0.0) for link in pair.words.links)
    return WordLinks(
        source=pair.source.line_spans, target=pair.target.line_spans, links=links, matrix=_matrix(pair)
    )


def _matrix(pair: AlignedPair) -> tuple[tuple[float, ...], ...]:
    """The probability of a word is the sum over its subwords, averaged over those of the target word."""
    rows = pair.subwords.probabilities.tolist()
    columns = [_inside(pair.source_spans, word) for word in pair.source.spans]
    found = []
    for word in pair.target.spans:
        own = [rows[place] for place in _inside(pair.target_spans, word)]
        found.append(
            tuple(
                round(sum(row[place] for row in own for place in column) / max(1, len(own)), 6)
                for column in columns
            )
        )
    return tuple(found)


def _inside(pieces: Sequence[Span], word: Span) -> list[int]:
    return [place for place, (start, end) in enumerate(pieces) if start < word[1] and word[0] < end]
