"""Translations that begin as somebody wants them to: what else may stand at a place, and what follows it.

    The house is | big.        The house is large.   The house is tall.

The model is asked for the most probable next tokens after the beginning, and each of them is followed by a
search of its own, as in CTranslate2's `return_alternatives`. A search is any other, of the same model whose
target prefix is longer, so terms that are still to come are met in it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

import torch

from lexalign.characters import continues_word
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.markup.protection import MaskedText
from lexalign.translator.batch_search import BatchSearcher
from lexalign.translator.execution import running
from lexalign.translator.forced_targets import SourceBatch, align_hypotheses, pad_sources, score_targets
from lexalign.translator.model_resources import ModelResources
from lexalign.translator.options import SearchPlan
from lexalign.translator.source_text import Ids, Sentence, SourceSentence
from lexalign.translator.writing import look_for

NextToken = Literal["new", "inside", "whole"]
_HYPHENS = ("-", "\u2010", "\u2011")
_LOOKED_AT = 8  # next tokens, for each that is wanted: many do not begin a word
_BATCH_TOKENS = 1024


@dataclass(frozen=True, kw_only=True)
class Continuation:
    """A sentence, the tokens its translation begins with, and how many continuations are wanted.

    Each has another next token. It begins a word, or is `inside` of one; or where the last word is `whole`,
    it is anything that does not make it longer.
    """

    sentence: Sentence
    beginning: tuple[int, ...]
    number: int
    next: NextToken


def begin_translation(
    model: ModelResources, source: SourceSentence, beginning: str, *, number: int, whole: bool
) -> Continuation:
    """Terms that the beginning meets are not asked for again; what is kept from the model is not in it.

    Its last word may become longer unless it is `whole`, or a space follows it.
    """
    sentence = source.sentence
    asked = [
        tokens
        for one, match, tokens in zip(source.constraints, source.matches, sentence.constraints, strict=True)
        if one.kind == "avoid" or not look_for(one, match, beginning).met
    ]
    masked = _masked(source.masked, beginning)
    stand_ins = [
        tokens
        for one, tokens in zip(source.masked.stand_ins, sentence.stand_ins, strict=True)
        if one.word not in masked
    ]
    ids = model.tokenizer.target.encode(masked.rstrip()) if masked.strip() else []
    return Continuation(
        sentence=Sentence(sentence.ids, tuple(asked), tuple(stand_ins)),
        beginning=tuple(ids),
        number=number,
        next="whole" if whole else "new" if not masked.strip() or masked[-1].isspace() else "inside",
    )


def _masked(source: MaskedText, beginning: str) -> str:
    """The beginning as the model would have written it: with stand-ins, and without tags and symbols."""
    for one in source.stand_ins:
        beginning = beginning.replace(source.source[slice(*one.original.span)], one.word, 1)
    for lifted in source.lifted:
        beginning = beginning.replace(source.source[slice(*lifted.original.span)], "", 1)
    return beginning


class ContinuationSearcher:
    """Continues translations with one model."""

    def __init__(self, model: ModelResources) -> None:
        self._model = model

    def search(self, asked: Continuation, plan: SearchPlan) -> list[Hypothesis]:
        """Whole translations, best first, with their alignments where the model has an aligner."""
        found = dict.fromkeys(self._whole(asked, plan))
        return self._aligned(asked.sentence, self._scored(asked.sentence, list(found)), plan)

    def _whole(self, asked: Continuation, plan: SearchPlan) -> Iterator[tuple[int, ...]]:
        vocabulary = self._model.transformer.vocabulary
        for beginning in islice(self._branches(asked), asked.number):
            if beginning[-1:] == (vocabulary.eos_id,):
                yield beginning[:-1]
                continue
            model = self._model.with_target_prefix(beginning)
            if model.max_target_tokens < 1:
                continue
            length = min(plan.search.max_length, model.max_target_tokens)
            search = replace(plan.search, n_best=1, max_length=length)
            own = replace(plan, search=search, align=None, coverage=False)
            for hypothesis in BatchSearcher(model).search([asked.sentence], own)[0]:
                yield (*beginning, *hypothesis.token_ids)

    def _branches(self, asked: Continuation) -> Iterator[tuple[int, ...]]:
        """The beginning with each of its most probable next tokens."""
        target, eos_id = self._model.tokenizer.target, self._model.transformer.vocabulary.eos_id
        before = target.decode(asked.beginning)
        for token_id in self._next_tokens(asked):
            added = "" if token_id == eos_id else target.decode((*asked.beginning, token_id))[len(before) :]
            if _may_follow(added, asked.next, at_start=not before):
                yield (*asked.beginning, token_id)

    @torch.inference_mode()
    def _next_tokens(self, asked: Continuation) -> list[int]:
        model = self._model.transformer
        vocabulary = model.vocabulary
        inputs = torch.tensor([[*vocabulary.target_prefix, *asked.beginning]], device=model.device)
        with running(model.device):
            source = model.encode(pad_sources(model, [asked.sentence.ids]))
            logits = model.force(source, inputs).logits[0, -1]  # (V,)
            unwanted = (*vocabulary.never_generated, self._model.tokenizer.target.unk_id)
            logits[list(unwanted)] = float("-inf")
            found: list[int] = logits.topk(min(_LOOKED_AT * asked.number, len(logits))).indices.tolist()
        return found

    def _scored(self, sentence: Sentence, targets: Sequence[Ids]) -> list[Hypothesis]:
        model = self._model.transformer
        scored = score_targets(model, [sentence.ids] * len(targets), targets, _BATCH_TOKENS)
        hypotheses = [
            Hypothesis(
                token_ids=tuple(ids),
                score=sum(log_probabilities) / len(log_probabilities),
                log_probability=sum(log_probabilities),
                token_log_probabilities=tuple(log_probabilities),
            )
            for ids, log_probabilities in zip(targets, scored, strict=True)
        ]
        return sorted(hypotheses, key=lambda one: -one.score)

    @torch.inference_mode()
    def _aligned(self, sentence: Sentence, found: list[Hypothesis], plan: SearchPlan) -> list[Hypothesis]:
        constraints = plan.constraints
        aligner = self._model.find_aligner(plan.align or constraints.method, constraints.attention)
        if aligner is None or not found:
            return found
        model = self._model.transformer
        batch = SourceBatch(source_ids=pad_sources(model, [sentence.ids]), constraints=[()])
        with running(model.device):
            return list(align_hypotheses(model, aligner, batch, [0] * len(found), found))


def _may_follow(added: str, wanted: NextToken, *, at_start: bool) -> bool:
    """Whether a token that adds this, nothing at the end of the sentence, is one that is wanted."""
    if wanted == "whole":
        return not continues_word(added) and added[:1] not in _HYPHENS
    begins = at_start or added[:1].isspace()
    return added.strip()[:1].isalnum() and (begins or wanted == "inside")
