"""The training loop: deterministic by seed, resumable at every checkpoint, alike on one rank and on many.

Each batch has a number in the run, and its dropout is seeded by that number; gradients are divided by the
tokens of the whole update. So a run does not depend on how its batches are spread over ranks, and a run that
was killed and resumed is the run that was not.
"""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import Position
from lexalign.data.collate import TensorBatch
from lexalign.data.prefetch import prefetch
from lexalign.data.store import TokenStore
from lexalign.models.transformer import Transformer
from lexalign.training.batches import BatchSource, PackedBatches, PaddedBatches
from lexalign.training.checkpoint import Checkpoints, Progress
from lexalign.training.display import Display
from lexalign.training.interrupts import Interrupts
from lexalign.training.log import TrainingLog
from lexalign.training.options import TrainingOptions, scheduled_rate
from lexalign.training.portable import Identity, PartOptions, pack
from lexalign.training.ranks import Ranks
from lexalign.training.step import make_step
from lexalign.training.validation import Validator


@dataclass(frozen=True)
class Update:
    """The batches that this rank computes of one update."""

    position: Position  # after it
    batches: list[TensorBatch]
    numbers: list[int]  # of the batches, counted over the whole run
    target_tokens: int  # of all ranks


class PartEnd(Exception):  # noqa: N818
    """The part of the run that was asked for is done, and the run is not."""


