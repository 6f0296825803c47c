"""From a request to its translations, for all APIs of the server."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial

from lexalign.contracts.alignment import SpanLink
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Matcher
from lexalign.glossary.matching.layers import LayeredMatcher
from lexalign.server.batching.dispatcher import Dispatcher
from lexalign.server.batching.errors import TooLargeError
from lexalign.server.batching.queue import Job
from lexalign.server.batching.thread_pools import ThreadPools, checkpoint, size_of
from lexalign.server.batching.work import (
    AlignWork,
    ContinueWork,
    MutualWork,
    Result,
    SearchWork,
    StreamWork,
    WordLinks,
)
from lexalign.server.translating.catalogue import Catalogue, LoadedModel, detect_language
from lexalign.server.translating.markup import TaggedTexts
from lexalign.server.translating.matcher_cache import MatcherCache
from lexalign.server.translating.requests import TranslationRequest, TranslationResult
from lexalign.translator import (
    ConstraintOptions,
    SearchPlan,
    Sentence,
    StreamedToken,
    Task,
    TranslateOptions,
    Translation,
)
from lexalign.translator.joining import join_token, with_gaps

_MAX_PROBABILITIES = 2_000_000  # of all pairs of a request that asks for matrices
_DETECTION_COST = 1_000  # in characters; to detect a language takes longer than all that follows


class TranslationService:
    def __init__(self, catalogue: Catalogue, dispatcher: Dispatcher, threads: ThreadPools) -> None:
        self.catalogue, self._dispatcher, self._threads = catalogue, dispatcher, threads
        self._matcher_cache = MatcherCache()

    def model_for(self, source: str | None, target: str | None, texts: Sequence[str]) -> LoadedModel:
        def detect_source() -> str | None:
            found = detect_language(" ".join(texts), self.catalogue.sources)
            return found[0] if found else None

        return self.catalogue.choose(source, target, detect_source)

    async def find_model(self, source: str | None, target: str | None, texts: Sequence[str]) -> LoadedModel:
        """As `model_for`, with language detection in a thread."""
        size = 0 if source is not None else _DETECTION_COST
        return await self._threads.run(size, self.model_for, source, target, texts)

    async def find_models(self, request: TranslationRequest) -> list[LoadedModel]:
        """The model of each text; where the client does not give the language, each text has its own."""
        if request.source is not None or len(request.texts) == 1:
            texts = [*request.texts, request.context] if request.context else request.texts
            return [await self.find_model(request.source, request.target, texts)] * len(request.texts)
        return await self._threads.run(detection_size(request.texts), self._models_for, request)

    def _models_for(self, request: TranslationRequest) -> list[LoadedModel]:
        """A text whose language is not sure counts as one in the language of all texts together."""
        default = self.model_for(None, request.target, [*request.texts, request.context])
        found = []
        for text in request.texts:
            checkpoint()
            detected = detect_language(text, self.catalogue.sources)
            known = detected is not None and self.catalogue.has(detected[0], request.target)
            found.append(self.model_for(detected[0], request.target, ()) if detected and known else default)
        return found

    async def translate(self, request: TranslationRequest) -> TranslationResult:
        models = await self.find_models(request)
        translations: dict[int, Translation] = {}
        for model in dict.fromkeys(models):
            indices = [index for index, one in enumerate(models) if one is model]
            part = replace(request, texts=tuple(request.texts[index] for index in indices))
            if part.tags is None:
                found = await self.search(model, part, part.texts)
            else:
                found = await self._translate_tagged(model, part)
            translations |= zip(indices, found, strict=True)
        return TranslationResult(
            models=models, translations=[translations[index] for index in range(len(models))]
        )

    async def _translate_tagged(self, model: LoadedModel, request: TranslationRequest) -> list[Translation]:
        assert request.tags is not None
        read = partial(
            TaggedTexts,
            request.texts,
            request.tags,
            model.translator,
            request.tag_options,
            split=request.sentences,
        )
        tagged = await self._threads.run(request.size, read)
        untagged = replace(request, align=True, alternatives=0, sentences=False)
        sentences = tagged.sentences
        found = await self.search(model, untagged, sentences)
        marked = tagged.tagged_sentences
        pairs = [(one, other.text) for one, other in zip(sentences, found, strict=True) if one in marked]
        links = await self.mutual_links(model, pairs)
        return await self._threads.run(request.size, tagged.write, found, links)

    async def mutual_links(
        self, model: LoadedModel, pairs: Sequence[tuple[str, str]]
    ) -> dict[str, tuple[SpanLink, ...]]:
        """Links by the models of both directions, of each source; none where only one is loaded."""
        back = self.catalogue.models.get(f"{model.choice.target}-{model.choice.source}")
        if back is None or not pairs:
            return {}
        size = size_of(sum(len(one) + len(other) for one, other in pairs), num_texts=len(pairs))
        lengths = await self._threads.run(size, _pair_lengths, model, pairs)
        chosen = model.alignment
        work = MutualWork(model=model.name, back=back.name, method=chosen.aligner, attention=chosen.attention)
        found = await self._dispatcher.run(
            [Job(work=work, payload=pair, length=length) for pair, length in zip(pairs, lengths, strict=True)]
        )
        return {
            source: links for (source, _), links in zip(pairs, found, strict=True) if isinstance(links, tuple)
        }

    async def search(
        self, model: LoadedModel, request: TranslationRequest, texts: Sequence[str]
    ) -> list[Translation]:
        tasks = await self._threads.run(
            self._preparation_size(model, request), self._prepare, model, request, texts
        )
        found = await self._dispatcher.run(
            [
                Job(work=_work(model, task.plan, one.sentence), payload=one.sentence, length=one.length)
                for task in tasks
                for one in task.source.sentences
            ]
        )
        return await self._threads.run(request.size, _finish, model, tasks, found)

    async def continue_target(
        self, request: TranslationRequest, beginning: str, *, number: int, whole: bool
    ) -> tuple[LoadedModel, Translation]:
        """The best translation of one sentence that begins in this way, with its alternatives."""
        model = await self.find_model(request.source, request.target, request.texts)
        (task,) = await self._threads.run(
            self._preparation_size(model, request), self._prepare, model, request, request.texts
        )
        if len(task.source.sentences) != 1:
            raise LexalignError("the source has several sentences or lines; send one at a time")
        if not task.source.sentences[0].length:
            return model, model.translator.finish(task, [[]])
        asked = model.translator.begin(task, beginning, number=number, whole=whole)
        work = ContinueWork(model=model.name, plan=task.plan)
        length = number * task.source.sentences[0].length  # each is searched for itself
        found = await self._dispatcher.run([Job(work=work, payload=asked, length=length)])
        (translation,) = await self._threads.run(request.size, _finish, model, [task], found)
        return model, translation

    async def align(
        self,
        pairs: Sequence[tuple[str, str]],
        source: str | None,
        target: str | None,
        *,
        matrix: bool = False,
        subwords: bool = False,
    ) -> tuple[LoadedModel, list[WordLinks]]:
        model = await self.find_model(source, target, [text for text, _ in pairs])
        size = size_of(sum(len(one) + len(other) for one, other in pairs), num_texts=len(pairs))
        lengths = await self._threads.run(size, _pair_lengths, model, pairs)
        if (matrix or subwords) and sum(length**2 for length in lengths) > _MAX_PROBABILITIES:
            raise TooLargeError(
                f"the matrices of these pairs have more than {_MAX_PROBABILITIES:,} probabilities; send "
                "fewer or shorter pairs at a time"
            )
        chosen = model.alignment
        work = AlignWork(
            model=model.name,
            method=chosen.aligner,
            attention=chosen.attention,
            matrix=matrix,
            subwords=subwords,
        )
        found = await self._dispatcher.run(
            [Job(work=work, payload=pair, length=length) for pair, length in zip(pairs, lengths, strict=True)]
        )
        return model, [links for links in found if isinstance(links, WordLinks)]

    async def check(self, request: TranslationRequest) -> LoadedModel:
        """The model of a stream; it raises the errors that a stream would raise before its first event."""
        if request.tags is not None:
            raise LexalignError("texts with tags are not streamed; ask /v1/translate")
        model = await self.find_model(request.source, request.target, request.texts)
        self.options(model, request)
        return model

    async def draft(self, request: TranslationRequest, model: LoadedModel) -> AsyncIterator[StreamedToken]:
        """The greedy translation of the first text, without terms, token by token.

        Sentences follow each other; offsets are those of the whole text.
        """
        (task,) = await self._threads.run(
            request.size, self._prepare, model, replace(request, glossary=Glossary(), stored=())
        )
        for sentence, gap in with_gaps(task.source):
            work = StreamWork(
                model=model.name, method=model.alignment.aligner, attention=model.alignment.attention
            )
            async for token in self._dispatcher.stream(work, sentence.text, max(1, sentence.length)):
                yield join_token(token, sentence, gap)
                gap = ""

    def _prepare(
        self, model: LoadedModel, request: TranslationRequest, texts: Sequence[str] | None = None
    ) -> list[Task]:
        """The texts prepared for the search: those of the request, or others in their place."""
        options, matcher = self.options(model, request), self.matcher(model, request)
        tasks: list[Task] = []
        num_before = 0  # tokens of the texts before

        def watch(num_tokens: int) -> None:
            checkpoint()
            self._dispatcher.check_size(num_before + num_tokens)

        for text in request.texts[:1] if texts is None else texts:
            tasks.append(model.translator.prepare(text, options, glossary=matcher, watch=watch))
            num_before += sum(one.length for one in tasks[-1].source.sentences)
        return tasks

    def _preparation_size(self, model: LoadedModel, request: TranslationRequest) -> int:
        """The cost of preparing the texts, and of compiling the glossary if it is not in the cache."""
        choice = model.choice
        num_terms = sum(
            len(one)
            for one in request.glossaries
            if not self._matcher_cache.has(one, request.forms, choice.source, choice.target)
        )
        return request.size + (size_of(0, num_texts=0, num_terms=num_terms) if num_terms else 0)

    def options(self, model: LoadedModel, request: TranslationRequest) -> TranslateOptions:
        chosen = model.alignment
        return TranslateOptions(
            beam=request.beam,
            n_best=request.alternatives + 1,
            constraints=ConstraintOptions(
                policy=request.policy or chosen.policy, method=chosen.aligner, attention=chosen.attention
            ),
            align=chosen.aligner if request.align else None,
            sentences=request.sentences,
            protect=request.protect,
            skip_translated=request.skip_translated,
        )

    def has_back(self, model: LoadedModel) -> bool:
        """Whether the model of the other direction is loaded."""
        return f"{model.choice.target}-{model.choice.source}" in self.catalogue.models

    def matcher(self, model: LoadedModel, request: TranslationRequest) -> Matcher | None:
        choice = model.choice
        layers = [
            self._matcher_cache.get(one, request.forms, choice.source, choice.target)
            for one in request.glossaries
        ]
        return LayeredMatcher(layers) if len(layers) > 1 else next(iter(layers), None)


def detection_size(texts: Sequence[str]) -> int:
    """The cost of detecting the language of each text, for `ThreadPools`."""
    return len(texts) * _DETECTION_COST


def _finish(model: LoadedModel, tasks: Sequence[Task], found: Sequence[Result]) -> list[Translation]:
    translations, waiting = [], iter(found)
    for task in tasks:
        checkpoint()
        ranked = [next(waiting) for _ in task.source.sentences]
        translations.append(model.translator.finish(task, ranked))  # type: ignore[arg-type]
    return translations


def _work(model: LoadedModel, plan: SearchPlan, sentence: Sentence) -> SearchWork:
    return SearchWork(model=model.name, plan=plan, constrained=bool(sentence.constraints))


def _pair_lengths(model: LoadedModel, pairs: Sequence[tuple[str, str]]) -> list[int]:
    lengths = []
    for pair in pairs:
        checkpoint()
        lengths.append(max(1, *(model.translator.num_tokens(side) for side in pair)))
    return lengths
