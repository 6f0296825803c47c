"""The training loop of alignment heads.

Students of both directions learn from the same labels and the same forward passes of the frozen models, so
that several heads cost little more than one. Deterministic by seed, resumable at every checkpoint, alike on
one rank and on many: an update is the mean over the labelled tokens of its batches, whoever computes them.
"""

import pickle
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lexalign.contracts.errors import LexalignError
from lexalign.data.batching import START, BatchOptions, BatchPlan, PlannedBatch, Position
from lexalign.data.collate import TokenBatch
from lexalign.data.prefetch import prefetch
from lexalign.data.store import TokenStore
from lexalign.storage import new_file
from lexalign.training.display import Display
from lexalign.training.heads.options import HeadOptions
from lexalign.training.heads.students import Student
from lexalign.training.heads.teachers import Teacher
from lexalign.training.heads.views import Onlookers
from lexalign.training.interrupts import Interrupts
from lexalign.training.log import TrainingLog
from lexalign.training.ranks import Ranks

Share = list[tuple[PlannedBatch, TokenBatch]]  # of an update, for one rank


@dataclass(frozen=True, kw_only=True)
class Classroom:
    """Students of the forward and of the backward model, by any names.

    Where one model is both, so are its students, and they learn from both directions.
    """

    forward: dict[str, Student]
    backward: dict[str, Student]

    @property
    def names(self) -> list[str]:
        return [f"forward {name}" for name in self.forward] + [f"backward {name}" for name in self.backward]

    @property
    def students(self) -> list[Student]:
        return [*self.forward.values(), *self.backward.values()]


@dataclass(frozen=True, kw_only=True)
class HeadRun:
    """Where a round is kept; `signature` tells runs apart that would learn something else."""

    folder: Path
    name: str
    signature: str

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoints" / f"{self.name}.pt"

    def read(self) -> dict[str, Any] | None:
        """The checkpoint, if there is one; refused if it is of another run."""
        path = self.checkpoint
        if not path.exists():
            return None
        try:
            content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        except (RuntimeError, EOFError, OSError, pickle.UnpicklingError) as error:
            raise LexalignError(f"{path}: cannot be read ({error}); delete it to start again") from None
        if content.get("signature") != self.signature:
            raise LexalignError(
                f"{path} belongs to heads with other options, models or data; use another folder"
            )
        return content


