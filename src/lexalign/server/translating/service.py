"""From a request to its translations: the way that all fronts share."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, Matcher, MatchOptions
from lexalign.server.batching.dispatcher import Dispatcher, Request
from lexalign.server.batching.lanes import Lanes, checkpoint, size_of
from lexalign.server.batching.work import AlignWork, Result, SearchWork, StreamWork, WordLinks
from lexalign.server.translating.catalogue import Catalogue, LoadedModel
from lexalign.server.translating.languages import guess_language
from lexalign.server.translating.markup import TaggedTexts, TagHandling
from lexalign.server.translating.terms import Matchers
from lexalign.translator import (
    ConstraintOptions,
    OnlineMethod,
    PolicyName,
    SearchPlan,
    Sentence,
    StreamedToken,
    Task,
    TranslateOptions,
    Translation,
)
from lexalign.translator.joining import join_token, with_gaps

_GUESS_COST = 1_000  # in characters; dictionaries take longer than all that follows


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
    protect: bool = True  # untranslatables are kept as they are
    forms: MatchOptions = field(default_factory=MatchOptions)
    tags: TagHandling | None = None

    @property
    def size(self) -> int:
        """Of its texts, for `Lanes`."""
        return (1 + self.alternatives) * size_of(sum(map(len, self.texts)), num_texts=len(self.texts))


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A translation for each text, and the model that it is by."""

    models: list[LoadedModel]
    translations: list[Translation]


