"""Text in, text out: texts are read, searched, written and joined."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import overload

from lexalign.alignment.attention_files import AttentionPlace
from lexalign.contracts.constraint import Constraint
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.search import Part
from lexalign.decoding.stream import OrderedStream, cut_windows
from lexalign.glossary import Glossary, Matcher
from lexalign.models.projection import Precision
from lexalign.text.subwords import Languages
from lexalign.translator.batch_search import BatchSearcher
from lexalign.translator.constraints import matcher_of
from lexalign.translator.continuations import Continuation, ContinuationSearcher, begin_translation
from lexalign.translator.forced_targets import score_targets
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import (
    AlignerName,
    BatchingDefaults,
    OnlineMethod,
    ReadOptions,
    SearchPlan,
    TranslateOptions,
)
from lexalign.translator.reading import SourceReader, Watch, unwatched
from lexalign.translator.source_text import (
    Refuse,
    Sentence,
    SourceSentence,
    SourceText,
    Task,
    Text,
    check_text,
)
from lexalign.translator.streaming import online_aligner, stream_text
from lexalign.translator.translation import ScoredTarget, StreamedToken, Translation
from lexalign.translator.word_aligner import WordAligner
from lexalign.translator.workers import num_cores, search_stream
from lexalign.translator.writing import TranslationWriter

DEFAULTS = TranslateOptions()


class Translator:
    """A model that is ready to translate; see `Translator.load`."""

    def __init__(self, model: ModelResources, reload: Callable[[], ModelResources]) -> None:
        """`reload` gives the same model in a process that shares no memory with this one."""
        self._model, self._reload = model, reload
        length_multiple = self.batching_defaults().length_multiple
        self._reader = SourceReader(model.tokenizer, model.max_source_tokens, length_multiple)
        self._searcher = BatchSearcher(model)
        self._continuations = ContinuationSearcher(model)
        self._writer = TranslationWriter(model.tokenizer.target, model.languages)
        self.languages = model.languages  # as ("de", "en"); None where they are not known

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
        load = partial(ModelResources.load, Path(path), device, precision, languages)
        return cls(load(), load)

    def between(self, source: str, target: str) -> "Translator":
        """The same multilingual model, and the same memory, for other languages."""
        languages = source, target
        return Translator(self._model.between(languages), partial(_reload_between, self._reload, languages))

    @property
    def max_source_tokens(self) -> int:
        return self._model.max_source_tokens

    def batching_defaults(self, options: TranslateOptions = DEFAULTS) -> BatchingDefaults:
        """How much goes through the device at a time."""
        return options.batching(on_cpu=self._model.on_cpu)

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
            raise LexalignError(
                f"{len(text)} texts, but constraints for {len(asked)}; give constraints for each text"
            )
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
        stream: OrderedStream[Sentence, list[Hypothesis]] = OrderedStream(
            self._read_windows(windows, plan, options, texts, matcher_of(glossary, self.languages), refuse),
            max_tokens=self.batching_defaults(options).batch_tokens,
            blank=[],
        )
        num_workers = self._num_workers(options)
        found = search_stream(stream, self._searcher, plan, num_workers=num_workers, reload=self._reload)
        yield from self._write(found, texts)

    def _write(self, found: Iterator[list[Hypothesis]], texts: deque[SourceText]) -> Iterator[Translation]:
        """Translations of whole texts; a text is among `texts` before the first of its sentences is found."""
        for first in found:
            source = texts.popleft()
            others = [next(found) for _ in source.sentences[1:]]
            yield self._writer.translation(source, [first, *others])

    def prepare(
        self,
        text: Text,
        options: TranslateOptions = DEFAULTS,
        *,
        glossary: Glossary | Matcher | None = None,
        watch: Watch = unwatched,
    ) -> Task:
        """Read a text, for a caller who makes batches: `search` its sentences, then `finish` it.

        What is searched together must have the same plan. `watch` gets the number of tokens again and again
        while they are read, and may raise to end it.
        """
        plan = self._plan(options)
        matcher = matcher_of(glossary, self.languages)
        source = self._reader.read(text, 1, self._read_options(options), matcher, watch=watch)
        if any(one.sentence.constraints for one in source.sentences):
            self._searcher.prepare(plan, constrained=True)
        return Task(source=source, plan=plan)

    def search(self, sentences: Sequence[Sentence], plan: SearchPlan) -> list[list[Hypothesis]]:
        """The hypotheses of each, in this process."""
        return self._searcher.search(sentences, plan)

    def search_parts(self, sentences: Sequence[Sentence], plan: SearchPlan, number: int) -> Iterator[Part]:
        """As `search`; what is done is given before the rest, with its places, in about so many parts."""
        return self._searcher.search_parts(sentences, plan, number)

    def begin(self, task: Task, beginning: str, *, number: int, whole: bool = False) -> Continuation:
        """Ask for translations of a text of one sentence that begin in this way; `finish` reads them."""
        (sentence,) = task.source.sentences
        return begin_translation(self._model, sentence, beginning, number=number, whole=whole)

    def search_continuations(self, asked: Continuation, plan: SearchPlan) -> list[Hypothesis]:
        """Whole translations with the beginning that is asked for, best first."""
        return self._continuations.search(asked, plan)

    def finish(self, task: Task, found: Sequence[Sequence[Hypothesis]]) -> Translation:
        """With what was found for each sentence, none for those of length 0."""
        return self._writer.translation(task.source, found)

    @property
    def has_head(self) -> bool:
        """Whether the model's folder holds a PostAln head; without one, attention aligns."""
        return self._model.has_head

    def has_aligner(self, method: AlignerName) -> bool:
        """Whether the model's folder holds what a method needs."""
        return self._model.find_aligner(method) is not None

    def aligner_name(self, method: AlignerName = "auto") -> OnlineMethod:
        """The method that a search aligns by; `auto` is one of them."""
        return self._model.named(method, online=True)

    def prepare_aligners(self, method: AlignerName = "auto", place: AttentionPlace | None = None) -> None:
        """Read, or find, what aligns in searches and what aligns their results."""
        for online in (True, False):
            self._model.aligner(method, place, online=online)

    def word_aligner(self, method: AlignerName = "auto", place: AttentionPlace | None = None) -> WordAligner:
        """An aligner of finished translations, by the same model; `place` is for attention."""
        aligner = self._model.aligner(method, place)
        return WordAligner(self._model.transformer, self._model.tokenizer, aligner)

    def stream(
        self,
        text: str,
        *,
        method: AlignerName = "auto",
        place: AttentionPlace | None = None,
        max_length: int = 512,
        options: TranslateOptions = DEFAULTS,
        glossary: Glossary | Matcher | None = None,
    ) -> Iterator[StreamedToken]:
        """Translate a text greedily, giving each token with its source the moment it is decided.

        The method must know a token's source with the token: naive-att, prior-att or post-aln; `auto` is one
        of them. Sentences with terms of the glossary are searched, and given, as a whole; for the others only
        those options count that say how a text is read.
        """
        matcher = matcher_of(glossary, self.languages)
        source = self._reader.read(text, 1, self._read_options(options), matcher)

        def search(sentence: SourceSentence) -> Translation:
            plan = self._plan(replace(options, align=options.align or method))
            self._searcher.prepare(plan, constrained=True)
            (found,) = self._searcher.search([sentence.sentence], plan)
            return self._writer.sentence(sentence, found)

        aligner = online_aligner(self._model, method, place)
        return stream_text(self._model, aligner, source, max_length, search)

    def score(self, sources: Sequence[str], targets: Sequence[str]) -> list[ScoredTarget]:
        """How probable the model finds given targets, token by token."""
        if len(sources) != len(targets):
            raise LexalignError(
                f"{len(sources)} sources and {len(targets)} targets; the numbers must be equal"
            )
        source_ids = [self._reader.encode(text, number) for number, text in enumerate(sources, start=1)]
        target_ids = [
            self._reader.encode_target(text, number, self._model.max_target_tokens)
            for number, text in enumerate(targets, start=1)
        ]
        scored = [ScoredTarget(text=target) for target in targets]
        # An empty source has an empty translation for certain; no model is asked.
        asked = [index for index in range(len(scored)) if source_ids[index] or target_ids[index]]
        found = score_targets(
            self._model.transformer,
            [source_ids[index] for index in asked],
            [target_ids[index] for index in asked],
            self.batching_defaults().batch_tokens,
        )
        for index, log_probabilities in zip(asked, found, strict=True):
            scored[index] = self._writer.scored(targets[index], target_ids[index], log_probabilities)
        return scored

    def check(self, texts: Iterable[str]) -> int:
        """Raise the error that translating would raise, or return the number of texts."""
        number = 0
        for number, text in enumerate(texts, start=1):
            check_text(text, number)
        return number

    def fits(self, text: str, max_tokens: int) -> bool:
        """Whether a source is short enough for the model, and has at most so many tokens."""
        return self._reader.fits(text, min(max_tokens, self.max_source_tokens))

    def num_tokens(self, text: str) -> int:
        """The length of a source as `max_source_tokens` counts it."""
        return self._reader.count(text)

    def _num_workers(self, options: TranslateOptions) -> int:
        if not self._model.on_cpu:
            return 1
        return options.workers or num_cores()

    def _plan(self, options: TranslateOptions) -> SearchPlan:
        plan = options.plan(self._model.max_target_tokens)
        self._searcher.prepare(plan, constrained=False)
        return plan

    def _read_options(self, options: TranslateOptions) -> ReadOptions:
        return ReadOptions.of(options, self._model.max_source_tokens, self.languages)

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
                self._reader.read(text, first + place, read_options, matcher, refuse)
                for place, text in enumerate(window)
            ]
            sentences = [one for source in found for one in source.sentences]
            if any(one.sentence.constraints for one in sentences):
                self._searcher.prepare(plan, constrained=True)
            texts.extend(found)
            yield [(one.sentence, one.length) for one in sentences]
            first += len(window)


def _reload_between(reload: Callable[[], ModelResources], languages: Languages) -> ModelResources:
    return reload().between(languages)
