"""Units without a translation: nothing, the source itself, or a text in the source's language."""

from collections.abc import Iterator

from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.findings import Finding
from lexalign.text.detection import already_in

_MIN_WORDS = 4  # fewer words may well be the same in both languages


class UntranslatedRule:
    def __init__(self, source_language: str | None, target_language: str | None) -> None:
        self._languages = source_language, target_language

    def check(self, aligned: AlignedUnit) -> Iterator[Finding]:
        unit = aligned.unit
        source, target = unit.source.strip(), unit.target.strip()
        if not source or not any(map(str.isalpha, source)):
            return
        message = ""
        if not target:
            message = "there is no translation"
        elif source == target and len(source.split()) >= _MIN_WORDS:
            message = "the translation is the source"
        elif self._is_in_source_language(target):
            message = f"the translation is in {self._languages[0]}"
        if message:
            yield Finding(kind="untranslated", message=message, unit=unit, target_span=(0, len(unit.target)))

    def _is_in_source_language(self, target: str) -> bool:
        source_language, target_language = self._languages
        if source_language is None or target_language is None or len(target.split()) < _MIN_WORDS:
            return False
        return already_in(target, target_language, source_language)
