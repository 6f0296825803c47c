"""Options of the HMM's training."""

from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError


@dataclass(frozen=True, kw_only=True)
class HmmOptions:
    """The defaults are for words; subwords given as numbers need `split=False` and `stem=0`."""

    ibm1_iterations: int = 5
    hmm_iterations: int = 5
    agreement: bool = True  # both directions are trained on their joint posteriors
    null: float = 0.2  # probability of the null word
    longest_jump: int = 20  # longer jumps share its probability
    # Minimum mean posterior of both directions for a link; None: chosen by `best_threshold`.
    threshold: float | None = None
    split: bool = True  # split off punctuation, and lower-case
    stem: int = 5  # words with these first letters in common are one type, as most inflected forms; 0: off
    batch_cells: int = 500_000  # word pairs in a batch

    def __post_init__(self) -> None:
        if min(self.ibm1_iterations, self.hmm_iterations, self.stem) < 0:
            raise LexalignError("iterations and stem cannot be below 0")
        if not 0 < self.null < 1 or not 0 < (1 if self.threshold is None else self.threshold) <= 1:
            raise LexalignError("null and threshold are probabilities: between 0 and 1")
        if min(self.longest_jump, self.batch_cells) < 1:
            raise LexalignError("longest_jump and batch_cells must be at least 1")
