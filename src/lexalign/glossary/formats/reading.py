"""What the readers of all formats share: languages to choose, problems to tell of, entries that may fail."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Place, join_alternatives, same_language
from lexalign.glossary.formats.language_names import language_code
from lexalign.text.languages import primary

# As term banks and spreadsheets name the policies.
_OTHER_NAMES = {
    "required": "must",
    "preferred": "prefer",
    "forbidden": "avoid",
    "deprecated": "avoid",
    "dnt": "keep",
    "do-not-translate": "keep",
    "do not translate": "keep",
}
ProblemKind = Literal["error", "incomplete", "one-way"]


@dataclass(frozen=True)
class Problem:
    """Why a line of a file could not become an entry.

    That a file of several languages has a term in only one of two (`incomplete`), or that an entry is for
    the other direction only (`one-way`), is no reason to refuse it.
    """

    line: int
    message: str
    kind: ProblemKind = "error"


Parsed = Entry | Problem


@dataclass(frozen=True)
class Languages:
    """What is wanted of a file that may hold several languages."""

    source: str | None = None
    target: str | None = None

    @classmethod
    def asked(cls, source: str | None, target: str | None) -> "Languages":
        """Languages by any of their names."""
        return cls(source and (language_code(source) or source), target and (language_code(target) or target))

    def choose(self, held: Sequence[str], name: str) -> tuple[str, str]:
        """Two of the languages that a file holds, in the order in which it names them."""
        source = self._find(held, self.source, name) if self.source else None
        target = self._find(held, self.target, name) if self.target else None
        if source is None:
            source = next((one for one in held if one != target), None)
        others = [one for one in held if one != source]
        if target is None and len(others) > 1:
            raise LexalignError(f"{name} holds {', '.join(held)}; say from which to which language")
        target = target or (others[0] if others else None)
        if source is None or target is None:
            raise LexalignError(f"{name} holds {', '.join(held) or 'no language'}; two are needed")
        return source, target

    def turned(self, source: str | None, target: str | None) -> bool:
        """Whether a row from one language to another fits only if it is read backwards."""
        forwards = same_language(source, self.source) and same_language(target, self.target)
        return not forwards and same_language(target, self.source) and same_language(source, self.target)

    def _find(self, held: Sequence[str], wanted: str, name: str) -> str:
        for same in (lambda one: one.lower() == wanted.lower(), lambda one: primary(one) == primary(wanted)):
            if found := next(filter(same, held), None):
                return found
        asked = " ".join(
            f"{word} {code}" for word, code in (("from", self.source), ("to", self.target)) if code
        )
        raise LexalignError(f"{name} holds {' and '.join(held) or 'no language'}; it cannot be read {asked}")


@dataclass(frozen=True, kw_only=True)
class RawEntry:
    """The fields of an entry as a file has them; what is empty is as if it were left out.

    Each of the sources becomes an entry with all targets. Read `backwards`, what is to be avoided is a
    source, of which nothing follows; a word that is kept is kept whichever side it stands on.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    policy: str = ""
    case: str = ""
    note: str = ""
    source_language: str = ""
    target_language: str = ""
    backwards: bool = False

    @property
    def is_kept(self) -> bool:
        return self._policy == "keep"

    @property
    def _policy(self) -> str:
        written = self.policy.strip().lower() or "must"
        return _OTHER_NAMES.get(written, written)

    def to_entries(self, name: str, line: int) -> Iterator[Parsed]:
        policy = self._policy
        if policy == "avoid" and self.backwards:
            avoided = join_alternatives(self.sources)
            message = f'"{avoided}" is avoided as a target; as a source it is passed over'
            yield Problem(line, message, "one-way")
            return
        sources, targets = self.sources or ("",), self.targets
        if policy == "keep" and (not self.sources or set(sources) == set(targets)):
            sources, targets = self.sources or self.targets or ("",), ()
        try:
            yield from [self._entry(source, targets, policy, Place(name, line)) for source in sources]
        except LexalignError as error:
            yield Problem(line, str(error))

    def _entry(self, source: str, targets: tuple[str, ...], policy: str, place: Place) -> Entry:
        return Entry(
            source=source.strip(),
            targets=targets,
            policy=policy,  # type: ignore[arg-type]  # an entry refuses what it does not know
            case=self.case.strip().lower() or "match-source",  # type: ignore[arg-type]
            note=" ".join(self.note.split()),
            source_language=self.source_language.strip() or None,
            target_language=self.target_language.strip() or None,
            place=place,
        )


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
