"""The languages of bilingual material: those that are asked for, or else those of the file."""

from dataclasses import dataclass

from lexalign.text.languages import primary


@dataclass(frozen=True)
class Languages:
    source: str | None = None
    target: str | None = None

    def or_else(self, source: str | None, target: str | None) -> "Languages":
        return Languages(self.source or source, self.target or target)


def is_language(code: str, wanted: str | None) -> bool:
    """Whether a code means the wanted language, in any region."""
    return wanted is not None and bool(code) and primary(code) == primary(wanted)
