"""How alignment heads are trained."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from lexalign.alignment.learned import HEADS
from lexalign.alignment.symmetrization import METHODS, Method
from lexalign.contracts.errors import LexalignError

TeacherName = Literal["shift-att", "self", "fast-align", "hmm-agreement", "hmm", "ibm4", "post-aln"]
TEACHERS: tuple[TeacherName, ...] = get_args(TeacherName)
# How systran-align joins the directions; it offers no other way.
FAST_ALIGN_SYMMETRIZATION: Method = "grow-diag-final-and"
# Options that change how a run is watched or spread, or how many rounds it has.
_FREE_OPTIONS = ("rounds", "log_every", "save_every", "accumulate")


@dataclass(frozen=True, kw_only=True)
class HeadOptions:
    """Layers count from 0; where none is named, heads take the penultimate one (of two the last), and labels
    by attention the layers or the single heads of both models that agree best.

    The teacher names what labels the text of the first round. `self` are the attention of one model and the
    statistics of its own translations, with which no reverse model is needed. `post-aln` are the heads that
    are saved beside the models; new heads of the same shape on the same layer start from their weights. With
    more than one round, the heads of a round label the text of the next (self-training).
    """

    kinds: tuple[str, ...] = ("post-aln",)
    teacher: TeacherName = "shift-att"
    updates: int = 10_000
    batch_tokens: int = 4_500
    accumulate: int = 1  # batches of an update on each rank
    learning_rate: float = 1e-3
    warmup: int = 400
    heads: int = 0  # attention heads; 0: as many as the model's decoder has
    layer: int | None = None
    label_layers: tuple[int, int] | None = None  # of the forward and of the backward model
    label_heads: tuple[int, int] | None = None  # one of each of these layers; None: the mean over their heads
    pin_marks: bool = True  # labels by attention align final marks with each other and nothing else
    symmetrization: Method = "grow-diag-and"  # of links
    # Where heads label, the links of hmm-agreement have a say beside both directions; where attention is to
    # label and both directions hardly agree, they are the labels.
    second_opinion: bool = False
    rounds: int = 1
    seed: int = 1
    log_every: int = 100
    save_every: int = 1_000

    def __post_init__(self) -> None:
        for name in ("updates", "batch_tokens", "accumulate", "rounds", "log_every", "save_every"):
            if getattr(self, name) < 1:
                raise LexalignError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if min(self.warmup, self.heads) < 0:
            raise LexalignError("warmup and heads cannot be below 0")
        if not 0 < self.learning_rate < math.inf:
            raise LexalignError(f"learning_rate is {self.learning_rate}; it must be positive")
        if self.symmetrization not in METHODS:
            raise LexalignError(
                f"unknown symmetrization {self.symmetrization!r}; choose from {', '.join(METHODS)}"
            )
        if self.label_heads is not None and self.label_layers is None:
            raise LexalignError("label_heads are heads of the label_layers; give both")
        if self.teacher not in TEACHERS:
            raise LexalignError(f"unknown teacher {self.teacher!r}; choose from {', '.join(TEACHERS)}")
        if self.teacher == "fast-align" and self.symmetrization != FAST_ALIGN_SYMMETRIZATION:
            raise LexalignError(
                f"fast_align joins its directions by {FAST_ALIGN_SYMMETRIZATION} and nothing else; "
                f"{self.symmetrization} needs another teacher"
            )
        if not self.kinds:
            raise LexalignError(f"give at least one kind of head: {', '.join(HEADS)}")
        for kind in self.kinds:
            if kind not in HEADS:
                raise LexalignError(f"there is no alignment head {kind!r}; the kinds are {', '.join(HEADS)}")

    def learnt(self) -> dict[str, Any]:
        """The options on which it depends what is learnt."""
        return {name: value for name, value in asdict(self).items() if name not in _FREE_OPTIONS}
