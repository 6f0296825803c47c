"""How alignment heads are trained."""

import math
from dataclasses import dataclass

from lexalign.alignment.learned import HEADS
from lexalign.alignment.symmetrization import METHODS, Method
from lexalign.contracts.errors import LexalignError


@dataclass(frozen=True, kw_only=True)
class HeadOptions:
    """Layers count from 0; where none is named, heads take the penultimate one, and labels the best pair.

    With more than one round, the heads of a round are the teachers of the next (self-training).
    """

    kinds: tuple[str, ...] = ("post-aln",)
    updates: int = 10_000
    batch_tokens: int = 4_500
    learning_rate: float = 1e-3
    warmup: int = 400
    heads: int = 0  # attention heads; 0: as many as the model's decoder has
    layer: int | None = None
    label_layers: tuple[int, int] | None = None  # of the forward and of the backward model
    symmetrization: Method = "grow-diag"
    rounds: int = 1
    seed: int = 1
    log_every: int = 100
    save_every: int = 1_000

    def __post_init__(self) -> None:
        for name in ("updates", "batch_tokens", "rounds", "log_every", "save_every"):
            if getattr(self, name) < 1:
                raise LexalignError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if not 0 < self.learning_rate < math.inf:
            raise LexalignError(f"learning_rate is {self.learning_rate}; it must be positive")
        if self.symmetrization not in METHODS:
            raise LexalignError(
                f"unknown symmetrization {self.symmetrization!r}; there are {', '.join(METHODS)}"
            )
        if not self.kinds:
            raise LexalignError(f"no kind of head is asked for; there are {', '.join(HEADS)}")
        for kind in self.kinds:
            if kind not in HEADS:
                raise LexalignError(f"there is no alignment head {kind!r}; the kinds are {', '.join(HEADS)}")
