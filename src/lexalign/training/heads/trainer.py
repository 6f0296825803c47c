"""The third stage of head training: the training loop of a round.

Heads of both directions learn from the same labels and the same forward passes of the frozen models, so that
several heads cost little more than one. Deterministic by seed, resumable at every checkpoint, alike on one
rank and on many: an update is the mean over the labelled tokens of its batches, whoever computes them.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import BatchOptions, BatchPlan, PlannedBatch, Position
from lexalign.data.collate import TokenBatch
from lexalign.data.prefetch import prefetch
from lexalign.data.store import TokenStore
from lexalign.training.checkpoint import Checkpoints, Progress
from lexalign.training.display import Display
from lexalign.training.heads.frozen_models import FrozenModels
from lexalign.training.heads.head_set import HeadSet, TrainableHead, create_head_set
from lexalign.training.heads.inputs import HeadInputs, HeadRun
from lexalign.training.heads.label_sources import LabelSource
from lexalign.training.heads.options import HeadOptions
from lexalign.training.interrupts import Interrupts
from lexalign.training.log import TrainingLog
from lexalign.training.ranks import Ranks


@dataclass(frozen=True)
class RoundFiles:
    """Where a round is kept."""

    folder: Path  # of the run
    number: int

    @property
    def log(self) -> Path:
        return self.folder / f"heads-{self.number}.jsonl"

    @property
    def checkpoints(self) -> Path:
        return self.folder / "checkpoints" / f"heads-{self.number}"


@dataclass(frozen=True)
class HeadUpdate:
    """The batches that this rank computes of one update."""

    position: Position  # after it
    batches: list[tuple[PlannedBatch, TokenBatch]]
    target_tokens: int  # of all ranks


def train_heads(
    run: HeadRun, inputs: HeadInputs, source: LabelSource, number: int, signature: str
) -> HeadSet:
    """New heads, trained by the labels of a source."""
    heads = create_head_set(inputs.models, run.options, inputs.saved)
    store, files = inputs.texts.train.store, RoundFiles(run.folder, number)
    HeadTrainer(
        inputs.models, heads, source, store, run.options, files, ranks=run.ranks, signature=signature
    ).run()
    return heads


class HeadTrainer:
    def __init__(
        self,
        models: FrozenModels,
        heads: HeadSet,
        source: LabelSource,
        store: TokenStore,
        options: HeadOptions,
        files: RoundFiles,
        *,
        ranks: Ranks,
        signature: str,
    ) -> None:
        self._models, self._heads, self._source = models, heads, source
        self._store, self._options, self._ranks = store, options, ranks
        batch_options = BatchOptions(max_tokens=options.batch_tokens, seed=options.seed)
        self._plan = BatchPlan(store.source_lengths, store.target_lengths, batch_options)
        self._layers = heads.layers | source.layers
        self._modules = nn.ModuleList(heads.all)
        self._optimizer = torch.optim.Adam(self._modules.parameters(), lr=0.0, betas=(0.9, 0.98), fused=True)
        self._log = TrainingLog(files.log)
        self._checkpoints = Checkpoints(files.checkpoints, keep=0)
        self._signature = signature
        self._progress = Progress(batches=ranks.world * options.accumulate)
        # (2, heads): the loss of each, summed over updates since the last log, and how many these are.
        self._losses = torch.zeros(2, len(heads.all), device=models.device)
        self._clock = 0.0
        self._stop = threading.Event()

    def run(self) -> None:
        """Train to the end, from the last checkpoint if there is one. Ctrl-C leaves a checkpoint."""
        self._resume()
        if self._finished:
            return
        progress = self._progress
        with (
            Interrupts(self._stop),
            Display(self._options.updates, progress.update, self._ranks.is_first) as self._display,
            closing(prefetch(self._updates(progress.position))) as updates,
        ):
            self._clock = time.perf_counter() - progress.seconds_since_log
            for update in updates:
                self._learn(update)
                self._after_update()
                if self._finished:
                    break

    @property
    def _finished(self) -> bool:
        return self._progress.update >= self._options.updates

    def _updates(self, start: Position) -> Iterator[HeadUpdate]:
        """What this rank computes, update by update."""
        for position, group in self._plan.iterate_groups(start, self._progress.batches):
            yield HeadUpdate(
                position=position,
                batches=list(self._models.read(self._store, self._ranks.deal(group))),
                target_tokens=sum(batch.target_tokens for batch in group),
            )

    def _learn(self, update: HeadUpdate) -> None:
        progress = self._progress
        progress.update += 1
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate(progress.update, self._options)
        sums = torch.stack([self._add_gradients(*batch) for batch in update.batches]).sum(dim=0)
        losses, rows = self._ranks.sum(sums)
        self._divide_gradients(rows)
        self._optimizer.step()
        self._optimizer.zero_grad()
        self._losses += torch.stack([losses / rows.clamp(min=1), torch.ones_like(losses)])
        progress.position = update.position
        progress.tokens_since_log += update.target_tokens

    def _add_gradients(self, batch: PlannedBatch, tokens: TokenBatch) -> Tensor:
        """The loss and the number of labelled tokens (2, heads), summed over the batch."""
        views = self._models.observe(batch, tokens, self._layers)
        with torch.no_grad():
            labels = self._source.label(views)  # (B, T, S)
        found = [head.loss(views.forward, labels) for head in self._heads.forward.values()]
        mirrored = labels.transpose(1, 2)
        found += [head.loss(views.backward, mirrored) for head in self._heads.backward.values()]
        losses = torch.stack([loss for loss, _ in found])
        # Heads share no weights, so each learns from the sum as it would alone; one that serves both
        # directions learns from both.
        losses.sum().backward()  # type: ignore[no-untyped-call]
        return torch.stack([losses.detach(), torch.stack([rows for _, rows in found]).to(losses.dtype)])

    def _divide_gradients(self, rows: Tensor) -> None:
        """Sum gradients over ranks, and divide them by the labelled tokens (heads,) of the update."""
        counts: dict[TrainableHead, Tensor] = {}
        for head, count in zip(self._heads.all, rows, strict=True):
            counts[head] = counts[head] + count if head in counts else count
        for head, count in counts.items():
            for parameter in head.parameters():
                assert parameter.grad is not None
                self._ranks.sum(parameter.grad).div_(count.clamp(min=1))

    def _after_update(self) -> None:
        """Log, save and stop, where it is time."""
        update, options, last = self._progress.update, self._options, self._finished
        self._display.advance(update)
        if update % options.log_every == 0 or last:
            self._write_log()
        # Ranks ask one another now and then; a lone process looks every time.
        may_ask = self._ranks.world == 1 or update % options.log_every == 0
        stopped = may_ask and self._ranks.agree(self._stop.is_set(), self._losses.device) and not last
        if update % options.save_every == 0 or last or stopped:
            self._save()
        if stopped:
            raise KeyboardInterrupt

    def _write_log(self) -> None:
        self._refuse_infinite()
        losses = (self._losses[0] / self._losses[1]).tolist()
        self._losses.zero_()
        tokens, self._progress.tokens_since_log = self._progress.tokens_since_log, 0
        now = time.perf_counter()
        seconds, self._clock = now - self._clock, now
        entry = {
            "kind": "train",
            "update": self._progress.update,
            "losses": dict(zip(self._heads.names, losses, strict=True)),
            "nll": sum(losses) / len(losses),
            "learning_rate": learning_rate(self._progress.update, self._options),
            "tokens_per_second": tokens / seconds,
        }
        if self._ranks.is_first:
            self._log.append(entry)
        self._display.trained(entry)

    def _refuse_infinite(self) -> None:
        if not self._losses.isfinite().all():
            raise LexalignError(
                f"a loss is not a number at update {self._progress.update}; lower the learning rate"
            )

    def _save(self) -> None:
        self._refuse_infinite()  # nothing could come of such a checkpoint
        self._progress.seconds_since_log = time.perf_counter() - self._clock
        if self._ranks.is_first:
            self._checkpoints.save(
                self._modules, self._optimizer, self._progress, self._losses, self._signature
            )
        self._ranks.wait()

    def _resume(self) -> None:
        found = self._checkpoints.load(self._modules, self._signature)
        if found is not None and found.optimizer is not None:
            self._progress = found.progress
            self._optimizer.load_state_dict(found.optimizer)
            self._losses.copy_(found.losses)
        if self._ranks.is_first:
            self._log.cut(self._progress.update)


def learning_rate(update: int, options: HeadOptions) -> float:
    """A linear rise, then a linear fall to nothing: heads are small, and end best at rest."""
    rise = update / max(options.warmup, 1)
    fall = (options.updates - update + 1) / options.updates
    return options.learning_rate * min(rise, fall)
