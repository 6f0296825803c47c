"""Sentences searched one by one, by the published rules and by our VDBA, on the same weights.

published    the rules of `search`
same task    our VDBA, asked the same: constraints are token sequences that may go on into a longer word, and
             hypotheses are ranked by log-probability / length
whole words  the same, but "dog" is not met in "dogma"
default      our VDBA as it is used: whole words, and what constraints cost is divided by the length of the
             source
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from experiments.studies.published_vdba.search import search as published_search
from experiments.studies.published_vdba.step_counter import StepCounter
from lexalign.contracts.constraint import Constraint, TokenConstraint
from lexalign.contracts.errors import LexalignError
from lexalign.contracts.hypothesis import Hypothesis
from lexalign.decoding.constraints.sentence_constraints import Matching
from lexalign.decoding.options import SearchOptions
from lexalign.decoding.policies.vdba import Vdba
from lexalign.decoding.search import search
from lexalign.glossary.constraint_files import ConstrainedText
from lexalign.metrics.constraint_satisfaction import constraint_satisfaction
from lexalign.models.folder import load_model
from lexalign.text.subwords import ModelTokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.translator.constraints import token_constraints

Counter = StepCounter[Any]
Asked = tuple[TokenConstraint, ...]
Searcher = Callable[[Counter, Tensor, Asked, SearchOptions], list[Hypothesis]]
BASELINE = "published"
OURS = ("same task", "whole words", "default")
SAME = 1e-4  # scores that differ by less are the same hypothesis, added up in another order


@dataclass(frozen=True, kw_only=True)
class Found:
    """The best hypothesis of a sentence, if there is any."""

    text: str
    score: float | None = None  # log-probability / length
    log_probability: float = 0.0
    num_tokens: int = 0
    steps: int


class Comparison:
    """A model, and the searches that are compared on it, by name."""

    def __init__(self, folder: Path) -> None:
        model, self._tokenizer = load_model(folder, precision="float32")
        self._model: Counter = StepCounter(model)
        self._longest = model.config.max_positions - len(model.vocabulary.target_prefix)
        whole = Matching(continues_word=word_continuation_mask(self._tokenizer.target))
        policies = (
            Vdba(average_costs=True),
            Vdba(average_costs=True, matching=whole),
            Vdba(matching=whole),
        )
        self._searchers: dict[str, Searcher] = {
            BASELINE: _by_published_rules,
            **dict(zip(OURS, map(_by_ours, policies), strict=True)),
        }

    def search(self, name: str, sentence: ConstrainedText, beam: int) -> Found:
        source_ids, asked = read_sentence(self._tokenizer, self._model.vocabulary.eos_id, sentence)
        options = SearchOptions(beam=beam, max_length=min(SearchOptions().max_length, self._longest))
        before = self._model.steps
        ranked = self._searchers[name](self._model, source_ids, asked, options)
        steps = self._model.steps - before
        if not ranked:
            return Found(text="", steps=steps)
        best = ranked[0]
        return Found(
            text=self._tokenizer.target.decode(best.token_ids),
            score=best.log_probability / (len(best.token_ids) + 1),
            log_probability=best.log_probability,
            num_tokens=len(best.token_ids),
            steps=steps,
        )


def read_sentence(tokenizer: ModelTokenizer, eos_id: int, sentence: ConstrainedText) -> tuple[Tensor, Asked]:
    text, constraints = sentence
    if any(one.kind != "must" or len(one.targets) > 1 for one in constraints):
        raise LexalignError("the published rules know only constraints of one form that must be met")
    encoding = tokenizer.source.encode_with_offsets(text)
    asked = token_constraints(tokenizer.target, encoding, constraints)
    return torch.tensor([[*encoding.ids, eos_id]]), asked


def summarize(
    found: Mapping[str, Sequence[Found]], constraints: Sequence[Sequence[Constraint]]
) -> dict[str, dict[str, Any]]:
    """Summarize each search; means are over the sentences for which every search has found something."""
    common = [
        index
        for index in range(len(constraints))
        if all(results[index].score is not None for results in found.values())
    ]
    baseline = _scores(found[BASELINE], common)
    rows = {}
    for name, results in found.items():
        scores = _scores(results, common)
        gains = [mine - other for mine, other in zip(scores, baseline, strict=True)]
        rows[name] = {
            "without_result": sum(one.score is None for one in results),
            "score": statistics.fmean(scores),
            "log_probability": statistics.fmean(results[index].log_probability for index in common),
            "better": sum(gain > SAME for gain in gains),
            "worse": sum(gain < -SAME for gain in gains),
            "csr": constraint_satisfaction([one.text for one in results], constraints).value,
            "tokens": statistics.fmean(results[index].num_tokens for index in common),
            "steps": statistics.fmean(one.steps for one in results),
        }
    return rows


def _scores(results: Sequence[Found], places: Sequence[int]) -> list[float]:
    return [score for place in places if (score := results[place].score) is not None]


def _by_published_rules(
    model: Counter, source_ids: Tensor, asked: Asked, options: SearchOptions
) -> list[Hypothesis]:
    limit = options.limit(source_ids.shape[1])
    sequences = [one.alternatives[0] for one in asked]
    return published_search(model, source_ids, sequences, beam=options.beam, limit=limit)


def _by_ours(policy: Vdba) -> Searcher:
    def run(model: Counter, source_ids: Tensor, asked: Asked, options: SearchOptions) -> list[Hypothesis]:
        return search(model, source_ids, options, policy, [asked])[0]

    return run