class HeadTrainer:
    def __init__(
        self,
        onlookers: Onlookers,
        classroom: Classroom,
        teacher: Teacher,
        store: TokenStore,
        options: HeadOptions,
        run: HeadRun,
        ranks: Ranks | None = None,
    ) -> None:
        self._ranks = ranks or Ranks()
        self._onlookers, self._classroom, self._teacher = onlookers, classroom, teacher
        self._store, self._options = store, options
        self._num_batches = self._ranks.world * options.accumulate
        batch_options = BatchOptions(max_tokens=options.batch_tokens, seed=options.seed)
        self._plan = BatchPlan(store.source_lengths, store.target_lengths, batch_options)
        self._students = nn.ModuleList(classroom.students)
        self._optimizer = torch.optim.Adam(self._students.parameters(), lr=0.0, betas=(0.9, 0.98), fused=True)
        self._run = run
        self._log = TrainingLog(run.folder / f"{run.name}.jsonl")
        self._update, self._position = 0, START
        self._losses = torch.zeros(len(classroom.names), device=onlookers.forward.device)
        self._logged = 0  # the update of the last entry of the log
        self._tokens = 0
        self._clock = 0.0
        self._stop = threading.Event()

    def train(self) -> None:
        """Train to the end, from the last checkpoint if there is one. Ctrl-C leaves a checkpoint."""
        self._look_where_needed()
        self._resume()
        if self._update >= self._options.updates:
            return
        with (
            Interrupts(self._stop),
            Display(self._options.updates, self._update, visible=self._ranks.is_first) as display,
            closing(prefetch(self._batches())) as batches,
        ):
            self._clock = time.perf_counter()
            for position, share, num_tokens in batches:
                self._learn(share)
                self._position = position
                self._tokens += num_tokens
                self._after_update(display)
                if self._update >= self._options.updates:
                    break

    def _look_where_needed(self) -> None:
        classroom, teacher = self._classroom, self._teacher
        self._onlookers.forward_layers = teacher.forward_layers | _layers(classroom.forward)
        self._onlookers.backward_layers = teacher.backward_layers | _layers(classroom.backward)

    def _batches(self) -> Iterator[tuple[Position, Share, int]]:
        """This rank's share of each update, and the target tokens of all of it."""
        for position, group in self._plan.iterate_groups(self._position, self._num_batches):
            share = list(self._onlookers.read(self._store, self._ranks.deal(group)))
            yield position, share, sum(batch.target_tokens for batch in group)

    def _learn(self, share: Share) -> None:
        self._update += 1
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate(self._update, self._options)
        sums = torch.stack([self._add_gradients(batch, tokens) for batch, tokens in share]).sum(dim=0)
        losses, rows = self._ranks.sum(sums)
        counts: dict[nn.Module, Tensor] = {}
        for student, count in zip(self._students, rows, strict=True):
            counts[student] = counts[student] + count if student in counts else count
        for student, count in counts.items():
            for parameter in student.parameters():
                assert parameter.grad is not None
                self._ranks.sum(parameter.grad).div_(count.clamp(min=1))
        self._optimizer.step()
        self._optimizer.zero_grad()
        self._losses += losses / rows.clamp(min=1)

    def _add_gradients(self, batch: PlannedBatch, tokens: TokenBatch) -> Tensor:
        """The loss and the number of labelled tokens (2, students), summed over the batch."""
        views = self._onlookers.look(tokens, batch.rows.tolist())
        with torch.no_grad():
            labels = self._teacher.label(views)  # (B, T, S)
        found = [student.loss(views.forward, labels) for student in self._classroom.forward.values()]
        mirrored = labels.transpose(1, 2)
        found += [student.loss(views.backward, mirrored) for student in self._classroom.backward.values()]
        losses = torch.stack([loss for loss, _ in found])
        # Students share no weights, so the sum teaches each as it would be taught alone; one that serves both
        # directions learns from both.
        losses.sum().backward()  # type: ignore[no-untyped-call]
        return torch.stack([losses.detach(), torch.stack([rows for _, rows in found]).to(losses.dtype)])

    def _after_update(self, display: Display) -> None:
        options = self._options
        last = self._update >= options.updates
        display.advance(self._update)
        if self._update % options.log_every == 0 or last:
            self._write_log(display)
        # Ranks ask one another now and then; a lone process looks every time.
        may_ask = self._ranks.world == 1 or self._update % options.log_every == 0
        stopped = may_ask and self._ranks.agree(self._stop.is_set(), self._losses.device) and not last
        if self._update % options.save_every == 0 or last or stopped:
            self._save()
        if stopped:
            raise KeyboardInterrupt

    def _write_log(self, display: Display) -> None:
        self._refuse_infinite()
        losses = (self._losses / (self._update - self._logged)).tolist()
        self._losses.zero_()
        self._logged = self._update
        now = time.perf_counter()
        entry = {
            "kind": "train",
            "update": self._update,
            "losses": dict(zip(self._classroom.names, losses, strict=True)),
            "nll": sum(losses) / len(losses),
            "learning_rate": learning_rate(self._update, self._options),
            "tokens_per_second": self._tokens / (now - self._clock),
        }
        self._clock, self._tokens = now, 0
        if self._ranks.is_first:
            self._log.append(entry)
        display.trained(entry)

    def _refuse_infinite(self) -> None:
        if not self._losses.isfinite().all():
            raise LexalignError(f"a loss is not a number at update {self._update}; lower the learning rate")

    def _save(self) -> None:
        self._refuse_infinite()  # nothing could come of such a checkpoint
        content = {
            "signature": self._run.signature,
            "update": self._update,
            "batches": self._num_batches,
            "position": asdict(self._position),
            "students": self._students.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "losses": self._losses.cpu(),
            "logged": self._logged,
        }
        if self._ranks.is_first:
            with new_file(self._run.checkpoint) as temporary:
                torch.save(content, temporary)
        self._ranks.wait()

    def _resume(self) -> None:
        content = self._run.read()
        if content is not None:
            self._update, self._position = content["update"], Position(**content["position"])
            self._students.load_state_dict(content["students"])
            self._optimizer.load_state_dict(content["optimizer"])
            self._losses.copy_(content["losses"])
            self._logged = content["logged"]
        if self._ranks.is_first:
            self._log.cut(self._update)


def learning_rate(update: int, options: HeadOptions) -> float:
    """A linear rise, then a linear fall to nothing: heads are small, and end best at rest."""
    rise = update / max(options.warmup, 1)
    fall = (options.updates - update + 1) / options.updates
    return options.learning_rate * min(rise, fall)


def _layers(students: dict[str, Student]) -> set[int]:
    return {student.layer for student in students.values()}
