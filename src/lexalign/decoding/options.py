"""What a caller may ask of a search."""

from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Lengths count tokens without end of sentence.

    A sentence of S source tokens may become max_length tokens, or S·max_ratio + max_extra if that is less.
    """

    beam: int = 5
    n_best: int = 1
    length_penalty: float = 1.0  # scores are log-probability / length**length_penalty
    min_length: int = 0
    max_length: int = 512
    max_ratio: float = 2.0
    max_extra: int = 16
    # A sentence is done when no running hypothesis is better, token for token, than its n best that have
    # ended. An exact search goes on until none can become better, which takes 1.4 times as many steps.
    exact: bool = False

    def __post_init__(self) -> None:
        for name in ("beam", "n_best", "max_length"):
            if getattr(self, name) < 1:
                raise LexalignError(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.n_best > self.beam:
            raise LexalignError(f"n_best {self.n_best} is larger than beam {self.beam}; raise the beam")
        if self.length_penalty < 0:
            raise LexalignError(f"length_penalty is {self.length_penalty}; it must not be negative")
        if self.min_length > self.max_length:
            raise LexalignError(f"min_length {self.min_length} is larger than max_length {self.max_length}")

    def limit(self, source_length: int) -> int:
        """How many tokens a sentence may have, end of sentence included."""
        by_source = int(source_length * self.max_ratio) + self.max_extra
        return max(min(self.max_length, by_source), self.min_length) + 1
