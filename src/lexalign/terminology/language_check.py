"""Whether a sample of units is in the languages that it should be in: swapped columns, other languages.

A language is detected for each side of a unit by itself, and only long enough texts are asked. A memory of
which more than half is swapped, or in another language, is refused; a smaller share is a warning.
"""

from collections import Counter
from dataclasses import dataclass, field

from lexalign.contracts.errors import LexalignError
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.units import Unit
from lexalign.text.detection import detect, is_available
from lexalign.text.languages import primary

_MIN_CHARACTERS = 30
_FIRST, _LATER = 200, 1_000  # the first units are sampled, and later one of so many
_MIN_SAMPLE = 20
_REFUSED, _WARNED = 0.5, 0.05  # shares


@dataclass
class LanguageSample:
    """Detected languages of both sides, and the units whose sides have changed places."""

    languages: Languages
    num_sampled: int = 0
    num_swapped: int = 0
    _num_seen: int = 0
    _can_detect: bool = field(default_factory=is_available)
    _detected: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))

    def add(self, unit: Unit) -> None:
        if min(len(unit.source), len(unit.target)) < _MIN_CHARACTERS or not self._can_detect:
            return
        self._num_seen += 1
        if self._num_seen > _FIRST and self._num_seen % _LATER:
            return
        expected = [primary(one) for one in (self.languages.source, self.languages.target) if one]
        found = [detect(text, expected or None).language for text in (unit.source, unit.target)]
        self.num_sampled += 1
        self.num_swapped += len(expected) == 2 and found == expected[::-1] and expected[0] != expected[1]
        for language, counts in zip(found, self._detected, strict=True):
            if language is not None:
                counts[language] += 1
        if self.num_sampled == _FIRST:
            self.refuse()

    def detected(self) -> Languages:
        """The languages that are known, or else those that most of the sample is in."""
        source, target = (counts.most_common(1) for counts in self._detected)
        return self.languages.or_else(source[0][0] if source else None, target[0][0] if target else None)

    def refuse(self) -> None:
        if self.num_sampled < _MIN_SAMPLE:
            return
        source, target = self.languages.source, self.languages.target
        if self.num_swapped > _REFUSED * self.num_sampled:
            raise LexalignError(
                f"source and target seem to have changed places: {self.num_swapped} of {self.num_sampled} "
                f"sampled units go from {target} to {source}; exchange them, or give "
                f"--from {target} --to {source}"
            )
        for side, name, wanted in zip(self._detected, ("source", "target"), (source, target), strict=True):
            for other, count in side.items():
                if wanted and other != primary(wanted) and count > _REFUSED * self.num_sampled:
                    raise LexalignError(
                        f"the {name} texts seem to be in {other}, not in {wanted} ({count} of "
                        f"{self.num_sampled} sampled); give the right --from and --to, or --any-language"
                    )

    def warnings(self) -> list[str]:
        if self.num_sampled < _MIN_SAMPLE:
            return []
        found = []
        if self.num_swapped > _WARNED * self.num_sampled:
            found.append(
                f"{self.num_swapped} of {self.num_sampled} sampled units have source and target swapped"
            )
        wanted = self.languages.source, self.languages.target
        for side, name, language in zip(self._detected, ("source", "target"), wanted, strict=True):
            others = sum(count for code, count in side.items() if language and code != primary(language))
            others -= self.num_swapped
            if others > _WARNED * self.num_sampled:
                found.append(f"{others} of {self.num_sampled} sampled {name} texts are not in {language}")
        return found
