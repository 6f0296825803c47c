"""What the readers of all formats share: languages to choose, problems to tell of, entries that may fail."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import CaseRule, Entry, Place, TermPolicy
from lexalign.text.languages import primary


@dataclass(frozen=True)
class Problem:
    """Why a line of a file could not become an entry.

    That a file of several languages has a term in only one of two is `usual`, and no reason to refuse it.
    """

    line: int
    message: str
    usual: bool = False


Parsed = Entry | Problem


@dataclass(frozen=True)
class Languages:
    """What is wanted of a file that may hold several languages."""

    source: str | None = None
    target: str | None = None

    def choose(self, held: Sequence[str], name: str) -> tuple[str, str]:
        """Two of the languages that a file holds, in the order in which it names them."""
        source = _find(held, self.source, name) if self.source else None
        target = _find(held, self.target, name) if self.target else None
        if source is None:
            source = next((one for one in held if one != target), None)
        others = [one for one in held if one != source]
        if target is None and len(others) > 1:
            raise LexalignError(f"{name} holds {', '.join(held)}; say from which to which language")
        target = target or (others[0] if others else None)
        if source is None or target is None:
            raise LexalignError(f"{name} holds {', '.join(held) or 'no language'}; two are needed")
        return source, target


@dataclass(frozen=True, kw_only=True)
class Draft:
    """The fields of an entry as a file has them; what is empty is as if it were left out."""

    source: str
    targets: tuple[str, ...]
    policy: str = ""
    case: str = ""
    note: str = ""
    source_language: str = ""
    target_language: str = ""

    def finish(self, name: str, line: int) -> Parsed:
        policy: TermPolicy = self.policy.strip().lower() or "must"  # type: ignore[assignment]
        case: CaseRule = self.case.strip().lower() or "match-source"  # type: ignore[assignment]
        try:
            return Entry(
                source=self.source.strip(),
                targets=self.targets,
                policy=policy,
                case=case,
                note=" ".join(self.note.split()),
                source_language=self.source_language.strip() or None,
                target_language=self.target_language.strip() or None,
                place=Place(name, line),
            )
        except LexalignError as error:
            return Problem(line, str(error))


def decode(content: bytes, name: str) -> str:
    """UTF-8, or UTF-16 where its mark stands first, as spreadsheets write it."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return content.decode("utf-16")
        except UnicodeDecodeError:
            raise LexalignError(f"{name} begins as UTF-16 but is not; save it as UTF-8") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = error.start - content.rfind(b"\n", 0, error.start)
        raise LexalignError(
            f"{name}, line {line}: byte {byte} is not valid UTF-8; save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise LexalignError(f"{name}, line {line}: a NUL character; is this text?")
    return text


def distinct(languages: Iterable[str]) -> list[str]:
    """Languages in the order of their first appearance; en-GB and en-US are one."""
    found: dict[str, str] = {}
    for language in languages:
        found.setdefault(primary(language), language)
    return list(found.values())


def _find(held: Sequence[str], wanted: str, name: str) -> str:
    for language in held:
        if primary(language) == primary(wanted):
            return language
    raise LexalignError(f"{name} has no {wanted}; it holds {', '.join(held) or 'no language'}")
