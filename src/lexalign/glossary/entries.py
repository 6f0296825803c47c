"""A glossary and its entries.

source   the term, in its dictionary form or in any other
targets  its translations, among which the model chooses; none where the term is kept
policy   must, prefer, avoid (the targets are forbidden), keep (the source is left untranslated)
case     match-source: matched in any case that has the term's capitals, and the target takes the same case
         as-typed: matched and written in exactly this case
forms    inflected: inflected forms of the targets are targets too; exact: only those that are listed; by
         default they are made, unless the case is as-typed or the target is the source
compounds  allowed: a target may be a part of a longer word; whole-word: it may not; by default it depends on
         the target language
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from lexalign.contracts.errors import GlossaryError
from lexalign.text.languages import primary
from lexalign.text.surface import check_unicode

TermPolicy = Literal["must", "prefer", "avoid", "keep"]
CaseRule = Literal["match-source", "as-typed"]
FormRule = Literal["default", "inflected", "exact"]
CompoundRule = Literal["default", "allowed", "whole-word"]

POLICIES: tuple[TermPolicy, ...] = get_args(TermPolicy)
CASE_RULES: tuple[CaseRule, ...] = get_args(CaseRule)
FORM_RULES: tuple[FormRule, ...] = get_args(FormRule)
COMPOUND_RULES: tuple[CompoundRule, ...] = get_args(CompoundRule)
# The rules of an entry by their names in files, and what they are where a file says nothing.
RULE_DEFAULTS = {"policy": "must", "case": "match-source", "forms": "default", "compounds": "default"}
_SEPARATOR_OR_ESCAPE = re.compile(r"\\[\\|]|\|")


@dataclass(frozen=True)
class Place:
    """Where an entry was read: a file, or an option, and its line."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}, line {self.line}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A term and its translations; an invalid one raises `GlossaryError`.

    Attributes:
        source: The term.
        targets: Its translations; several are alternatives, and a term that is kept has none.
        policy: must, prefer, avoid or keep.
        case: match-source or as-typed.
        forms: inflected, exact or default: whether inflected forms of the targets are targets too.
        compounds: allowed, whole-word or default: whether a target may be a part of a compound.
        note: A remark for people.
        source_language: The language of the term as a code, such as de or de-CH.
        target_language: The language of the targets.
        place: The file and line that the entry was read from.
    """

    source: str
    targets: tuple[str, ...] = ()
    policy: TermPolicy = "must"
    case: CaseRule = "match-source"
    forms: FormRule = "default"
    compounds: CompoundRule = "default"
    note: str = ""
    source_language: str | None = None
    target_language: str | None = None
    place: Place | None = None

    def __post_init__(self) -> None:
        if self.policy not in POLICIES:
            raise GlossaryError(f"unknown policy {self.policy!r}; choose from {', '.join(POLICIES)}")
        if self.case not in CASE_RULES:
            raise GlossaryError(f"unknown case rule {self.case!r}; choose from {', '.join(CASE_RULES)}")
        if self.forms not in FORM_RULES:
            raise GlossaryError(f"unknown forms rule {self.forms!r}; choose from {', '.join(FORM_RULES)}")
        if self.compounds not in COMPOUND_RULES:
            raise GlossaryError(
                f"unknown compounds rule {self.compounds!r}; choose from {', '.join(COMPOUND_RULES)}"
            )
        if not isinstance(self.source, str) or not _are_texts(self.targets):
            raise GlossaryError(f"the targets of {self.source!r} are {self.targets!r}; give a tuple of texts")
        check_term(self.source, "the source")
        for target in self.targets:
            check_term(target, "a target")
        _check_characters(self.note, "the note")
        if not self.targets and self.policy != "keep":
            raise GlossaryError("the target is empty; to leave the term untranslated, make its policy keep")
        if self.targets and self.policy == "keep":
            raise GlossaryError("a term that is kept untranslated has no target; leave it empty")


@dataclass(frozen=True)
class Glossary:
    """Entries in their order, which gives none of them precedence."""

    entries: tuple[Entry, ...] = ()

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __add__(self, other: "Glossary") -> "Glossary":
        return Glossary(self.entries + other.entries)

    @property
    def source_language(self) -> str | None:
        """The language that all entries with a language share, without its region."""
        return _shared_language(entry.source_language for entry in self.entries)

    @property
    def target_language(self) -> str | None:
        return _shared_language(entry.target_language for entry in self.entries)

    def for_languages(self, source: str | None, target: str | None) -> "Glossary":
        """The entries from one language to another; an entry without languages fits all."""
        return Glossary(
            tuple(
                entry
                for entry in self.entries
                if same_language(entry.source_language, source)
                and same_language(entry.target_language, target)
            )
        )

    def with_languages(self, source: str | None, target: str | None) -> "Glossary":
        """The same entries, with these languages where they have none."""
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
    """Parse an entry such as "source=target" or "source=target|another target"."""
    entry, *others = parse_terms(written)
    if others:
        raise GlossaryError(f'--term "{written}": several sources; parse_terms reads them')
    return entry


def parse_terms(written: str) -> tuple[Entry, ...]:
    """Parse an entry for each source, as in "source|another source=target"."""
    source, equals, targets = written.partition("=")
    try:
        if not equals:
            raise GlossaryError("the = is missing")
        if not targets.strip():
            raise GlossaryError("the target is empty")
        return tuple(
            Entry(source=one, targets=split_alternatives(targets), place=Place(f'--term "{written}"'))
            for one in split_alternatives(source) or ("",)
        )
    except GlossaryError as error:
        raise GlossaryError(f'--term "{written}": {error}; write it as "source=target"') from None


def check_term(text: str, name: str) -> None:
    if not text.strip():
        raise GlossaryError(f"{name} is empty")
    if text != text.strip():
        raise GlossaryError(f"{name} {text!r} begins or ends with white space")
    _check_characters(text, name)


def _are_texts(targets: object) -> bool:
    """A text alone would be taken for a tuple of its letters."""
    return isinstance(targets, tuple | list) and all(isinstance(target, str) for target in targets)


def _check_characters(text: str, name: str) -> None:
    """Refuse characters that no line of text and no XML can hold."""
    if any(ord(character) < 32 or character in "\x7f\ufffe\uffff" for character in text):
        raise GlossaryError(f"{name} {text!r} contains a control character")
    check_unicode(text)


def split_alternatives(written: str) -> tuple[str, ...]:
    r"""Split terms at bars: `dog|dogs`; a bar in a term is escaped as `\|`, a backslash as `\\`."""
    if not written.strip():
        return ()
    parts: list[list[str]] = [[]]
    position = 0
    for mark in _SEPARATOR_OR_ESCAPE.finditer(written):
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
    """Whether two languages are the same, or one is not known; regions are ignored: de-CH is de."""
    return one is None or other is None or primary(one) == primary(other)


def _shared_language(languages: Iterable[str | None]) -> str | None:
    found = {primary(language) for language in languages if language}
    return found.pop() if len(found) == 1 else None
