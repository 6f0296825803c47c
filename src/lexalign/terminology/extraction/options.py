"""Options of an extraction; what its results depend on, and nothing else."""

from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError
from lexalign.terminology.alignment import AlignMethod


@dataclass(frozen=True, kw_only=True)
class ExtractOptions:
    """A shard learns its own alignment, so that memory and time do not depend on the size of the whole."""

    max_terms: int = 20_000
    min_count: int = 2  # occurrences of a term in the memory
    aligner: AlignMethod = "hmm-agreement"
    shard_size: int = 50_000  # units
    num_examples: int = 3  # of each translation

    def __post_init__(self) -> None:
        if min(self.max_terms, self.min_count, self.shard_size) < 1 or self.num_examples < 0:
            raise LexalignError("max_terms, min_count and shard_size must be at least 1")
