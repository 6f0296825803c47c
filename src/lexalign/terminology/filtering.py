"""Which units are evidence for how terms are translated, and which are not; each refusal has its reason."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexalign.characters import UNSPACED
from lexalign.terminology.units import Unit

MAX_CHARACTERS = 2_000  # of a side; longer texts are no segments, and their words align badly
_MAX_RATIO = 4.0  # of the lengths of both sides
_SHORT = 20  # characters, below which lengths say nothing
_MIN_LETTERS = 0.4  # share of letters in a text
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NO_LETTERS = bytes(code for code in range(256) if not chr(code).isalpha())  # of Latin-1
_MAX_RECENT = 1_000_000  # units
_COPIED_WORDS = 6  # so many words on both sides alike are no translation


def reason_against(unit: Unit) -> str | None:
    """Why a unit is no evidence; None where it is."""
    source, target = unit.source.strip(), unit.target.strip()
    if not source or not target:
        return "a side is empty"
    if max(len(source), len(target)) > MAX_CHARACTERS:
        return f"over {MAX_CHARACTERS:,} characters"
    if not _is_text(source) or not _is_text(target):
        return "hardly any letters"
    if source == target and len(source.split()) >= _COPIED_WORDS:
        return "both sides are the same"
    return "one side is several times as long" if _lengths_differ(source, target) else None


def _is_text(text: str) -> bool:
    return _num_letters(text) >= _MIN_LETTERS * len(text.replace(" ", ""))


def _num_letters(text: str) -> int:
    try:
        return len(text.encode("latin-1").translate(None, _NO_LETTERS))
    except UnicodeEncodeError:
        return sum(map(str.isalpha, text))


def _lengths_differ(source: str, target: str) -> bool:
    lengths = sorted((_length(source), _length(target)))
    return lengths[1] > _SHORT and lengths[1] > _MAX_RATIO * lengths[0]


def _length(text: str) -> float:
    """The length in letters; a character of a script without spaces stands for about two and a half."""
    return len(text) if text.isascii() else len(text) + 1.5 * len(_UNSPACED.findall(text))


class Duplicates:
    """Which units have come before, of any number: 64 bits of a digest for each.

    Of ten million units, two that differ have the same digest with a probability of three in a million.
    """

    def __init__(self) -> None:
        self._seen: NDArray[np.uint64] = np.zeros(0, dtype=np.uint64)  # sorted
        self._recent: set[int] = set()

    def new_ones(self, units: Sequence[Unit]) -> list[Unit]:
        """Remember some units; returns those that are new."""
        digests = [_digest(unit) for unit in units]
        old = self._are_old(np.array(digests, dtype=np.uint64))
        found = []
        for unit, digest, is_old in zip(units, digests, old, strict=True):
            if not is_old and digest not in self._recent:
                self._recent.add(digest)
                found.append(unit)
        if len(self._recent) >= _MAX_RECENT:
            self._merge()
        return found

    def _are_old(self, digests: NDArray[np.uint64]) -> list[bool]:
        if not len(self._seen):
            return [False] * len(digests)
        indexes = np.searchsorted(self._seen, digests).clip(max=len(self._seen) - 1)
        found: list[bool] = (self._seen[indexes] == digests).tolist()
        return found

    def _merge(self) -> None:
        recent = np.fromiter(self._recent, dtype=np.uint64, count=len(self._recent))
        self._seen = np.sort(np.concatenate([self._seen, recent]), kind="stable")
        self._recent.clear()


def _digest(unit: Unit) -> int:
    content = f"{unit.source}\t{unit.target}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
