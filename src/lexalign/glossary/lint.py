"""What is wrong with a glossary, or looks as if it were, each with its line.

An error keeps a file from being read: empty terms, unknown policies, wrong columns, what no text can hold.
A warning is for a person to judge:

    incomplete      a concept without a term in one of the two languages; it is passed over
    duplicate       the same term with the same targets again
    ambiguous       the same term asks for different targets; the model will choose
    conflict        the same term must be translated and kept, or a target is both wanted and avoided
    untranslated    a target that is its source; the policy keep says so more clearly
    unencodable     a term that a model cannot spell as it is written
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary
from lexalign.glossary.formats.files import examine

Severity = Literal["error", "warning"]
Kind = Literal[
    "error", "incomplete", "one-way", "duplicate", "ambiguous", "conflict", "untranslated", "unencodable"
]


@dataclass(frozen=True)
class Finding:
    line: int | None
    kind: Kind
    message: str

    @property
    def severity(self) -> Severity:
        return "error" if self.kind == "error" else "warning"


def lint_file(
    path: Path,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    can_spell: Callable[[str], bool] | None = None,
) -> tuple[Glossary, list[Finding]]:
    """What could be read of a file, and the findings by line; `can_spell` is a model's."""
    try:
        found = examine(path, source_language=source_language, target_language=target_language)
    except LexalignError as error:
        return Glossary(), [_refusal(path, str(error))]
    findings = [Finding(problem.line, problem.kind, problem.message) for problem in found.problems]
    findings += lint(found.glossary, can_spell)
    return found.glossary, sorted(findings, key=lambda finding: finding.line or 0)


def lint(glossary: Glossary, can_spell: Callable[[str], bool] | None = None) -> Iterator[Finding]:
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in glossary:
        group = groups.setdefault(_identity(entry), [])
        yield from _compare(entry, group)
        yield from _look_at(entry, can_spell)
        group.append(entry)


def _compare(entry: Entry, before: Iterable[Entry]) -> Iterator[Finding]:
    """An entry and those above it for the same term; one finding of a kind is enough."""
    found: dict[Kind, Finding] = {}
    for other in before:
        kind = _relation(entry, other)
        if kind is not None:
            there = f"line {line}" if (line := _line(other)) else "another entry"
            message = {
                "duplicate": f"again, with the same targets as {there}",
                "ambiguous": f"with other targets than {there}; the model chooses",
                "conflict": f"contradicts {there}",
            }[kind]
            message = f'"{entry.source}" {message}'
            found.setdefault(kind, Finding(_line(entry), kind, message))
    yield from found.values()


def _relation(entry: Entry, other: Entry) -> Literal["duplicate", "ambiguous", "conflict"] | None:
    shared = set(entry.targets) & set(other.targets)
    if entry.policy == other.policy:
        if set(entry.targets) == set(other.targets):
            return "duplicate"
        return "ambiguous" if entry.policy in ("must", "prefer") else None
    if "avoid" in (entry.policy, other.policy):
        return "conflict" if shared else None
    return "conflict" if "keep" in (entry.policy, other.policy) else "ambiguous"


def _look_at(entry: Entry, can_spell: Callable[[str], bool] | None) -> Iterator[Finding]:
    if entry.source in entry.targets and entry.policy != "avoid":
        message = f'"{entry.source}" is its own target; if it is to stay as it is, make its policy keep'
        yield Finding(_line(entry), "untranslated", message)
    for term in (entry.source, *entry.targets):
        if can_spell is not None and not can_spell(term):
            yield Finding(_line(entry), "unencodable", f'the model cannot spell "{term}" as it is written')


def _identity(entry: Entry) -> tuple[object, ...]:
    return entry.source, entry.source_language, entry.target_language


def _line(entry: Entry) -> int | None:
    return entry.place.line if entry.place else None


def _refusal(path: Path, message: str) -> Finding:
    """An error of a reader, which begins with the file and mostly its line."""
    rest = message.removeprefix(str(path)).removeprefix(":").strip()
    if rest.startswith(", line "):
        number, _, said = rest.removeprefix(", line ").partition(": ")
        if number.isdigit():
            return Finding(int(number), "error", said)
    return Finding(None, "error", rest)
