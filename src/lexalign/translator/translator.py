"""Text in, text out: a tokenizer, a model and a search."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import overload

from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.search import Part
from lexalign.decoding.stream import OrderedStream, cut_windows, plan_batches
from lexalign.glossary import Glossary, Matcher
from lexalign.models.projection import Precision
from lexalign.text.subwords import Languages, ModelTokenizer
from lexalign.translator.aligners import OnlineMethod
from lexalign.translator.engine import Engine
from lexalign.translator.glossaries import matcher_of
from lexalign.translator.long_texts import LongTexts, split_text
from lexalign.translator.options import CPU_PACE, GPU_PACE, Pace, TranslateOptions
from lexalign.translator.plan import SearchPlan, Sentence
from lexalign.translator.reading import Reading, Refuse, RefusedError, SourceReader, Task, Text
from lexalign.translator.streaming import StreamedToken
from lexalign.translator.translation import ScoredTarget, Translation
from lexalign.translator.word_aligner import WordAligner
from lexalign.translator.workers import CAN_FORK, OwnProcess, Searcher, WorkerPool, num_cores
from lexalign.translator.writing import TranslationWriter

DEFAULTS = TranslateOptions()
# So many batches are waited for rather than shared among processes, which must start first.
_FEW_BATCHES = 3 if CAN_FORK else 100

Stream = OrderedStream[Sentence, list[Hypothesis]]


class Translator:
    """A model that is ready to translate; see `Translator.load`."""

    def __init__(self, engine: Engine, tokenizer: ModelTokenizer, reload: Callable[[], Engine]) -> None:
        """`reload` gives the same engine in a process that shares no memory with this one."""
        self._engine, self._reload = engine, reload
        self._reader = SourceReader(tokenizer, engine.max_source, self.pace().length_multiple)
        self._writer = TranslationWriter(tokenizer.target)
        self.languages = tokenizer.languages

    @classmethod
    def load(
        cls,
        path: Path | str,
        *,
        device: str = "auto",
        precision: Precision | None = None,
        languages: Languages | None = None,
    ) -> "Translator":
        """Read a model folder.

        A GPU computes in bfloat16, a CPU as the model is stored unless a precision is asked for; int8 is
        for CPUs. On a CPU a text has the same translation whatever it is translated with; `int8-shared` gives
        that up to be faster. `languages` of source and target are for multilingual models, as `("de", "en")`
        or by the model's own codes; a model of one pair has no use for them.
        """
        load = partial(Engine.load, Path(path), device, precision, languages)
        engine, tokenizer = load()
        return cls(engine, tokenizer, partial(_engine_alone, load))

    def between(self, source: str, target: str) -> "Translator":
        """The same multilingual model, and the same memory, for other languages."""
        engine, tokenizer = self._engine.between((source, target))
        return Translator(engine, tokenizer, partial(_engine_between, self._reload, (source, target)))

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
    def translate(
        self,
        text: str,
        options: TranslateOptions = DEFAULTS,
        *,
        constraints: Sequence[Constraint] = (),
        glossary: Glossary | Matcher | None = None,
    ) -> Translation: ...
    @overload
    def translate(
        self,
        text: list[str],
        options: TranslateOptions = DEFAULTS,
        *,
        constraints: Sequence[Sequence[Constraint]] = (),
        glossary: Glossary | Matcher | None = None,
    ) -> list[Translation]: ...
    def translate(
        self,
        text: str | list[str],
        options: TranslateOptions = DEFAULTS,
        *,
        constraints: Sequence[Constraint] | Sequence[Sequence[Constraint]] = (),
        glossary: Glossary | Matcher | None = None,
    ) -> Translation | list[Translation]:
        """Translate a sentence, or each of several, with what is asked of each; those without a word become
        empty. A glossary is for all of them, and silent where constraints of the caller stand."""
        if isinstance(text, str):
            asked_of_one: list[Sequence[Constraint]] = [constraints]  # type: ignore[list-item]
            return self.translate([text], options, constraints=asked_of_one, glossary=glossary)[0]
        asked = constraints or [()] * len(text)
        if len(asked) != len(text):
            raise LexalignError(f"{len(text)} sentences and constraints of {len(asked)}; give them for each")
        self.check(text, split=options.split)
        pairs = zip(text, asked, strict=True)
        return list(self.translate_stream(pairs, options, glossary=glossary))  # type: ignore[arg-type]

    def translate_stream(
        self,
        texts: Iterable[Text],
        options: TranslateOptions = DEFAULTS,
        *,
        glossary: Glossary | Matcher | None = None,
    ) -> Iterator[Translation]:
        """Translate sentences as they are read, in order; at most two windows of them are held."""
        windows = cut_windows(texts, self.pace(options).window)
        return self.translate_windows(windows, options, glossary=glossary)

    def translate_windows(
        self,
        windows: Iterable[Sequence[Text]],
        options: TranslateOptions = DEFAULTS,
        *,
        glossary: Glossary | Matcher | None = None,
        refuse: Refuse | None = None,
    ) -> Iterator[Translation]:
        """As `translate_stream`, where the caller decides what is sorted together.

        An empty window says that there is nothing more for now: all translations are given before the next
        window is asked for. A sentence that cannot be translated is an error, or where there is somebody to
        `refuse` it, becomes empty.
        """
        matcher = matcher_of(glossary)
        if not options.split:
            yield from self._translate(windows, options, matcher, refuse)
            return
        texts = LongTexts(self._reader.count, self._engine.max_source, refuse)
        yield from texts.join(self._translate(texts.split(windows), options, matcher, texts.refuse))

    def _translate(
        self,
        windows: Iterable[Sequence[Text]],
        options: TranslateOptions,
        matcher: Matcher | None,
        refuse: Refuse | None,
    ) -> Iterator[Translation]:
        plan = self._plan(options)
        readings: deque[Reading] = deque()
        stream: Stream = OrderedStream(
            self._read_windows(windows, plan, readings, matcher, refuse),
            max_tokens=self.pace(options).batch_tokens,
            blank=[],
        )
        num_workers = self._num_workers(options)
        searcher: Searcher = OwnProcess(self._engine, plan)
        with ExitStack() as stack:
            while not stream.finished:
                for ranked in stream.give():
                    yield self._writer.translation(ranked, readings.popleft())
                stream.read()
                if num_workers > 1 and stream.num_waiting > _FEW_BATCHES:
                    load = self._share if CAN_FORK else self._reload
                    searcher = stack.enter_context(WorkerPool(load, plan, num_workers))
                    num_workers = 1  # no more of them
                while searcher.is_free and stream.num_waiting:
                    searcher.submit(stream.take())
                for batch, found in searcher.collect():
                    stream.put(batch, found)

    def prepare(
        self,
        text: Text,
        options: TranslateOptions = DEFAULTS,
        *,
        glossary: Glossary | Matcher | None = None,
    ) -> Task:
        """Read a text, for a caller who makes batches: `search` them, then `finish` each with its result.

        What is searched together must have the same plan.
        """
        plan = self._plan(options)
        sentence, length, reading = self._reader.read(text, 1, plan, matcher_of(glossary))
        if sentence.constraints:
            self._engine.prepare(plan, constrained=True)
        return Task(sentence=sentence, length=length, plan=plan, reading=reading)

    def search(self, sentences: Sequence[Sentence], plan: SearchPlan) -> list[list[Hypothesis]]:
        """The hypotheses of each, in this process."""
        return self._engine.search(sentences, plan)

    def search_parts(self, sentences: Sequence[Sentence], plan: SearchPlan, number: int) -> Iterator[Part]:
        """As `search`; what is done is given before the rest, with its places, in about so many parts."""
        return self._engine.search_parts(sentences, plan, number)

    def finish(self, task: Task, ranked: Sequence[Hypothesis]) -> Translation:
        return self._writer.translation(ranked, task.reading)

    def has_aligner(self, method: OnlineMethod) -> bool:
        """Whether the model's folder holds what a method needs."""
        try:
            self._engine.aligner(method)
        except LexalignError:
            return False
        return True

    def word_aligner(self, method: OnlineMethod = "post-aln") -> WordAligner:
        """An aligner of finished translations, by the same model."""
        return self._engine.word_aligner(method)

    def stream(
        self, text: str, *, method: OnlineMethod = "post-aln", max_length: int = 512
    ) -> Iterator[StreamedToken]:
        """Translate one sentence greedily, giving each token with its source the moment it is decided.

        The method must know a token's source with the token: naive-att, prior-att or post-aln.
        """
        ids = self._reader.encode(text, 1)
        if not ids:
            return iter(())
        limit = min(SearchOptions(max_length=max_length).limit(len(ids) + 1) - 1, self._engine.max_target)
        return self._engine.stream(method, text, limit)

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[ScoredTarget]:
        """How probable the model finds given targets, token by token."""
        if len(sources) != len(targets):
            raise LexalignError(f"{len(sources)} sources and {len(targets)} targets; they must be as many")
        source_ids = [self._reader.encode(text, number) for number, text in enumerate(sources, start=1)]
        target_ids = [
            self._reader.encode_target(text, number, self._engine.max_target)
            for number, text in enumerate(targets, start=1)
        ]
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
                scored[index] = self._writer.scored(targets[index], target_ids[index], log_probabilities)
        return scored

    def check(self, texts: Iterable[str], *, split: bool = False) -> int:
        """Raise the error that translating would raise, or return the number of texts."""
        number = 0
        for number, text in enumerate(texts, start=1):
            if not split:
                self._reader.encode(text, number)
                continue
            for start, end in split_text(text, self._reader.count, self._engine.max_source, number):
                self._reader.encode(text[start:end], number)
        return number

    def num_tokens(self, text: str) -> int:
        """The length of a source as `max_source_tokens` counts it."""
        return self._reader.count(text)

    def _share(self) -> Engine:
        return self._engine

    def _num_workers(self, options: TranslateOptions) -> int:
        if not self._engine.on_cpu:
            return 1
        return options.workers or num_cores()

    def _plan(self, options: TranslateOptions) -> SearchPlan:
        plan = SearchPlan(
            search=options.search(self._engine.max_target),
            constraints=options.constraints,
            align=options.align,
        )
        self._engine.prepare(plan, constrained=False)
        return plan

    def _read_windows(
        self,
        windows: Iterable[Sequence[Text]],
        plan: SearchPlan,
        readings: deque[Reading],
        matcher: Matcher | None,
        refuse: Refuse | None,
    ) -> Iterator[list[tuple[Sentence, int]]]:
        """What is to be said of the translations goes to `readings`."""
        first = 1
        for window in windows:
            found = [
                self._read(text, first + place, plan, matcher, refuse) for place, text in enumerate(window)
            ]
            if any(sentence.constraints for sentence, _, _ in found):
                self._engine.prepare(plan, constrained=True)
            readings.extend(reading for _, _, reading in found)
            yield [(sentence, length) for sentence, length, _ in found]
            first += len(window)

    def _read(
        self, text: Text, number: int, plan: SearchPlan, matcher: Matcher | None, refuse: Refuse | None
    ) -> tuple[Sentence, int, Reading]:
        try:
            return self._reader.read(text, number, plan, matcher)
        except RefusedError as refusal:
            if refuse is None:
                raise
            refuse(number - 1, refusal)
            return Sentence(()), 0, Reading()


def _engine_alone(load: Callable[[], tuple[Engine, ModelTokenizer]]) -> Engine:
    return load()[0]


def _engine_between(reload: Callable[[], Engine], languages: Languages) -> Engine:
    return reload().between(languages)[0]
