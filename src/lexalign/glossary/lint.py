"""Checks of a glossary, for one direction of translation; each finding has its line.

An error makes a file invalid: empty terms, unknown policies, wrong columns, control characters. A warning is
for a person to judge:

    incomplete      a concept without a term in one of the two languages; it is ignored
    duplicate       the same term with the same targets again
    ambiguous       the same term with different targets; the model will choose
    conflict        the same term is to be translated and kept, or a target is both required and avoided
    case            a term that differs from another only in its capitals
    untranslated    a target that equals its source; the policy keep is clearer
    swapped         a term in the target language whose target is in the source language
    sentence        a term that looks like a sentence, and is matched only as a whole
    spaces          invisible white space in a term: two spaces, a non-breaking one
    unencodable     a term that a model cannot spell as it is written

A note is only information:

    one-way         a term to be avoided in the other direction; in this one it is ignored
    overlap         a term with which a longer one begins; where both match, the longer is taken
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Glossary
from lexalign.glossary.formats.files import parse_leniently
from lexalign.glossary.matching.lemmas import Lemmas, find_lemmas
from lexalign.glossary.matching.words import fold, split
from lexalign.glossary.same_source import SameSource

Severity = Literal["error", "warning", "note"]
Kind = Literal[
    "error",
    "incomplete",
    "duplicate",
    "ambiguous",
    "conflict",
    "case",
    "untranslated",
    "swapped",
    "sentence",
    "spaces",
    "unencodable",
    "one-way",
    "overlap",
]
_NOTES = ("one-way", "overlap")
_MAX_WORDS = 8  # of a term
_SENTENCE = re.compile(r"(\S+\s+){3,}\S*[.!?]")
_INVISIBLE_SPACES = re.compile(r"\s{2,}|[^\S ]|[\u200b\u2060\ufeff]")
CanSpell = Callable[[str], bool]
Dictionaries = tuple[Lemmas, Lemmas]  # of the source and of the target language


@dataclass(frozen=True)
class Finding:
    line: int | None
    kind: Kind
    message: str

    @property
    def severity(self) -> Severity:
        return "error" if self.kind == "error" else "note" if self.kind in _NOTES else "warning"


def lint_file(
    path: Path,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    can_spell: CanSpell | None = None,
) -> tuple[Glossary, list[Finding]]:
    """The valid entries of a file, and the findings by line; `can_spell` tells what a model can spell."""
    try:
        found = parse_leniently(path, source_language=source_language, target_language=target_language)
    except LexalignError as error:
        return Glossary(), [_error_finding(path, str(error))]
    glossary = found.glossary
    findings = [Finding(problem.line, problem.kind, problem.message) for problem in found.problems]
    languages = glossary.source_language or source_language, glossary.target_language or target_language
    findings += lint(glossary, can_spell, _dictionaries(*languages))
    return glossary, sorted(findings, key=lambda finding: finding.line or 0)


def lint(
    glossary: Glossary, can_spell: CanSpell | None = None, dictionaries: Dictionaries | None = None
) -> Iterator[Finding]:
    """The findings in a glossary; swapped languages are found only with `dictionaries`."""
    groups: dict[tuple[object, ...], SameSource] = {}
    spellings: dict[tuple[object, ...], Entry] = {}
    for entry in glossary:
        yield from _compare(entry, groups.setdefault(_key(entry, entry.source), SameSource()))
        other = spellings.setdefault(_key(entry, fold(entry.source)), entry)
        if other.source != entry.source:
            message = (
                f'"{entry.source}" differs from "{other.source}" ({_location(other)}) only in its capitals'
            )
            yield Finding(_line(entry), "case", message)
        yield from _check_entry(entry, can_spell)
        if dictionaries and _is_swapped(entry, *dictionaries):
            message = f'"{entry.source}" and "{entry.targets[0]}" look as if they had changed places'
            yield Finding(_line(entry), "swapped", message)
    yield from _overlaps(glossary)


def _compare(entry: Entry, group: SameSource) -> Iterator[Finding]:
    for kind, other in group.add(entry):
        message = {
            "duplicate": f"again, with the same targets as {_location(other)}",
            "ambiguous": f"with other targets than {_location(other)}; the model chooses",
            "conflict": f"contradicts {_location(other)}",
        }[kind]
        yield Finding(_line(entry), kind, f'"{entry.source}" {message}')


def _check_entry(entry: Entry, can_spell: CanSpell | None) -> Iterator[Finding]:
    if entry.source in entry.targets and entry.policy != "avoid":
        message = f'"{entry.source}" is its own target; if it is to stay as it is, make its policy keep'
        yield Finding(_line(entry), "untranslated", message)
    if _SENTENCE.fullmatch(entry.source) or len(entry.source.split()) > _MAX_WORDS:
        message = f'"{entry.source}" looks like a sentence; it is found only where all of it stands'
        yield Finding(_line(entry), "sentence", message)
    for term in (entry.source, *entry.targets):
        if _INVISIBLE_SPACES.search(term):
            message = f"{term!r} holds white space that does not show; make it a single blank"
            yield Finding(_line(entry), "spaces", message)
        if can_spell is not None and not can_spell(term):
            yield Finding(_line(entry), "unencodable", f'the model cannot spell "{term}" as it is written')


def _is_swapped(entry: Entry, source: Lemmas, target: Lemmas) -> bool:
    """Whether each side has words of only the other language, and none of only its own."""
    targets = " ".join(entry.targets)
    return _is_in_language(entry.source, target, source) and _is_in_language(targets, source, target)


def _is_in_language(text: str, language: Lemmas, other: Lemmas) -> bool:
    words = [word.text for word in split(text) if word.text.isalpha() and len(word.text) > 2]
    return any(not other.knows(word) for word in words) and all(language.knows(word) for word in words)


def _overlaps(glossary: Glossary) -> Iterator[Finding]:
    """Look up the beginnings of every term among all terms, which takes linear time."""
    known: dict[tuple[object, ...], Entry] = {}
    for entry in glossary:
        known.setdefault(_key(entry, fold(entry.source)), entry)
    reported: set[int] = set()
    for entry in glossary:
        ends = [word.end for word in split(entry.source)[: _MAX_WORDS + 1]][:-1]
        for end in ends:
            shorter = known.get(_key(entry, fold(entry.source[:end])))
            if shorter is not None and id(shorter) not in reported:
                reported.add(id(shorter))
                longer = f'"{entry.source}" ({_location(entry)})'
                message = f'"{shorter.source}" begins {longer} too; the longer is taken'
                yield Finding(_line(shorter), "overlap", message)


def _dictionaries(source: str | None, target: str | None) -> Dictionaries | None:
    """The dictionaries of both languages, where they are available."""
    try:
        found = source and find_lemmas(source), target and find_lemmas(target)
    except LexalignError:
        return None
    return (found[0], found[1]) if found[0] and found[1] else None


def _key(entry: Entry, source: str) -> tuple[object, ...]:
    return source, entry.source_language, entry.target_language


def _location(entry: Entry) -> str:
    return f"line {line}" if (line := _line(entry)) else "another entry"


def _line(entry: Entry) -> int | None:
    return entry.place.line if entry.place else None


def _error_finding(path: Path, message: str) -> Finding:
    """A finding from the error of a reader, which begins with the file and often a line."""
    rest = message.removeprefix(str(path)).removeprefix(":").strip()
    if rest.startswith(", line "):
        number, _, said = rest.removeprefix(", line ").partition(": ")
        if number.isdigit():
            return Finding(int(number), "error", said)
    return Finding(None, "error", rest)
