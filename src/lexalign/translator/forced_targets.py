"""Forced decoding of given targets: their log-probabilities, and the origins of their tokens."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import torch
from torch import Tensor

from lexalign.alignment.forced import force_target
from lexalign.contracts.alignment import Aligner
from lexalign.contracts.constraint import TokenConstraint
from lexalign.contracts.hypothesis import ConstraintResult, Hypothesis, Origin
from lexalign.contracts.model import EncodedSource
from lexalign.data.collate import pad_sentences
from lexalign.decoding.constraints.results import with_probabilities
from lexalign.decoding.stream import plan_batches
from lexalign.models.transformer import Transformer
from lexalign.translator.execution import running
from lexalign.translator.source_text import Ids

_SCORES_AT_ONCE = 2**24  # of a vocabulary's entries


@dataclass(frozen=True, kw_only=True)
class SourceBatch:
    """Sentences that are searched together; `source` is there where they are encoded already."""

    source_ids: Tensor  # (B, S)
    source: EncodedSource | None = None
    constraints: Sequence[Sequence[TokenConstraint]]  # of each sentence

    def select(self, rows: Sequence[int]) -> "SourceBatch":
        """Some sentences, which may come more than once."""
        index, source = torch.tensor(rows, device=self.source_ids.device), self.source
        if source is not None:
            source = EncodedSource(states=source.states[index], mask=source.mask[index])
        return SourceBatch(
            source_ids=self.source_ids[index],
            source=source,
            constraints=[self.constraints[row] for row in rows],
        )


def align_hypotheses(
    model: Transformer,
    aligner: Aligner,
    batch: SourceBatch,
    rows: Sequence[int],  # of the batch, one for each hypothesis
    hypotheses: Sequence[Hypothesis],
) -> Iterator[Hypothesis]:
    """Hypotheses with the origins of their tokens, and how probably constraints come from their sources.

    They also know how probably something comes from each source token.
    """
    chosen = batch.select(rows)
    source_ids, source = chosen.source_ids, chosen.source
    # Without an end of sentence: a hypothesis as long as the model can see leaves no place for it.
    targets = _pad(model, [one.token_ids or (model.vocabulary.eos_id,) for one in hypotheses])
    forced = force_target(model, source_ids, targets, aligner.layer, source)
    # An end of sentence is nothing that a word could come from.
    distributions = aligner.align(forced)  # (N, T, S)
    best = distributions.masked_fill(~forced.source_content[:, None], -1.0).max(dim=-1)
    sources, probabilities = best.indices.tolist(), best.values.clamp(max=1.0).tolist()
    found = _coverage(distributions, [len(one.token_ids) for one in hypotheses])
    # What is never linked, as a language code, needs no cover.
    coverage = found.masked_fill(~forced.source_content, 1.0).tolist()
    lengths = (source_ids != model.vocabulary.pad_id).sum(dim=1).sub(1).tolist()
    for place, hypothesis in enumerate(hypotheses):
        pairs = zip(sources[place], probabilities[place], strict=True)
        yield replace(
            hypothesis,
            origins=tuple(Origin(*pair) for pair in islice(pairs, len(hypothesis.token_ids))),
            constraint_results=with_probabilities(
                hypothesis.constraint_results, chosen.constraints[place], distributions[place]
            ),
            coverage=_with_terms(
                coverage[place][: lengths[place]], hypothesis.constraint_results, chosen.constraints[place]
            ),
        )


def score_hypotheses(
    model: Transformer, batch: SourceBatch, rows: Sequence[int], hypotheses: Sequence[Hypothesis]
) -> Iterator[Hypothesis]:
    """Hypotheses with the log-probabilities that the model gives their tokens."""
    longest = max(len(one.token_ids) for one in hypotheses) + 1
    size = max(1, _SCORES_AT_ONCE // (longest * model.vocabulary.size))
    for start in range(0, len(rows), size):
        chosen = batch.select(rows[start : start + size])
        source = chosen.source or model.encode(chosen.source_ids)
        group = hypotheses[start : start + size]
        scored = _score_encoded(source, [one.token_ids for one in group], model)
        for hypothesis, found in zip(group, scored, strict=True):
            yield replace(hypothesis, token_log_probabilities=tuple(found), log_probability=sum(found))


def _coverage(distributions: Tensor, lengths: Sequence[int]) -> Tensor:
    """How probably (N, S) any of the first tokens (N,) of distributions (N, T, S) comes from there."""
    position = torch.arange(distributions.shape[1], device=distributions.device)
    real = position < torch.tensor(lengths, device=distributions.device)[:, None]
    nothing = torch.log1p(-distributions.double().clamp(0.0, 1.0 - 1e-9))
    # One after the other, so that the padding of a batch changes no bit.
    summed = torch.where(real[:, :, None], nothing, 0.0).cumsum(dim=1)[:, -1]
    return 1.0 - summed.exp()


def _with_terms(
    coverage: list[float], results: Sequence[ConstraintResult], constraints: Sequence[TokenConstraint]
) -> tuple[float, ...]:
    """A term that is met comes from what it was asked for, whatever an aligner thinks of it."""
    for result, constraint in zip(results, constraints, strict=False):
        if result.met and result.tokens is not None:
            for place in constraint.source or ():
                coverage[place] = 1.0
    return tuple(coverage)


def score_targets(
    model: Transformer, sources: Sequence[Ids], targets: Sequence[Ids], batch_tokens: int
) -> list[list[float]]:
    """The log-probability of every token of the targets, and of the end of each."""
    found: list[list[float]] = [[] for _ in sources]
    lengths = [max(map(len, pair)) + 1 for pair in zip(sources, targets, strict=True)]
    for batch in plan_batches(lengths, batch_tokens):
        scored = _score([sources[index] for index in batch], [targets[index] for index in batch], model)
        for index, log_probabilities in zip(batch, scored, strict=True):
            found[index] = log_probabilities
    return found


@torch.inference_mode()
def _score(sources: Sequence[Ids], targets: Sequence[Ids], model: Transformer) -> list[list[float]]:
    with running(model.device):
        return _score_encoded(model.encode(pad_sources(model, sources)), targets, model)


def _score_encoded(source: EncodedSource, targets: Sequence[Ids], model: Transformer) -> list[list[float]]:
    vocabulary, prefix = model.vocabulary, model.vocabulary.target_prefix
    outputs = [[*target, vocabulary.eos_id] for target in targets]
    inputs = _pad(model, [[*prefix, *target] for target in targets])
    logits = model.force(source, inputs).logits[:, len(prefix) - 1 :]  # (B, T, V)
    # As in a search, what is never generated takes no share of the probability.
    logits[:, :, list(vocabulary.never_generated)] = float("-inf")
    log_probabilities = torch.log_softmax(logits.float(), dim=2)
    found = log_probabilities.gather(2, _pad(model, outputs)[:, :, None])[:, :, 0].tolist()
    return [row[: len(output)] for row, output in zip(found, outputs, strict=True)]


def pad_sources(model: Transformer, sources: Sequence[Ids]) -> Tensor:
    """Sources with an end of sentence each: (B, S)."""
    return _pad(model, [[*source, model.vocabulary.eos_id] for source in sources])


def _pad(model: Transformer, sentences: Sequence[Ids]) -> Tensor:
    return pad_sentences(sentences, model.vocabulary.pad_id).to(model.device)
