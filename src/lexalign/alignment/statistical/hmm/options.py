"""How the HMM is learnt."""

from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError


@dataclass(frozen=True, kw_only=True)
class HmmOptions:
    """The defaults are for words; subwords that come as numbers need `split=False` and `stem=0`."""

    ibm1_iterations: int = 5
    hmm_iterations: int = 5
    agreement: bool = True  # both directions learn from what they find together
    null: float = 0.2  # how probable it is that a word comes from nothing
    longest_jump: int = 20  # longer ones are as probable as this one
    # Words are linked where the mean of both directions' posteriors is as high; None: by `best_threshold`.
    threshold: float | None = None
    split: bool = True  # marks from letters, and lower case
    stem: int = 5  # words with the same first letters are as one, as the forms of a word often are; 0: none
    batch_cells: int = 1_000_000  # pairs of words that are looked at together

    def __post_init__(self) -> None:
        if min(self.ibm1_iterations, self.hmm_iterations, self.stem) < 0:
            raise LexalignError("iterations and stem cannot be below 0")
        if not 0 < self.null < 1 or not 0 < (1 if self.threshold is None else self.threshold) <= 1:
            raise LexalignError("null and threshold are probabilities: between 0 and 1")
        if min(self.longest_jump, self.batch_cells) < 1:
            raise LexalignError("longest_jump and batch_cells must be at least 1")
