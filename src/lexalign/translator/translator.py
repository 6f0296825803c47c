"""Text in, text out: a tokenizer, a model and a search."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import overload

from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.stream import OrderedStream, cut_windows, plan_batches
from lexalign.models.projection import Precision
from lexalign.text.tokenizer import Tokenizer
from lexalign.translator.aligners import OnlineMethod
from lexalign.translator.engine import Engine, Ids
from lexalign.translator.options import CPU_PACE, GPU_PACE, Pace, TranslateOptions
from lexalign.translator.streaming import StreamedToken
from lexalign.translator.translation import EMPTY, ScoredTarget, Translation
from lexalign.translator.workers import CAN_FORK, OwnProcess, Searcher, WorkerPool

DEFAULTS = TranslateOptions()
# So many batches are waited for rather than shared among processes, which must start first.
_FEW_BATCHES = 3 if CAN_FORK else 100

Stream = OrderedStream[Ids, list[Hypothesis]]


class Translator:
    """A model that is ready to translate; see `Translator.load`."""

    def __init__(
        self, engine: Engine, tokenizer: Tokenizer, reload: Callable[[], Engine], folder: Path
    ) -> None:
        """`reload` gives the same engine in a process that shares no memory with this one."""
        self._engine, self._tokenizer, self._reload, self._folder = engine, tokenizer, reload, folder

    @classmethod
    def load(
        cls, path: Path | str, *, device: str = "auto", precision: Precision = "float32"
    ) -> "Translator":
        """Read a model folder. A GPU computes in bfloat16; int8 is for CPUs."""
        load = partial(Engine.load, Path(path), device, precision)
        engine, tokenizer = load()
        return cls(engine, tokenizer, partial(_engine_alone, load), Path(path))

    @property
    def max_source_tokens(self) -> int:
        return self._engine.max_source

    def pace(self, options: TranslateOptions = DEFAULTS) -> Pace:
        """How much goes through the device at a time."""
        usual = CPU_PACE if self._engine.on_cpu else GPU_PACE
        return replace(
            usual,
            batch_tokens=options.batch_tokens or usual.batch_tokens,
            window=options.window or usual.window,
        )

    @overload
    def translate(self, text: str, options: TranslateOptions = DEFAULTS) -> Translation: ...
    @overload
    def translate(self, text: list[str], options: TranslateOptions = DEFAULTS) -> list[Translation]: ...
    def translate(
        self, text: str | list[str], options: TranslateOptions = DEFAULTS
    ) -> Translation | list[Translation]:
        """Translate a sentence, or each of several; those without a word become empty."""
        if isinstance(text, str):
            return self.translate([text], options)[0]
        self.check(text)
        return list(self.translate_stream(text, options))

    def translate_stream(
        self, texts: Iterable[str], options: TranslateOptions = DEFAULTS
    ) -> Iterator[Translation]:
        """Translate sentences as they are read, in order; at most two windows of them are held."""
        return self.translate_windows(cut_windows(texts, self.pace(options).window), options)

    def translate_windows(
        self, windows: Iterable[Sequence[str]], options: TranslateOptions = DEFAULTS
    ) -> Iterator[Translation]:
        """As `translate_stream`, where the caller decides what is sorted together.

        An empty window says that there is nothing more for now: all translations are given before the next
        window is asked for.
        """
        search = options.search(self._engine.max_target)
        stream: Stream = OrderedStream(
            self._encode_windows(windows), max_tokens=self.pace(options).batch_tokens, blank=[]
        )
        num_workers = self._num_workers(options)
        searcher: Searcher = OwnProcess(self._engine, search)
        with ExitStack() as stack:
            while not stream.finished:
                for ranked in stream.give():
                    yield self._translation(ranked)
                stream.read()
                if num_workers > 1 and stream.num_waiting > _FEW_BATCHES:
                    load = self._share if CAN_FORK else self._reload
                    searcher = stack.enter_context(WorkerPool(load, search, num_workers))
                    num_workers = 1  # no more of them
                while searcher.is_free and stream.num_waiting:
                    searcher.submit(stream.take())
                for batch, found in searcher.collect():
                    stream.put(batch, found)

    def stream(
        self, text: str, *, method: OnlineMethod = "post-aln", max_length: int = 512
    ) -> Iterator[StreamedToken]:
        """Translate one sentence greedily, giving each token with its source the moment it is decided.

        The method must know a token's source with the token: naive-att, prior-att or post-aln.
        """
        (ids,) = self._encode_all([text], self._engine.max_source, 1)
        if not ids:
            return iter(())
        aligner = self._engine.aligner(self._folder, self._tokenizer, method)
        limit = min(SearchOptions(max_length=max_length).limit(len(ids) + 1) - 1, self._engine.max_target)
        return self._engine.stream(self._tokenizer, aligner, text, limit)

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[ScoredTarget]:
        """How probable the model finds given targets, token by token."""
        if len(sources) != len(targets):
            raise LexalignError(f"{len(sources)} sources and {len(targets)} targets; they must be as many")
        source_ids = list(self._encode_all(sources, self._engine.max_source, 1))
        target_ids = list(self._encode_all(targets, self._engine.max_target, 1))
        scored = [ScoredTarget(text=target) for target in targets]
        # An empty source has an empty translation for certain; no model is asked.
        asked = [index for index in range(len(scored)) if source_ids[index] or target_ids[index]]
        lengths = [max(len(source_ids[index]), len(target_ids[index])) + 1 for index in asked]
        for batch in plan_batches(lengths, self.pace().batch_tokens):
            members = [asked[place] for place in batch]
            found = self._engine.force(
                [source_ids[index] for index in members], [target_ids[index] for index in members]
            )
            for index, log_probabilities in zip(members, found, strict=True):
                scored[index] = self._scored(targets[index], target_ids[index], log_probabilities)
        return scored

    def check(self, texts: Iterable[str]) -> int:
        """Raise the error that translating would raise, or return the number of texts."""
        return sum(1 for _ in self._encode_all(texts, self._engine.max_source, 1))

    def _share(self) -> Engine:
        return self._engine

    def _num_workers(self, options: TranslateOptions) -> int:
        if not self._engine.on_cpu:
            return 1
        return options.workers or _num_cores()

    def _encode_windows(self, windows: Iterable[Sequence[str]]) -> Iterator[list[tuple[Ids, int]]]:
        first, multiple = 1, self.pace().length_multiple
        for window in windows:
            ids = self._encode_all(window, self._engine.max_source, first)
            # With the end of sentence; nothing at all stays nothing.
            yield [(row, -(-(len(row) + 1) // multiple) * multiple if row else 0) for row in ids]
            first += len(window)

    def _encode_all(self, texts: Iterable[str], limit: int, first: int) -> Iterator[Ids]:
        """Token ids; none at all for a text without a word."""
        for number, text in enumerate(texts, start=first):
            ids = self._encode(text, number)
            if len(ids) > limit:
                raise LexalignError(
                    f"sentence {number} has {len(ids)} tokens, over the model's limit of {limit}; split it"
                )
            yield ids

    def _encode(self, text: str, number: int) -> list[int]:
        if "\0" in text:
            raise LexalignError(f"sentence {number} contains a NUL character; is it text?")
        try:
            return self._tokenizer.encode(text) if text.strip() else []
        except LexalignError as error:
            raise LexalignError(f"sentence {number}: {error}") from None

    def _translation(self, ranked: Sequence[Hypothesis]) -> Translation:
        if not ranked:
            return EMPTY
        best, *others = ranked
        return self._read(best, tuple(self._read(other) for other in others))

    def _read(self, hypothesis: Hypothesis, alternatives: tuple[Translation, ...] = ()) -> Translation:
        *log_probabilities, end = hypothesis.token_log_probabilities
        return Translation(
            text=self._tokenizer.decode(hypothesis.token_ids),
            tokens=tuple(self._tokenizer.pieces(hypothesis.token_ids)),
            token_log_probabilities=tuple(log_probabilities),
            end_log_probability=end,
            log_probability=hypothesis.log_probability,
            score=hypothesis.score,
            complete=hypothesis.complete,
            alternatives=alternatives,
        )

    def _scored(self, text: str, ids: Ids, log_probabilities: Sequence[float]) -> ScoredTarget:
        *tokens, end = log_probabilities
        return ScoredTarget(
            text=text,
            tokens=tuple(self._tokenizer.pieces(ids)),
            token_log_probabilities=tuple(tokens),
            end_log_probability=end,
            log_probability=sum(log_probabilities),
        )


def _engine_alone(load: Callable[[], tuple[Engine, Tokenizer]]) -> Engine:
    return load()[0]


def _num_cores() -> int:
    """The cores that this process may use, where the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