class Trainer:
    def __init__(
        self,
        model: Transformer,
        store: TokenStore,
        validator: Validator,
        options: TrainingOptions,
        folder: Path,
        *,
        ranks: Ranks,
        identity: Identity,
        signature: str,
        parts: PartOptions | None = None,
        began: float | None = None,
    ) -> None:
        """`began` is when the command was given, on the clock of `time.monotonic`."""
        self.model, self.options, self.ranks = model, options, ranks
        self.device = model.device
        self._validator, self._signature = validator, signature
        self._batches: BatchSource = (PackedBatches if options.packed else PaddedBatches)(store, options)
        self._step = make_step(self._batches.loss(model.train()), options, ranks)
        self._folder, self._identity, self._parts = folder, identity, parts or PartOptions()
        self._began = time.monotonic() if began is None else began
        self._part_start = 0
        self._log = TrainingLog(folder / "log.jsonl")
        self._checkpoints = Checkpoints(folder / "checkpoints", keep=options.average)
        self._progress = Progress(batches=ranks.world * options.accumulate)
        self._clock = 0.0
        self._rate = 0.0
        self._stop = threading.Event()

    def run(self) -> Checkpoints:
        """Train to the end, from the last checkpoint if there is one."""
        self._resume()
        progress = self._progress
        if self._finished:
            if self.ranks.is_first:  # it may have been stopped here, and told since to end here
                self._checkpoints.snapshot(self.model, progress.update)
            return self._checkpoints
        with (
            Interrupts(self._stop),
            Display(self.options.updates, progress.update, self.ranks.is_first) as self._display,
            closing(prefetch(self._updates(progress.position))) as updates,
        ):
            self._clock = time.perf_counter() - progress.seconds_since_log
            for update in updates:
                self._learn(update)
                self._after_update()
                if self._finished:
                    break
        return self._checkpoints

    @property
    def _finished(self) -> bool:
        return self._progress.stopped_early or self._progress.update >= self.options.updates

    @property
    def _out_of_patience(self) -> bool:
        return 0 < self.options.patience <= self._progress.validations_without_gain

    @property
    def _seconds(self) -> float:
        """Of training so far; what the GPU has yet to do is not in it, until the next log waits for it."""
        return self._progress.seconds + time.perf_counter() - self._clock

    def _out_of_time(self, seconds: float) -> bool:
        return 0 < self.options.minutes * 60 <= seconds

    def _learn(self, update: Update) -> None:
        progress, options = self._progress, self.options
        progress.update += 1
        seeds = [options.seed * 1_000_003 + number for number in update.numbers]
        self._rate = scheduled_rate(progress.update, self._seconds, options) * self._trust
        self._step.run(update.batches, seeds, update.target_tokens, self._rate)
        progress.position = update.position
        progress.target_tokens += update.target_tokens
        progress.tokens_since_log += update.target_tokens

    @property
    def _trust(self) -> float:
        """A share of the learning rate, until an optimiser without a past has seen some updates."""
        start = self._progress.optimizer_start
        return (
            min(1.0, (self._progress.update - start) / max(self.options.optimizer_warmup, 1))
            if start
            else 1.0
        )

    @property
    def _part_over(self) -> bool:
        parts = self._parts
        updates, seconds = self._progress.update - self._part_start, time.monotonic() - self._began
        return 0 < parts.stop_after_updates <= updates or 0 < parts.stop_after_seconds <= seconds

    def _after_update(self) -> None:
        """Log, validate, save and stop, where it is time."""
        update, options, progress = self._progress.update, self.options, self._progress
        if options.minutes and self._may_ask(update):
            progress.stopped_early = self.ranks.agree(self._out_of_time(self._seconds), self.device)
        last = self._finished
        self._display.advance(update)
        if update % options.log_every == 0 or last:
            self._write_log()
        if update % options.validate_every == 0 or last:
            self._validate()
            # Ranks on unlike devices could differ in the last bit of a loss; they must not part over it.
            progress.stopped_early |= self.ranks.agree(self._out_of_patience, self.device)
        wanted = self._stop.is_set() or self._part_over
        interrupted = self.ranks.agree(wanted, self.device) if self._may_ask(update) else False
        scheduled = update % options.save_every == 0 or self._finished
        if scheduled or interrupted:
            self._save(snapshot=scheduled)
        if interrupted and not self._finished:
            raise KeyboardInterrupt if self._stop.is_set() else PartEnd(f"stopped after update {update}")

    def _may_ask(self, update: int) -> bool:
        """Ranks ask one another now and then; a lone process looks every time."""
        return self.ranks.world == 1 or update % self.options.log_every == 0

    def _updates(self, start: Position) -> Iterator[Update]:
        """What this rank computes, update by update."""
        world = self.ranks.world
        size = world * self.options.accumulate
        number = self._progress.update * size
        for position, group in self._batches.plan.iterate_groups(start, size):
            own = group[self.ranks.rank :: world]
            yield Update(
                position=position,
                batches=[self._to_device(self._batches.collate(batch, self.model.config)) for batch in own],
                numbers=list(range(number + self.ranks.rank, number + size, world)),
                target_tokens=sum(batch.target_tokens for batch in group),
            )
            number += size

    def _to_device(self, batch: TensorBatch) -> TensorBatch:
        if self.device.type == "cpu":
            return batch
        return batch.pin_memory().to(self.device, non_blocking=True)

    def _write_log(self) -> None:
        loss, nll = self.ranks.sum(self._step.losses.clone()).tolist()
        tokens, self._progress.tokens_since_log = self._progress.tokens_since_log, 0
        now = time.perf_counter()
        seconds, self._clock = now - self._clock, now
        self._progress.seconds += seconds
        self._step.losses.zero_()
        self._refuse_infinite(loss)
        entry = {
            "kind": "train",
            "update": self._progress.update,
            "loss": loss / tokens,
            "nll": nll / tokens,
            "learning_rate": self._rate,
            "target_tokens": self._progress.target_tokens,
            "tokens_per_second": tokens / seconds,
            "seconds": self._progress.seconds,
        }
        if self.ranks.is_first:
            self._log.append(entry)
        self._display.trained(entry)

    def _validate(self) -> None:
        """Every rank validates its share, and all come to the same number."""
        start = time.perf_counter()
        autocast = torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")
        with autocast, torch.compiler.set_stance("force_eager"):
            result = self._validator.run(self.model)
        progress = self._progress
        gained = result.loss < progress.best_loss
        progress.best_loss = min(progress.best_loss, result.loss)
        progress.validations_without_gain = 0 if gained else progress.validations_without_gain + 1
        entry = {"kind": "valid", "update": progress.update, "loss": result.loss, "bleu": result.bleu}
        if self.ranks.is_first:
            self._log.append(entry)
        self._display.validated(entry)
        self._clock += time.perf_counter() - start

    def _save(self, *, snapshot: bool) -> None:
        start = time.perf_counter()
        self._progress.seconds_since_log = start - self._clock
        losses = self.ranks.sum(self._step.losses.clone())
        self._refuse_infinite(float(losses[0]))  # nothing could come of such a checkpoint
        # What all ranks have gathered is in the checkpoint of the first, and stays with it.
        self._step.losses.copy_(losses if self.ranks.is_first else torch.zeros_like(losses))
        if self.ranks.is_first:
            if snapshot:
                self._checkpoints.snapshot(self.model, self._progress.update)
            content = self._checkpoints.save(
                self.model, self._step.optimizer, self._progress, losses, self._signature
            )
            if self._parts.portable is not None:
                pack(content, self._parts, self._folder, self._identity, asdict(self.options))
        self.ranks.wait()
        self._clock += time.perf_counter() - start

    def _resume(self) -> None:
        found = self._checkpoints.load(self.model, self._signature)
        if found is not None:
            batches, self._progress = self._progress.batches, found.progress
            self._progress.batches = batches
            # By the present options.
            self._progress.stopped_early = self._out_of_patience or self._out_of_time(self._progress.seconds)
            if found.optimizer is None:
                self._progress.optimizer_start = self._progress.update
            else:
                self._step.load_optimizer(found.optimizer)
            if self.ranks.is_first:
                self._step.losses.copy_(found.losses)
        self._part_start = self._progress.update
        if self.ranks.is_first:
            self._log.cut(self._progress.update)
            self._forget_snapshots()

    def _forget_snapshots(self) -> None:
        """Drop what a run without a stop would not average: later models, and that of an earlier end."""
        here, every = self._progress.update, self.options.save_every
        self._checkpoints.forget(lambda update: update > here)
        if not self._finished and here % every:
            self._checkpoints.forget(lambda update: update == here)

    def _refuse_infinite(self, loss: float) -> None:
        if not math.isfinite(loss):
            raise LexalignError(
                f"the loss is {loss} at update {self._progress.update}; lower the learning rate"
            )
