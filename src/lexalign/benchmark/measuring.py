"""Translations timed: CPU time of one thread, the median of rounds in which all cases take turns."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lexalign.benchmark.texts import SENTENCES, Length, make_texts
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.translator import TranslateOptions, Translator


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions:
    lengths: tuple[Length, ...] = ("short", "ordinary", "long")
    beams: tuple[int, ...] = (1, 5, 10)
    batches: tuple[int, ...] = (1, 16)
    terms: bool = True  # also with a term in every sentence
    rounds: int = 5

    def __post_init__(self) -> None:
        if min((*self.beams, *self.batches, self.rounds)) < 1:
            raise LexalignError("beams, batches and rounds are at least 1")


@dataclass(frozen=True, kw_only=True)
class Measurement:
    length: Length
    beam: int
    batch: int
    term: bool
    num_tokens: float  # of a translation, on average
    seconds: float  # of CPU, for a text

    @property
    def texts_per_second(self) -> float:
        return 1 / self.seconds

    @property
    def tokens_per_second(self) -> float:
        return self.num_tokens / self.seconds


@dataclass(frozen=True, kw_only=True)
class _Case:
    """One row: texts in calls of `batch` at a time, each with what is asked of it."""

    measured: Measurement
    texts: Sequence[str]
    terms: Sequence[Sequence[Constraint]]
    options: TranslateOptions

    def run(self, translator: Translator) -> float:
        """Seconds of CPU for a text."""
        started = time.process_time()
        for first in range(0, len(self.texts), self.measured.batch):
            some = slice(first, first + self.measured.batch)
            translator.translate(list(self.texts[some]), self.options, constraints=self.terms[some])
        return (time.process_time() - started) / len(self.texts)


def measure(
    translator: Translator,
    sentences: Sequence[str],
    options: BenchmarkOptions,
    say: Callable[[str], None] = lambda _: None,
) -> list[Measurement]:
    """Every case once to warm up, then in rounds."""
    cases = list(_cases(translator, sentences, options))
    seconds: list[list[float]] = [[] for _ in cases]
    for turn in range(options.rounds + 1):
        say(f"round {turn} of {options.rounds}" if turn else "warming up")
        for case, found in zip(cases, seconds, strict=True):
            found.append(case.run(translator))
    return [
        replace(case.measured, seconds=statistics.median(found[1:]))
        for case, found in zip(cases, seconds, strict=True)
    ]


def _cases(translator: Translator, sentences: Sequence[str], options: BenchmarkOptions) -> Iterator[_Case]:
    count = max(options.batches)
    for length in options.lengths:
        texts = make_texts(sentences, length, count)
        for beam in options.beams:
            search = TranslateOptions(
                beam=beam, workers=1, sentences=False, skip_translated=False, batch_tokens=1_000_000
            )
            plain = translator.translate(texts, search)
            num_tokens = statistics.mean(len(one.tokens) for one in plain)
            asked = [_term(one.text) for one in plain]
            for batch in options.batches:
                # One by one, a few texts are enough.
                used = count if batch > 1 else min(count, 16 // SENTENCES[length])
                for term in (False, True) if options.terms and beam > 1 else (False,):
                    yield _Case(
                        measured=Measurement(
                            length=length,
                            beam=beam,
                            batch=batch,
                            term=term,
                            num_tokens=num_tokens,
                            seconds=0.0,
                        ),
                        texts=texts[:used],
                        terms=asked[:used] if term else [()] * used,
                        options=search,
                    )


def _term(translation: str) -> tuple[Constraint, ...]:
    """The longest word of a translation, to be used again: what that costs, not what it changes."""
    words = [word.strip(".,;:!?") for word in translation.split()]
    longest = max(words, key=len, default="")
    return (Constraint(targets=(longest,)),) if longest else ()
