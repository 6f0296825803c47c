"""Glossaries joined into one, and what differs between two.

Entries with the same source, case and policy are one: their targets are joined, or those of the first or the
last glossary are taken. A source that one glossary keeps and another translates is a contradiction, which
`refuse` does not let pass.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary, join_alternatives
from lexalign.text.languages import primary

Conflicts = Literal["join", "first", "last", "refuse"]
CONFLICTS: tuple[Conflicts, ...] = get_args(Conflicts)
_Key = tuple[str, str, str | None, str | None]  # source, whether it is an avoidance, languages


@dataclass(frozen=True)
class Change:
    """An entry of only one of two glossaries, or of both with other targets, policy or case."""

    kind: Literal["added", "removed", "changed"]
    source: str
    before: Entry | None
    after: Entry | None

    def __str__(self) -> str:
        if self.kind == "changed":
            return f"~ {self.source}: {_targets(self.before)} → {_targets(self.after)}"
        sign, entry = ("+", self.after) if self.kind == "added" else ("-", self.before)
        return f"{sign} {self.source}: {_targets(entry)}"


def merge_glossaries(glossaries: Sequence[Glossary], conflicts: Conflicts = "join") -> Glossary:
    """All entries, each source once, in the order of their first appearance."""
    merged: dict[_Key, Entry] = {}
    for glossary in glossaries:
        for key, entry in _by_key(glossary).items():
            known = merged.get(key)
            merged[key] = entry if known is None else _resolve(known, entry, conflicts)
    return Glossary(tuple(merged.values()))


def compare_glossaries(before: Glossary, after: Glossary) -> list[Change]:
    """What was added, removed and changed, in the order of the glossaries."""
    old, new = _by_key(before), _by_key(after)
    changes: list[Change] = []
    for key, entry in old.items():
        other = new.get(key)
        if other is None:
            changes.append(Change("removed", entry.source, entry, None))
        elif _rule(entry) != _rule(other):
            changes.append(Change("changed", entry.source, entry, other))
    return changes + [Change("added", one.source, None, one) for key, one in new.items() if key not in old]


def _by_key(glossary: Glossary) -> dict[_Key, Entry]:
    """The entries of one glossary, those of one source joined."""
    found: dict[_Key, Entry] = {}
    for entry in glossary:
        key = _key(entry)
        found[key] = _joined(found[key], entry) if key in found else entry
    return found


def _key(entry: Entry) -> _Key:
    source, target = entry.source_language, entry.target_language
    rule = "avoid" if entry.policy == "avoid" else ""
    return entry.source, rule, source and primary(source), target and primary(target)


def _resolve(known: Entry, entry: Entry, conflicts: Conflicts) -> Entry:
    if _rule(known) == _rule(entry):
        return known
    if conflicts == "refuse" or (
        conflicts == "join" and (known.policy == "keep") != (entry.policy == "keep")
    ):
        raise LexalignError(
            f'"{entry.source}" is {_targets(known)} ({known.place}) and {_targets(entry)} ({entry.place}); '
            "correct one of them, or choose with --conflicts first or last"
        )
    if conflicts == "join":
        return _joined(known, entry)
    return known if conflicts == "first" else entry


def _joined(one: Entry, other: Entry) -> Entry:
    notes = tuple(dict.fromkeys(note for note in (one.note, other.note) if note))
    targets = tuple(dict.fromkeys((*one.targets, *other.targets)))
    if "keep" in (one.policy, other.policy):
        targets = ()
    policy = "keep" if not targets else one.policy
    return replace(one, targets=targets, policy=policy, note="; ".join(notes))


def _rule(entry: Entry) -> tuple[str, str, str, str, frozenset[str]]:
    return entry.policy, entry.case, entry.forms, entry.compounds, frozenset(entry.targets)


def _targets(entry: Entry | None) -> str:
    if entry is None:
        return ""
    if entry.policy == "keep":
        return "(kept)"
    rule = "" if entry.policy == "must" else f" ({entry.policy})"
    return f"{join_alternatives(entry.targets)}{rule}"
