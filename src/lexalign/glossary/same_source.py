"""Entries with the same source, compared with each other in one pass."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from lexalign.glossary.entries import Entry

Relation = Literal["duplicate", "ambiguous", "conflict"]
_Rule = tuple[str, frozenset[str]]  # a policy and its targets


@dataclass
class SameSource:
    """The entries so far; each further one is compared with the first of its kind."""

    rules: dict[_Rule, Entry] = field(default_factory=dict)
    required: dict[str, Entry] = field(default_factory=dict)  # by target
    avoided: dict[str, Entry] = field(default_factory=dict)
    kept: Entry | None = None
    translated: list[Entry] = field(default_factory=list)  # at most two that differ

    def add(self, entry: Entry) -> Iterator[tuple[Relation, Entry]]:
        """Relations of an entry to earlier ones, each at most once."""
        rule = entry.policy, frozenset(entry.targets)
        if rule in self.rules:
            yield "duplicate", self.rules[rule]
        if other := self._contradicted(entry):
            yield "conflict", other
        if entry.policy in ("must", "prefer"):
            for other in self.translated:
                if (other.policy, frozenset(other.targets)) != rule:
                    yield "ambiguous", other
                    break
        self._remember(entry, rule)

    def _contradicted(self, entry: Entry) -> Entry | None:
        if entry.policy == "keep":
            return next(iter(self.translated), None)
        opposite = self.required if entry.policy == "avoid" else self.avoided
        shared = next((opposite[target] for target in entry.targets if target in opposite), None)
        return shared or (self.kept if entry.policy != "avoid" else None)

    def _remember(self, entry: Entry, rule: _Rule) -> None:
        if entry.policy == "keep":
            self.kept = self.kept or entry
        elif entry.policy != "avoid" and rule not in self.rules and len(self.translated) < 2:
            self.translated.append(entry)
        self.rules.setdefault(rule, entry)
        side = self.avoided if entry.policy == "avoid" else self.required
        for target in entry.targets:
            side.setdefault(target, entry)
