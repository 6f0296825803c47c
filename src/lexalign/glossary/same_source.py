"""Entries for one and the same source, held against each other in one pass."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from lexalign.glossary.entries import Entry

Relation = Literal["duplicate", "ambiguous", "conflict"]
_Asked = tuple[str, frozenset[str]]  # a policy and its targets


@dataclass
class SameSource:
    """What the entries so far ask for; each that comes is compared with what was first of its kind."""

    asked: dict[_Asked, Entry] = field(default_factory=dict)
    wanted: dict[str, Entry] = field(default_factory=dict)  # by target
    avoided: dict[str, Entry] = field(default_factory=dict)
    kept: Entry | None = None
    translated: list[Entry] = field(default_factory=list)  # two that differ are enough

    def add(self, entry: Entry) -> Iterator[tuple[Relation, Entry]]:
        """How an entry stands to one before it, at most once in each way."""
        asked = entry.policy, frozenset(entry.targets)
        if asked in self.asked:
            yield "duplicate", self.asked[asked]
        if other := self._contradicted(entry):
            yield "conflict", other
        if entry.policy in ("must", "prefer"):
            for other in self.translated:
                if (other.policy, frozenset(other.targets)) != asked:
                    yield "ambiguous", other
                    break
        self._remember(entry, asked)

    def _contradicted(self, entry: Entry) -> Entry | None:
        if entry.policy == "keep":
            return next(iter(self.translated), None)
        opposite = self.wanted if entry.policy == "avoid" else self.avoided
        shared = next((opposite[target] for target in entry.targets if target in opposite), None)
        return shared or (self.kept if entry.policy != "avoid" else None)

    def _remember(self, entry: Entry, asked: _Asked) -> None:
        if entry.policy == "keep":
            self.kept = self.kept or entry
        elif entry.policy != "avoid" and asked not in self.asked and len(self.translated) < 2:
            self.translated.append(entry)
        self.asked.setdefault(asked, entry)
        side = self.avoided if entry.policy == "avoid" else self.wanted
        for target in entry.targets:
            side.setdefault(target, entry)
