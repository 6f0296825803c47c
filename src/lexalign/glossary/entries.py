"""A glossary: what its terms are to be in another language, and on what terms.

source   the term, as a dictionary has it or in any other form
targets  the words it may become, the model chooses; none where it is kept as it is
policy   must, prefer, avoid (the targets are not to be used), keep (the source is left untranslated)
case     match-source: found in any case that has the term's capitals, and the target follows suit
         as-typed: found and written in exactly this case
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from lexalign.contracts.errors import LexalignError
from lexalign.text.languages import primary
from lexalign.text.surface import check_unicode

TermPolicy = Literal["must", "prefer", "avoid", "keep"]
CaseRule = Literal["match-source", "as-typed"]

POLICIES: tuple[TermPolicy, ...] = get_args(TermPolicy)
CASE_RULES: tuple[CaseRule, ...] = get_args(CaseRule)
_MARKED = re.compile(r"\\[\\|]|\|")


@dataclass(frozen=True)
class Place:
    """Where an entry was read, for people: a file, or an option, and a line of it."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}, line {self.line}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One term; raises `LexalignError` where it makes no sense. Languages are codes such as de or de-CH."""

    source: str
    targets: tuple[str, ...] = ()
    policy: TermPolicy = "must"
    case: CaseRule = "match-source"
    note: str = ""
    source_language: str | None = None
    target_language: str | None = None
    place: Place | None = None

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise LexalignError(f"unknown policy {self.policy!r}; there are {', '.join(POLICIES)}")
        if self.case not in CASE_RULES:
            raise LexalignError(f"unknown case rule {self.case!r}; there are {', '.join(CASE_RULES)}")
        check_term(self.source, "the source")
        for target in self.targets:
            check_term(target, "a target")
        _check_characters(self.note, "the note")
        if not self.targets and self.policy != "keep":
            raise LexalignError("the target is empty; to leave the term untranslated, make its policy keep")
        if self.targets and self.policy == "keep":
            raise LexalignError("a term that is kept untranslated has no target; leave it empty")


@dataclass(frozen=True)
class Glossary:
    """Entries in their order; what comes first of several files has no precedence."""

    entries: tuple[Entry, ...] = ()

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __add__(self, other: "Glossary") -> "Glossary":
        return Glossary(self.entries + other.entries)

    @property
    def source_language(self) -> str | None:
        """The one that all entries with a language have, without its region."""
        return _only(entry.source_language for entry in self.entries)

    @property
    def target_language(self) -> str | None:
        return _only(entry.target_language for entry in self.entries)

    def for_languages(self, source: str | None, target: str | None) -> "Glossary":
        """The entries from one language to another; those that do not say theirs fit everywhere."""
        return Glossary(
            tuple(
                entry
                for entry in self.entries
                if same_language(entry.source_language, source)
                and same_language(entry.target_language, target)
            )
        )

    def with_languages(self, source: str | None, target: str | None) -> "Glossary":
        """The same entries, those without languages now with these."""
        return Glossary(
            tuple(
                replace(
                    entry,
                    source_language=entry.source_language or source,
                    target_language=entry.target_language or target,
                )
                for entry in self.entries
            )
        )


def parse_term(written: str) -> Entry:
    """An entry from "source=target" or "source=target|another target", as on a command line."""
    entry, *others = parse_terms(written)
    if others:
        raise LexalignError(f'--term "{written}": several sources; parse_terms reads them')
    return entry


def parse_terms(written: str) -> tuple[Entry, ...]:
    """The same with any number of sources, an entry each: "source|another source=target"."""
    source, equals, targets = written.partition("=")
    try:
        if not equals:
            raise LexalignError("there is no =")
        if not targets.strip():
            raise LexalignError("the target is empty")
        return tuple(
            Entry(source=one, targets=split_alternatives(targets), place=Place(f'--term "{written}"'))
            for one in split_alternatives(source) or ("",)
        )
    except LexalignError as error:
        raise LexalignError(f'--term "{written}": {error}; write it as "source=target"') from None


def check_term(text: str, name: str) -> None:
    if not text.strip():
        raise LexalignError(f"{name} is empty")
    if text != text.strip():
        raise LexalignError(f"{name} {text!r} begins or ends with white space")
    _check_characters(text, name)


def _check_characters(text: str, name: str) -> None:
    """What no line of text and no XML can hold."""
    if any(ord(character) < 32 or character in "\x7f\ufffe\uffff" for character in text):
        raise LexalignError(f"{name} {text!r} holds a control character")
    check_unicode(text)


def split_alternatives(written: str) -> tuple[str, ...]:
    r"""Terms between bars: `dog|dogs`; a bar that belongs to a term is written `\|`, a backslash `\\`."""
    if not written.strip():
        return ()
    parts: list[list[str]] = [[]]
    position = 0
    for mark in _MARKED.finditer(written):
        parts[-1].append(written[position : mark.start()])
        position = mark.end()
        if mark[0] == "|":
            parts.append([])
        else:
            parts[-1].append(mark[0][1])
    parts[-1].append(written[position:])
    return tuple(dict.fromkeys("".join(part).strip() for part in parts))


def join_alternatives(terms: Iterable[str]) -> str:
    return "|".join(term.replace("\\", "\\\\").replace("|", "\\|") for term in terms)


def same_language(one: str | None, other: str | None) -> bool:
    """Whether they agree as far as they are known; a region is a detail: de-CH is de."""
    return one is None or other is None or primary(one) == primary(other)


def _only(languages: Iterable[str | None]) -> str | None:
    found = {primary(language) for language in languages if language}
    return found.pop() if len(found) == 1 else None