class TranslationService:
    def __init__(self, catalogue: Catalogue, dispatcher: Dispatcher, lanes: Lanes) -> None:
        self.catalogue, self._dispatcher, self._lanes = catalogue, dispatcher, lanes
        self._matchers = Matchers()

    def model_for(self, source: str | None, target: str | None, texts: Sequence[str]) -> LoadedModel:
        def guess() -> str | None:
            found = guess_language(" ".join(texts), self.catalogue.sources)
            return found[0] if found else None

        return self.catalogue.choose(source, target, guess)

    async def find_model(self, source: str | None, target: str | None, texts: Sequence[str]) -> LoadedModel:
        """As `model_for`; dictionaries are looked into beside the event loop."""
        size = 0 if source is not None else _GUESS_COST
        return await self._lanes.run(size, self.model_for, source, target, texts)

    async def find_models(self, order: Order) -> list[LoadedModel]:
        """Of each text, whose language is its own where the client does not say it."""
        if order.source is not None or len(order.texts) == 1:
            return [await self.find_model(order.source, order.target, order.texts)] * len(order.texts)
        return await self._lanes.run(guessing_size(order.texts), self._models_for, order)

    def _models_for(self, order: Order) -> list[LoadedModel]:
        """What tells nothing by itself is taken to be in the language of the whole."""
        whole = self.model_for(None, order.target, order.texts)
        found = []
        for text in order.texts:
            checkpoint()
            guessed = guess_language(text, self.catalogue.sources)
            known = guessed is not None and self.catalogue.has(guessed[0], order.target)
            found.append(self.model_for(guessed[0], order.target, ()) if guessed and known else whole)
        return found

    async def translate(self, order: Order) -> Outcome:
        models = await self.find_models(order)
        translations: dict[int, Translation] = {}
        for model in dict.fromkeys(models):
            places = [place for place, one in enumerate(models) if one is model]
            part = replace(order, texts=tuple(order.texts[place] for place in places))
            found = await (self._translate(model, part) if part.tags is None else self._tagged(model, part))
            translations |= zip(places, found, strict=True)
        return Outcome(models=models, translations=[translations[place] for place in range(len(models))])

    async def _translate(self, model: LoadedModel, order: Order) -> list[Translation]:
        return await self._search(model, order, order.texts)

    async def _tagged(self, model: LoadedModel, order: Order) -> list[Translation]:
        assert order.tags is not None
        _aligner(model)  # which tells where tags belong
        tagged = await self._lanes.run(order.size, TaggedTexts, order.texts, order.tags, model.translator)
        asked = replace(order, align=True, alternatives=0, sentences=False)
        found = await self._search(model, asked, tagged.sentences)
        return await self._lanes.run(order.size, tagged.write, found)

    async def _search(self, model: LoadedModel, order: Order, texts: Sequence[str]) -> list[Translation]:
        tasks = await self._lanes.run(self._reading_size(model, order), self._read, model, order, texts)
        found = await self._dispatcher.run(
            [
                Request(_work(model, task.plan, one.sentence), one.sentence, one.length)
                for task in tasks
                for one in task.source.sentences
            ]
        )
        return await self._lanes.run(order.size, _finish, model, tasks, found)

    async def align(
        self, pairs: Sequence[tuple[str, str]], source: str | None, target: str | None
    ) -> tuple[LoadedModel, list[WordLinks]]:
        model = await self.find_model(source, target, [text for text, _ in pairs])
        method = _aligner(model)
        size = size_of(sum(len(one) + len(other) for one, other in pairs), num_texts=len(pairs))
        lengths = await self._lanes.run(size, _pair_lengths, model, pairs)
        work = AlignWork(model=model.name, method=method)
        found = await self._dispatcher.run(
            [Request(work, pair, length) for pair, length in zip(pairs, lengths, strict=True)]
        )
        return model, [links for links in found if isinstance(links, WordLinks)]

    async def check(self, order: Order) -> LoadedModel:
        """The model that streams; raises what streaming would raise before it begins."""
        if order.tags is not None:
            raise LexalignError("texts with tags are not streamed; ask /v1/translate")
        model = await self.find_model(order.source, order.target, order.texts)
        _options(model, order)
        return model

    async def draft(self, order: Order, model: LoadedModel) -> AsyncIterator[StreamedToken]:
        """The first text, greedily and without terms, each token as it is decided; sentence after sentence,
        with offsets in the whole."""
        (task,) = await self._lanes.run(order.size, self._read, model, replace(order, glossary=Glossary()))
        for sentence, gap in with_gaps(task.source):
            work = StreamWork(model=model.name, method=_aligner(model))
            async for token in self._dispatcher.stream(work, sentence.text, max(1, sentence.length)):
                yield join_token(token, sentence, gap)
                gap = ""

    def _read(self, model: LoadedModel, order: Order, texts: Sequence[str] | None = None) -> list[Task]:
        """The texts of an order, or others in their place."""
        options, matcher = _options(model, order), self._matcher(model, order)
        tasks, num_tokens = [], 0
        for text in order.texts[:1] if texts is None else texts:
            checkpoint()
            tasks.append(model.translator.prepare(text, options, glossary=matcher))
            num_tokens += sum(one.length for one in tasks[-1].source.sentences)
            self._dispatcher.check_size(num_tokens)
        return tasks

    def _reading_size(self, model: LoadedModel, order: Order) -> int:
        """A glossary costs what it takes to compile it, where that has not been done."""
        choice = model.choice
        compiled = self._matchers.has(order.glossary, order.forms, choice.source, choice.target)
        return order.size + (0 if compiled else size_of(0, num_texts=0, num_terms=len(order.glossary)))

    def _matcher(self, model: LoadedModel, order: Order) -> Matcher | None:
        if not len(order.glossary):
            return None
        choice = model.choice
        return self._matchers.get(order.glossary, order.forms, choice.source, choice.target)


def guessing_size(texts: Sequence[str]) -> int:
    """Of finding out the language of each, for `Lanes`."""
    return len(texts) * _GUESS_COST


def _finish(model: LoadedModel, tasks: Sequence[Task], found: Sequence[Result]) -> list[Translation]:
    translations, waiting = [], iter(found)
    for task in tasks:
        checkpoint()
        ranked = [next(waiting) for _ in task.source.sentences]
        translations.append(model.translator.finish(task, ranked))  # type: ignore[arg-type]
    return translations


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
        sentences=order.sentences,
        protect=order.protect,
    )


def _work(model: LoadedModel, plan: SearchPlan, sentence: Sentence) -> SearchWork:
    return SearchWork(model=model.name, plan=plan, constrained=bool(sentence.constraints))


def _aligner(model: LoadedModel) -> OnlineMethod:
    if model.aligner is None:
        raise LexalignError(f"the model {model.name} has no alignment head, which this needs")
    return model.aligner


def _pair_lengths(model: LoadedModel, pairs: Sequence[tuple[str, str]]) -> list[int]:
    lengths = []
    for pair in pairs:
        checkpoint()
        lengths.append(max(1, *(model.translator.num_tokens(side) for side in pair)))
    return lengths
