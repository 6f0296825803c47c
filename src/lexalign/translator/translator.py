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
from lexalign.translator.options import CPU_BATCHING, GPU_BATCHING, BatchingDefaults, TranslateOptions
from lexalign.translator.plan import SearchPlan, Sentence
from lexalign.translator.reading import (
    ReadOptions,
    Refuse,
    RefusedError,
    SourceReader,
    Text,
    check_text,
)
from lexalign.translator.source_text import SourceSentence, SourceText, Task
from lexalign.translator.streaming import StreamedToken, copied_token, restore_tokens
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
        self._reader = SourceReader(tokenizer, engine.max_source, self.batching_defaults().length_multiple)
        self._writer = TranslationWriter(tokenizer.target)
        self.languages = engine.languages  # as ("de", "en"); None where they are not known

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
        or by the model's own codes; a model of one pair has its own, and refuses others.
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

    def batching_defaults(self, options: TranslateOptions = DEFAULTS) -> BatchingDefaults:
        """How much goes through the device at a time."""
        usual = CPU_BATCHING if self._engine.on_cpu else GPU_BATCHING
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
        """Translate a text, or each of several, with what is asked of each; what has no word is copied. A
        glossary is for all of them, and silent where constraints of the caller stand."""
        if isinstance(text, str):
            asked_of_one: list[Sequence[Constraint]] = [constraints]  # type: ignore[list-item]
            return self.translate([text], options, constraints=asked_of_one, glossary=glossary)[0]
        asked = constraints or [()] * len(text)
        if len(asked) != len(text):
            raise LexalignError(f"{len(text)} texts and constraints of {len(asked)}; give them for each")
        self.check(text)
        pairs = zip(text, asked, strict=True)
        return list(self.translate_stream(pairs, options, glossary=glossary))  # type: ignore[arg-type]

    def translate_stream(
        self,
        texts: Iterable[Text],
        options: TranslateOptions = DEFAULTS,
        *,
        glossary: Glossary | Matcher | None = None,
    ) -> Iterator[Translation]:
        """Translate texts as they are read, in order; at most two windows of them are held."""
        windows = cut_windows(texts, self.batching_defaults(options).window)
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
        window is asked for. A text that cannot be translated is an error, or where there is somebody to
        `refuse` it, becomes empty.
        """
        plan = self._plan(options)
        texts: deque[SourceText] = deque()
        stream: Stream = OrderedStream(
            self._read_windows(windows, plan, options, texts, matcher_of(glossary, self.languages), refuse),
            max_tokens=self.batching_defaults(options).batch_tokens,
            blank=[],
        )
        yield from self._join(self._search_stream(stream, plan, self._num_workers(options)), texts)

    def _join(self, found: Iterator[list[Hypothesis]], texts: deque[SourceText]) -> Iterator[Translation]:
        """Translations of whole texts; a text is among `texts` before the first of its sentences is found."""
        for first in found:
            source = texts.popleft()
            others = [next(found) for _ in source.sentences[1:]]
            yield self._writer.translation(source, [first, *others])

    def _search_stream(
        self, stream: Stream, plan: SearchPlan, num_workers: int
    ) -> Iterator[list[Hypothesis]]:
        searcher: Searcher = OwnProcess(self._engine, plan)
        with ExitStack() as stack:
            while not stream.finished:
                yield from stream.give()
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
        """Read a text, for a caller who makes batches: `search` its sentences, then `finish` it.

        What is searched together must have the same plan.
        """
        plan = self._plan(options)
        source = self._reader.read(text, 1, self._read_options(options), matcher_of(glossary, self.languages))
        if any(one.sentence.constraints for one in source.sentences):
            self._engine.prepare(plan, constrained=True)
        return Task(source=source, plan=plan)

    def search(self, sentences: Sequence[Sentence], plan: SearchPlan) -> list[list[Hypothesis]]:
        """The hypotheses of each, in this process."""
        return self._engine.search(sentences, plan)

    def search_parts(self, sentences: Sequence[Sentence], plan: SearchPlan, number: int) -> Iterator[Part]:
        """As `search`; what is done is given before the rest, with its places, in about so many parts."""
        return self._engine.search_parts(sentences, plan, number)

    def finish(self, task: Task, found: Sequence[Sequence[Hypothesis]]) -> Translation:
        """With what was found for each sentence, none for those of length 0."""
        return self._writer.translation(task.source, found)

    def has_aligner(self, method: OnlineMethod) -> bool:
        """Whether the model's folder holds what a method needs."""
        return self._engine.has_aligner(method)

    def word_aligner(self, method: OnlineMethod = "post-aln") -> WordAligner:
        """An aligner of finished translations, by the same model."""
        return self._engine.word_aligner(method)

    def stream(
        self,
        text: str,
        *,
        method: OnlineMethod = "post-aln",
        max_length: int = 512,
        options: TranslateOptions = DEFAULTS,
    ) -> Iterator[StreamedToken]:
        """Translate a text greedily, giving each token with its source the moment it is decided.

        The method must know a token's source with the token: naive-att, prior-att or post-aln. Of the
        options, those count that say how a text is read.
        """
        source = self._reader.read(text, 1, self._read_options(options))
        self._engine.check_streaming(method)
        return self._stream(source, method, max_length)

    def _stream(self, source: SourceText, method: OnlineMethod, max_length: int) -> Iterator[StreamedToken]:
        end = 0
        for sentence in source.sentences:
            start = sentence.span[0]
            gap, end = source.text[end:start], sentence.span[1]
            for token in self._stream_sentence(sentence, method, max_length):
                place = token.source[0] + start, token.source[1] + start
                yield replace(token, text=gap + token.text, source=place)
                gap = ""
        if rest := source.text[end:]:
            yield replace(copied_token(rest), source=(end, len(source.text)))

    def _stream_sentence(
        self, sentence: SourceSentence, method: OnlineMethod, max_length: int
    ) -> Iterator[StreamedToken]:
        if not sentence.length:
            return iter([copied_token(sentence.text)] if sentence.text.strip() else [])
        limit = SearchOptions(max_length=max_length).limit(len(sentence.sentence.ids) + 1) - 1
        limit = min(limit, self._engine.max_target)
        return restore_tokens(sentence.masked, self._engine.stream(method, sentence.masked.text, limit))

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
        for batch in plan_batches(lengths, self.batching_defaults().batch_tokens):
            members = [asked[place] for place in batch]
            found = self._engine.force(
                [source_ids[index] for index in members], [target_ids[index] for index in members]
            )
            for index, log_probabilities in zip(members, found, strict=True):
                scored[index] = self._writer.scored(targets[index], target_ids[index], log_probabilities)
        return scored

    def check(self, texts: Iterable[str]) -> int:
        """Raise the error that translating would raise, or return the number of texts."""
        number = 0
        for number, text in enumerate(texts, start=1):
            check_text(text, number)
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

    def _read_options(self, options: TranslateOptions) -> ReadOptions:
        return ReadOptions.of(options, self._engine.max_source, self.languages)

    def _read_windows(
        self,
        windows: Iterable[Sequence[Text]],
        plan: SearchPlan,
        options: TranslateOptions,
        texts: deque[SourceText],
        matcher: Matcher | None,
        refuse: Refuse | None,
    ) -> Iterator[list[tuple[Sentence, int]]]:
        """The sentences of each window; the texts that they belong to go to `texts`."""
        read_options, first = self._read_options(options), 1
        for window in windows:
            found = [
                self._read(text, first + place, read_options, matcher, refuse)
                for place, text in enumerate(window)
            ]
            sentences = [one for source in found for one in source.sentences]
            if any(one.sentence.constraints for one in sentences):
                self._engine.prepare(plan, constrained=True)
            texts.extend(found)
            yield [(one.sentence, one.length) for one in sentences]
            first += len(window)

    def _read(
        self, text: Text, number: int, options: ReadOptions, matcher: Matcher | None, refuse: Refuse | None
    ) -> SourceText:
        try:
            return self._reader.read(text, number, options, matcher)
        except RefusedError as refusal:
            if refuse is None:
                raise
            refuse(number - 1, refusal)
            return self._reader.read("", number, options)


def _engine_alone(load: Callable[[], tuple[Engine, ModelTokenizer]]) -> Engine:
    return load()[0]


def _engine_between(reload: Callable[[], Engine], languages: Languages) -> Engine:
    return reload().between(languages)[0]
