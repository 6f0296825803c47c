"""Likely omitted content: neighbouring source words without a link, in a translation that is too short.

What is linked depends on how freely a text is translated; so a run of unlinked content words is an omission
only where the translation is also shorter than those of the other units are for their sources. The longer the
run, the less short it must be:

    evidence = content words of the run + standard deviations by which the translation is too short
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lexalign.metrics.words import is_punctuation
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding
from lexalign.terminology.units import Unit

_MIN_RUN = 2  # content words
_MAX_LINKED = 0.25  # share of linked words inside of a run
_MIN_SHORTNESS = 0.5  # standard deviations
_MIN_EVIDENCE = 4.0
_SMOOTHING = 10.0  # characters added to both lengths, because short texts vary more


@dataclass(frozen=True)
class LengthRatios:
    """The mean and the standard deviation of the logarithm of target length over source length."""

    mean: float = 0.0
    deviation: float = 0.3

    @classmethod
    def of(cls, units: Iterable[Unit]) -> "LengthRatios":
        ratios = sorted(_log_ratio(unit) for unit in units if unit.source.strip() and unit.target.strip())
        if len(ratios) < 20:
            return cls()
        # Quartiles, so that omissions do not widen what is usual.
        first, middle, third = (ratios[len(ratios) * quarter // 4] for quarter in (1, 2, 3))
        return cls(middle, max(0.08, (third - first) / 1.349))

    def shortness(self, unit: Unit) -> float:
        """By how many standard deviations the target is shorter than it should be."""
        return (self.mean - _log_ratio(unit)) / self.deviation


def _log_ratio(unit: Unit) -> float:
    return math.log((len(unit.target) + _SMOOTHING) / (len(unit.source) + _SMOOTHING))


class OmissionRule:
    def __init__(self, ratios: LengthRatios, function_words: frozenset[str]) -> None:
        self._ratios, self._function_words = ratios, function_words

    def check(self, aligned: AlignedUnit) -> Iterator[Finding]:
        unit = aligned.unit
        if not aligned.links or not unit.target.strip():
            return
        shortness = self._ratios.shortness(unit)
        if shortness < _MIN_SHORTNESS:
            return
        run = self._longest_run(aligned)
        if len(run) < _MIN_RUN or len(run) + shortness < _MIN_EVIDENCE:
            return
        span = aligned.source[run[0]].start, aligned.source[run[-1]].end
        yield Finding(
            kind="omission",
            message=f'nothing seems to translate "{_short(unit.source[slice(*span)])}"',
            unit=unit,
            source_span=span,
            confidence=min(1.0, len(run) / 8 + shortness / 8),
        )

    def _longest_run(self, aligned: AlignedUnit) -> list[int]:
        """The content words of the longest stretch of which hardly any is linked."""
        linked = {link.source for link in aligned.links}
        content = [index for index, word in enumerate(aligned.source) if self._is_content(word.key)]
        best: list[int] = []
        run: list[int] = []
        misses = 0
        for index in content:
            if index not in linked:
                run.append(index)
            elif run and misses + 1 <= _MAX_LINKED * (len(run) + 1):
                misses += 1
            else:
                run, misses = [], 0
            if len(run) > len(best):
                best = list(run)
        return best

    def _is_content(self, key: str) -> bool:
        return not is_punctuation(key) and key not in self._function_words


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
