"""The arithmetic that a translation needs, and how fast this machine could do it at best.

The limit is the time of a model's matrix products alone, one after the other over its own weights and at the
rows it decodes with, by the same kernels on one core; several cores reach at most so many times that.
"""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from harness.engines.workload import Batch, Case
from lexalign.models.config import ModelConfig
from lexalign.models.projection import Projection
from lexalign.models.transformer import Transformer

_REPEATS = 7


@dataclass(frozen=True, kw_only=True)
class Work:
    """Floating-point operations of a search, a multiplication and an addition counted as two."""

    encoder: float
    decoder: float


def count_work(config: ModelConfig, batches: Sequence[Batch], beam: int) -> Work:
    """The work for all sentences at their own lengths, without padding; the first step has one hypothesis."""
    encoder = decoder = 0.0
    for batch in batches:
        for ids in batch.source_ids:
            encoder += encoder_work(config, len(ids))
            decoder += decoder_work(config, len(ids), batch.num_steps, beam)
    return Work(encoder=encoder, decoder=decoder)


def encoder_work(config: ModelConfig, source_length: int) -> float:
    """The work of the encoder and, for every decoder layer, of the source's keys and values."""
    square, feedforward = config.width**2, config.width * config.feedforward_width
    attention = 2 * source_length * config.width
    token = config.encoder_layers * (4 * square + 2 * feedforward + attention)
    return 2.0 * source_length * (token + config.decoder_layers * 2 * square)


def decoder_work(config: ModelConfig, source_length: int, num_steps: int, beam: int) -> float:
    square, feedforward = config.width**2, config.width * config.feedforward_width
    row = config.decoder_layers * (6 * square + 2 * feedforward + 2 * source_length * config.width)
    row += config.width * config.vocabulary_size
    rows = [1] + [beam] * (num_steps - 1)
    seen = sum(count * step for step, count in enumerate(rows, start=1))
    return 2.0 * (sum(rows) * row + config.decoder_layers * 2 * config.width * seen)


@dataclass(frozen=True, kw_only=True)
class Rate:
    """Operations per second of one core."""

    encoder: float
    decoder: float

    def seconds(self, work: Work) -> float:
        return work.encoder / self.encoder + work.decoder / self.decoder


def measure_rate(model: Transformer, case: Case, batches: Sequence[Batch]) -> Rate:
    """The rate at the rows of a median batch; the model is packed, and torch has one thread."""
    lengths = [len(ids) for batch in batches for ids in batch.source_ids]
    return Rate(
        encoder=_products_rate(_projections(model.encoder), case.batch * round(statistics.median(lengths))),
        decoder=_products_rate([*_projections(model.decoder), model.output], case.batch * case.beam),
    )


def _projections(part: torch.nn.Module) -> list[Projection]:
    """The products of a part, without the source's keys and values, which no step computes."""
    named = part.named_modules()
    return [p for name, p in named if isinstance(p, Projection) and not name.endswith(".memory")]


@torch.inference_mode()
def _products_rate(projections: Sequence[Projection], rows: int) -> float:
    inputs = {p.in_features: torch.randn(rows, p.in_features) for p in projections}
    work = sum(2.0 * rows * p.in_features * p.out_features for p in projections)
    best = float("inf")
    for _ in range(_REPEATS):
        started = time.thread_time()
        for projection in projections:
            projection(inputs[projection.in_features])
        best = min(best, time.thread_time() - started)
    return work / best
