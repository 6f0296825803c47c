"""A place of a text where a glossary has something to say."""

from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint
from lexalign.glossary.entries import Entry

Manner = Literal["exact", "case", "inflected"]

_MANNERS = {
    "exact": "stands as in the glossary",
    "case": "differs from the glossary's in case only",
    "inflected": "is another form of the glossary's",
}


@dataclass(frozen=True, kw_only=True)
class Match:
    """`constraint` is what is asked of the translation; several entries that agree ask for it together."""

    span: Span
    text: str  # as it stands there
    entries: tuple[Entry, ...]
    manner: Manner
    constraint: Constraint

    @property
    def entry(self) -> Entry:
        return self.entries[0]

    @property
    def explanation(self) -> str:
        """In words: why the term was found here, and where it is written."""
        said = f'"{self.text}" {_MANNERS[self.manner]} "{self.entry.source}"'
        places = [str(entry.place) for entry in self.entries if entry.place is not None]
        return f"{said} ({'; '.join(places)})" if places else said
