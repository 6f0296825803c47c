"""Which of some languages a text is in, and what languages are called."""

from collections.abc import Sequence

from lexalign.text.detection import detect, is_available
from lexalign.text.languages import language_name

__all__ = ["guess_language", "language_name"]


def guess_language(text: str, languages: Sequence[str]) -> tuple[str, float] | None:
    """One of the languages, and how probable it is; None where none of them is sure."""
    if not is_available():
        return None
    found = detect(text, languages)
    return None if found.language is None else _among(found.language, languages, found.probability)


def _among(found: str, languages: Sequence[str], probability: float) -> tuple[str, float] | None:
    """By the code that the server has for it, which may name a region."""
    code = next((code for code in languages if code.partition("-")[0] == found), None)
    return None if code is None else (code, probability)
