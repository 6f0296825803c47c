"""From a request to its translations: the way that all fronts share."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Matcher, MatchOptions
from lexalign.server.batching.dispatcher import Dispatcher, Request
from lexalign.server.batching.work import AlignWork, SearchWork, StreamWork, WordLinks
from lexalign.server.translating.catalogue import Catalogue, LoadedModel
from lexalign.server.translating.joining import TextTranslation, join, split
from lexalign.server.translating.languages import guess_language
from lexalign.server.translating.markup import TaggedTexts, TagHandling
from lexalign.server.translating.small_work import beside, is_small
from lexalign.server.translating.terms import Matchers
from lexalign.translator import (
    ConstraintOptions,
    OnlineMethod,
    PolicyName,
    StreamedToken,
    Task,
    TranslateOptions,
    Translation,
)


@dataclass(frozen=True, kw_only=True)
class Order:
    """What a client asks for; languages that are None are found out."""

    texts: tuple[str, ...]
    source: str | None = None
    target: str | None = None
    glossary: Glossary = field(default_factory=Glossary)
    policy: PolicyName | None = None  # guided where the model can align
    beam: int = 5
    alternatives: int = 0
    align: bool | None = None  # where the model can
    sentences: bool = True  # are told apart, not only lines
    forms: MatchOptions = field(default_factory=MatchOptions)
    tags: TagHandling | None = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    model: LoadedModel
    translations: list[TextTranslation]


class TranslationService:
    def __init__(self, catalogue: Catalogue, dispatcher: Dispatcher) -> None:
        self.catalogue, self._dispatcher = catalogue, dispatcher
        self._matchers = Matchers()

    def model_for(self, source: str | None, target: str | None, texts: Sequence[str]) -> LoadedModel:
        def guess() -> str | None:
            found = guess_language(" ".join(texts), self.catalogue.sources)
            return found[0] if found else None

        return self.catalogue.choose(source, target, guess)

    async def translate(self, order: Order) -> Outcome:
        model = self.model_for(order.source, order.target, order.texts)
        if order.tags is not None:
            return await self._translate_tagged(model, order, order.tags)
        spans = [split(text, sentences=order.sentences) for text in order.texts]
        parts = [text[slice(*span)] for text, found in zip(order.texts, spans, strict=True) for span in found]
        done = iter(await self._search(model, order, parts))
        translations = [
            join(text, places, [next(done) for _ in places])
            for text, places in zip(order.texts, spans, strict=True)
        ]
        return Outcome(model=model, translations=translations)

    async def _translate_tagged(self, model: LoadedModel, order: Order, tags: TagHandling) -> Outcome:
        _aligner(model)  # which tells where tags belong
        tagged = await asyncio.to_thread(TaggedTexts, order.texts, tags, model.translator)
        found = await self._search(model, replace(order, align=True, alternatives=0), tagged.sentences)
        return Outcome(model=model, translations=await asyncio.to_thread(tagged.write, found))

    async def _search(self, model: LoadedModel, order: Order, parts: Sequence[str]) -> list[Translation]:
        small = is_small(sum(map(len, parts)), len(order.glossary))
        tasks = await beside(small, self._read, model, order, parts)
        found = await self._dispatcher.run(
            [Request(_work(model, task), task.sentence, task.length) for task in tasks]
        )
        finish = model.translator.finish
        return [finish(task, ranked) for task, ranked in zip(tasks, found, strict=True)]  # type: ignore[arg-type]

    async def align(
        self, pairs: Sequence[tuple[str, str]], source: str | None, target: str | None
    ) -> tuple[LoadedModel, list[WordLinks]]:
        model = self.model_for(source, target, [text for text, _ in pairs])
        method = _aligner(model)
        lengths = await asyncio.to_thread(_pair_lengths, model, pairs)
        work = AlignWork(model=model.name, method=method)
        found = await self._dispatcher.run(
            [Request(work, pair, length) for pair, length in zip(pairs, lengths, strict=True)]
        )
        return model, [links for links in found if isinstance(links, WordLinks)]

    def check(self, order: Order) -> None:
        """Raise what streaming would raise before it begins."""
        if order.tags is not None:
            raise LexalignError("texts with tags are not streamed; ask /v1/translate")
        _options(self.model_for(order.source, order.target, order.texts), order)

    def can_draft(self, order: Order) -> bool:
        return self.model_for(order.source, order.target, order.texts).aligner is not None

    async def draft(self, order: Order) -> AsyncIterator[StreamedToken]:
        """The first text, greedily and without terms, each token as it is decided; sentence after sentence,
        with offsets in the whole."""
        (text, *_), end = order.texts, 0
        model = self.model_for(order.source, order.target, order.texts)
        for span in split(text, sentences=order.sentences):
            part = text[slice(*span)]
            length = model.translator.prepare(part).length
            gap, end = text[end : span[0]], span[1]
            work = StreamWork(model=model.name, method=_aligner(model))
            async for token in self._dispatcher.stream(work, part, length):
                yield _shifted(token, span[0], gap)
                gap = ""

    def _read(self, model: LoadedModel, order: Order, parts: Sequence[str]) -> list[Task]:
        options, matcher = _options(model, order), self._matcher(model, order)
        return [model.translator.prepare(part, options, glossary=matcher) for part in parts]

    def _matcher(self, model: LoadedModel, order: Order) -> Matcher | None:
        if not len(order.glossary):
            return None
        choice = model.choice
        return self._matchers.get(order.glossary, order.forms, choice.source, choice.target)


def _options(model: LoadedModel, order: Order) -> TranslateOptions:
    policy = order.policy or ("guided" if model.aligner else "vdba")
    if model.aligner is None and len(order.glossary) and policy not in ("none", "vdba"):
        raise LexalignError(f"the model {model.name} has no alignment head; use the policy vdba")
    if model.aligner is None and order.align:
        raise LexalignError(f"the model {model.name} has no alignment head; ask without align")
    method = model.aligner or "post-aln"
    return TranslateOptions(
        beam=order.beam,
        n_best=order.alternatives + 1,
        constraints=ConstraintOptions(policy=policy, method=method),
        align=model.aligner if order.align is not False else None,
    )


def _work(model: LoadedModel, task: Task) -> SearchWork:
    return SearchWork(model=model.name, plan=task.plan, constrained=bool(task.sentence.constraints))


def _aligner(model: LoadedModel) -> OnlineMethod:
    if model.aligner is None:
        raise LexalignError(f"the model {model.name} has no alignment head, which this needs")
    return model.aligner


def _pair_lengths(model: LoadedModel, pairs: Sequence[tuple[str, str]]) -> list[int]:
    prepare = model.translator.prepare
    return [max(1, *(prepare(side).length for side in pair)) for pair in pairs]


def _shifted(token: StreamedToken, by: int, gap: str) -> StreamedToken:
    """A token of a sentence as one of the whole text; the first brings what stands before the sentence."""
    source = token.source[0] + by, token.source[1] + by
    return replace(token, source=source, text=gap + token.text)
