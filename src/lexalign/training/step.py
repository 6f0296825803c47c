"""One update of a model: the gradients of its batches, clipped and applied.

At the paper's batch size an update is a thousand operations of a few microseconds each, and the host takes
longer to launch them than a large GPU to do them. `RecordedStep` records an update as a CUDA graph for every
shape of batch that comes again, and replays it.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial

import torch
from torch import nn

from lexalign.cuda_graphs import Operations, recorder_for
from lexalign.data.collate import TensorBatch
from lexalign.training.loss import TrainingLoss
from lexalign.training.options import TrainingOptions
from lexalign.training.ranks import Ranks


class Step:
    """Operation by operation, on any device and any number of ranks."""

    def __init__(self, criterion: TrainingLoss, options: TrainingOptions, ranks: Ranks) -> None:
        self._model, self._options, self._world = criterion.model, options, ranks.world
        self._device = criterion.model.device
        self._criterion = _replicated(criterion, ranks)
        self._rate = torch.zeros((), device=self._device)
        self._scale = torch.zeros((), device=self._device)
        self.losses = torch.zeros(2, dtype=torch.float64, device=self._device)  # smoothed, plain; sums
        self.optimizer = torch.optim.AdamW(
            criterion.parameters(),
            lr=self._rate,
            betas=options.adam_betas,
            weight_decay=options.weight_decay,
            fused=True,
            capturable=self._device.type == "cuda",
        )

    def load_optimizer(self, saved: dict[str, object]) -> None:
        """Take over the state; how it is computed depends on the device, which may be another one now."""
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": saved["state"], "param_groups": groups})
        for group in self.optimizer.param_groups:
            group["lr"] = self._rate

    def run(
        self, batches: Sequence[TensorBatch], seeds: Sequence[int], target_tokens: int, learning_rate: float
    ) -> None:
        """Learn from this rank's batches of an update that has so many target tokens on all ranks."""
        self._rate.fill_(learning_rate)
        # DDP averages over ranks, and an update is to be the mean over its tokens.
        self._scale.fill_(self._world / target_tokens)
        self.optimizer.zero_grad()
        for index, batch in enumerate(batches):
            torch.manual_seed(seeds[index])
            with self._without_sync(last=index + 1 == len(batches)):
                self._add_gradients(batch)
        self._apply_gradients()

    def _add_gradients(self, batch: TensorBatch) -> None:
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._device.type == "cuda"):
            loss, nll = self._criterion(**batch.tensors)
        (loss * self._scale).backward()
        self.losses += torch.stack([loss.detach(), nll])

    def _apply_gradients(self) -> None:
        if self._options.clip_norm:
            nn.utils.clip_grad_norm_(self._model.parameters(), self._options.clip_norm)
        self.optimizer.step()
        self._model.zero_padding_embedding()

    def _without_sync(self, *, last: bool) -> AbstractContextManager[None]:
        """Ranks exchange gradients once for each update."""
        if last or not isinstance(self._criterion, nn.parallel.DistributedDataParallel):
            return nullcontext()
        return self._criterion.no_sync()


class RecordedStep(Step):
    """On one GPU, with one batch an update."""

    def __init__(self, criterion: TrainingLoss, options: TrainingOptions, ranks: Ranks) -> None:
        super().__init__(criterion, options, ranks)
        self._recorder = recorder_for(self._device)
        self._recorded: dict[object, tuple[TensorBatch, Operations]] = {}
        self._met: set[object] = set()

    def run(
        self, batches: Sequence[TensorBatch], seeds: Sequence[int], target_tokens: int, learning_rate: float
    ) -> None:
        (batch,) = batches
        shape = tuple(tensor.shape for tensor in batch.tensors.values())
        if shape not in self._met:
            self._met.add(shape)
            plainly = partial(super().run, batches, seeds, target_tokens, learning_rate)
            self._recorder.rehearse(plainly)
            return
        if shape not in self._recorded:
            own = batch.clone()
            self._recorded[shape] = own, self._recorder.record(partial(self._learn, own))
        own, replay = self._recorded[shape]
        own.copy_(batch)
        self._rate.fill_(learning_rate)
        self._scale.fill_(1 / target_tokens)
        torch.manual_seed(seeds[0])
        replay()

    def _learn(self, batch: TensorBatch) -> None:
        self.optimizer.zero_grad()  # so that gradients are written, not added to zeros
        self._add_gradients(batch)
        self._apply_gradients()


def make_step(model_and_loss: TrainingLoss, options: TrainingOptions, ranks: Ranks) -> Step:
    """The fastest step for where it runs."""
    alone = ranks.world == 1 and options.accumulate == 1
    kind = RecordedStep if alone and model_and_loss.model.device.type == "cuda" else Step
    torch.backends.cuda.enable_cudnn_sdp(options.cudnn_attention)
    if options.compile:
        model_and_loss.compile_once()
    return kind(model_and_loss, options, ranks)


def _replicated(criterion: TrainingLoss, ranks: Ranks) -> nn.Module:
    if ranks.world == 1:
        return criterion
    device = criterion.model.device
    return nn.parallel.DistributedDataParallel(
        criterion, device_ids=[device] if device.type == "cuda" else None
    )
