"""How a model is trained. The defaults are the paper's recipe."""

import math
from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Counts are in updates; one update sees `accumulate` batches on each rank."""

    updates: int = 50_000
    minutes: float = 0.0  # of training, after which a run ends if its updates take longer; 0: none
    batch_tokens: int = 4_500  # rows × the longer side's length, padding included, of one batch
    accumulate: int = 1
    learning_rate: float = 5e-4
    warmup: int = 4_000
    cooldown: float = 0.0  # the last share of a run, in which the learning rate falls to zero in a line
    adam_betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float = 1e-4
    label_smoothing: float = 0.1
    clip_norm: float = 1.0  # 0 leaves gradients as they are
    seed: int = 1
    log_every: int = 100
    validate_every: int = 1_000
    validate_bleu: bool = True
    save_every: int = 1_000
    average: int = 5  # how many of the last saved models make up the final one
    # Updates in which the learning rate rises to the schedule's, where a run goes on without its optimiser.
    optimizer_warmup: int = 200
    patience: int = 0  # validations without a lower loss before training ends; 0: never
    # Sentences stand one after the other without padding, all lengths together, in batches of one shape; a
    # GPU has attention kernels for them, a CPU does not and is slow.
    packed: bool = False
    compile: bool = False  # takes a minute, and pays in runs of many more
    # cuDNN's attention makes an update a seventh faster, once it has planned for every shape of batch, which
    # takes two minutes.
    cudnn_attention: bool = False

    def __post_init__(self) -> None:
        for name in (
            "updates",
            "batch_tokens",
            "accumulate",
            "log_every",
            "validate_every",
            "save_every",
            "average",
        ):
            if getattr(self, name) < 1:
                raise LexalignError(f"{name} is {getattr(self, name)}; it must be at least 1")
        for name in (
            "minutes",
            "warmup",
            "optimizer_warmup",
            "weight_decay",
            "clip_norm",
            "patience",
            "seed",
        ):
            if getattr(self, name) < 0:
                raise LexalignError(f"{name} is {getattr(self, name)}; it must not be negative")
        if not 0 < self.learning_rate < math.inf:
            raise LexalignError(f"learning_rate is {self.learning_rate}; it must be positive")
        if not 0 <= self.cooldown <= 1:
            raise LexalignError(f"cooldown is {self.cooldown}; it must be from 0 to 1")
        if not 0 <= self.label_smoothing < 1:
            raise LexalignError(f"label_smoothing is {self.label_smoothing}; it must be from 0 to below 1")
        if len(self.adam_betas) != 2 or not all(0 <= beta < 1 for beta in self.adam_betas):
            raise LexalignError(f"adam_betas is {self.adam_betas}; it must be two numbers from 0 to below 1")


def inverse_square_root(update: int, options: TrainingOptions) -> float:
    """The learning rate of an update (from 1): a linear rise, then a fall with the square root."""
    warmup = max(options.warmup, 1)
    return options.learning_rate * min(update / warmup, math.sqrt(warmup / update))


def share_done(update: int, seconds: float, options: TrainingOptions) -> float:
    """How much of a run lies before an update (from 1), by its updates or by its time, whichever is more."""
    by_updates = (update - 1) / options.updates
    return max(by_updates, seconds / (60 * options.minutes)) if options.minutes else by_updates


def scheduled_rate(update: int, seconds: float, options: TrainingOptions) -> float:
    """The learning rate of an update (from 1), so many seconds after the start."""
    rate = inverse_square_root(update, options)
    left = max(0.0, 1 - share_done(update, seconds, options))
    return rate * min(1.0, left / options.cooldown) if options.cooldown else rate
