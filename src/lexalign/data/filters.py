"""Filters for sentence pairs that are useless for training, and counts of all that they drop."""

import hashlib
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from lexalign.contracts.errors import LexalignError

IntArray = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True, kw_only=True)
class FilterOptions:
    """Which pairs to keep; lengths are in tokens, without the end of sentence.

    `max_ratio` bounds (longer + ratio_floor) / (shorter + ratio_floor): among very short sentences a
    large ratio means nothing ("Ja." for "Yes, that is so."), and the floor lets them pass.
    `drop_duplicates` keeps the first of equal pairs and takes about 100 bytes of memory for each pair.
    """

    min_tokens: int = 1
    max_tokens: int = 250
    max_ratio: float = 3.0
    ratio_floor: int = 5
    drop_duplicates: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.min_tokens <= self.max_tokens:
            raise LexalignError(
                f"min_tokens is {self.min_tokens} and max_tokens {self.max_tokens}; "
                "choose 1 <= min_tokens <= max_tokens"
            )
        if self.max_ratio < 1 or self.ratio_floor < 0:
            raise LexalignError("max_ratio must be 1 or more, and ratio_floor 0 or more")


@dataclass(frozen=True, kw_only=True)
class FilterReport:
    """The number of pairs read, kept, and dropped for each reason; each pair is counted once."""

    num_read: int = 0
    num_kept: int = 0
    num_empty: int = 0
    num_duplicate: int = 0
    num_too_short: int = 0
    num_too_long: int = 0
    num_bad_ratio: int = 0

    def to_dict(self) -> dict[str, int]:
        return asdict(self)

    @classmethod
    def from_dict(cls, counts: dict[str, int]) -> Self:
        return cls(**{name.name: int(counts[name.name]) for name in fields(cls)})

    def lines(self) -> list[str]:
        """A line on the pairs kept, and one for each reason for which pairs were dropped."""
        reasons = {
            "empty on one side": self.num_empty,
            "the same as an earlier pair": self.num_duplicate,
            "too short": self.num_too_short,
            "too long": self.num_too_long,
            "too different in length": self.num_bad_ratio,
        }
        kept = f"{self.num_kept:,} of {self.num_read:,} pairs kept"
        return [kept, *(f"{count:,} {reason}" for reason, count in reasons.items() if count)]


@dataclass
class PairFilter:
    """Applies the options to text first, then to token lengths, and counts the results."""

    options: FilterOptions
    _counts: dict[str, int] = field(default_factory=lambda: FilterReport().to_dict())
    _seen: set[bytes] = field(default_factory=set)

    @property
    def report(self) -> FilterReport:
        return FilterReport.from_dict(self._counts)

    def keep_text(self, pairs: list[tuple[str, str]]) -> list[bool]:
        """Which of the pairs are worth encoding."""
        self._counts["num_read"] += len(pairs)
        return [not self._is_empty(pair) and not self._is_duplicate(pair) for pair in pairs]

    def keep_lengths(self, source_lengths: IntArray, target_lengths: IntArray) -> npt.NDArray[np.bool_]:
        """Which of the encoded pairs to keep, by their numbers of tokens."""
        options = self.options
        shorter = np.minimum(source_lengths, target_lengths)
        longer = np.maximum(source_lengths, target_lengths)
        keep = np.ones(len(shorter), dtype=np.bool_)
        keep = self._drop(keep, shorter < options.min_tokens, "num_too_short")
        keep = self._drop(keep, longer > options.max_tokens, "num_too_long")
        largest = options.max_ratio * (shorter + options.ratio_floor)
        keep = self._drop(keep, longer + options.ratio_floor > largest, "num_bad_ratio")
        self._counts["num_kept"] += int(keep.sum())
        return keep

    def _drop(
        self, keep: npt.NDArray[np.bool_], bad: npt.NDArray[np.bool_], count: str
    ) -> npt.NDArray[np.bool_]:
        self._counts[count] += int((keep & bad).sum())
        return keep & ~bad

    def _is_empty(self, pair: tuple[str, str]) -> bool:
        empty = not pair[0].strip() or not pair[1].strip()
        self._counts["num_empty"] += empty
        return empty

    def _is_duplicate(self, pair: tuple[str, str]) -> bool:
        if not self.options.drop_duplicates:
            return False
        # 16 bytes: among a billion pairs the chance of one false match is below 1e-20. The reader
        # rejects NUL, so it can separate the sides of a pair.
        digest = hashlib.blake2b("\0".join(pair).encode(), digest_size=16).digest()
        duplicate = digest in self._seen
        self._seen.add(digest)
        self._counts["num_duplicate"] += duplicate
        return duplicate
