"""What the readers of all formats share: the requested languages, problems, raw entries."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry, Place, join_alternatives, same_language
from lexalign.glossary.formats.language_names import language_code
from lexalign.text.languages import primary

# Names of the policies in term banks and spreadsheets.
_POLICY_SYNONYMS = {
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
    """The reason why a line of a file gives no entry.

    A term in only one of the two languages (`incomplete`), or an entry for the other direction only
    (`one-way`), does not make the file invalid.
    """

    line: int
    message: str
    kind: ProblemKind = "error"


Parsed = Entry | Problem


@dataclass(frozen=True)
class Languages:
    """The requested languages of a file that may have several."""

    source: str | None = None
    target: str | None = None

    @classmethod
    def requested(cls, source: str | None, target: str | None) -> "Languages":
        """Languages by their codes or names."""
        return cls(source and (language_code(source) or source), target and (language_code(target) or target))

    def choose(self, available: Sequence[str], name: str) -> tuple[str, str]:
        """Two of the languages of a file, which are given in its order."""
        source = self._find(available, self.source, name) if self.source else None
        target = self._find(available, self.target, name) if self.target else None
        if source is None:
            source = next((one for one in available if one != target), None)
        others = [one for one in available if one != source]
        if target is None and len(others) > 1:
            raise LexalignError(
                f"{name} holds {', '.join(available)}; choose the source and the target language"
            )
        target = target or (others[0] if others else None)
        if source is None or target is None:
            raise LexalignError(f"{name} holds {', '.join(available) or 'no language'}; two are needed")
        return source, target

    def is_reversed(self, source: str | None, target: str | None) -> bool:
        """Whether a row from one language to another fits only backwards."""
        forwards = same_language(source, self.source) and same_language(target, self.target)
        return not forwards and same_language(target, self.source) and same_language(source, self.target)

    def _find(self, available: Sequence[str], language: str, name: str) -> str:
        for same in (
            lambda one: one.lower() == language.lower(),
            lambda one: primary(one) == primary(language),
        ):
            if found := next(filter(same, available), None):
                return found
        direction = " ".join(
            f"{word} {code}" for word, code in (("from", self.source), ("to", self.target)) if code
        )
        raise LexalignError(
            f"{name} holds {' and '.join(available) or 'no language'}; it cannot be read {direction}"
        )


@dataclass(frozen=True, kw_only=True)
class RawEntry:
    """The fields of an entry as text from a file; empty ones have their defaults.

    Each of the sources becomes an entry with all targets. Read `backwards`, a term to be avoided is a source,
    so it is ignored; a term to be kept is kept on whichever side it is.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    policy: str = ""
    case: str = ""
    forms: str = ""
    compounds: str = ""
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
        return _POLICY_SYNONYMS.get(written, written)

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
            policy=policy,  # type: ignore[arg-type]  # an entry refuses an unknown one
            case=self.case.strip().lower() or "match-source",  # type: ignore[arg-type]
            forms=self.forms.strip().lower() or "default",  # type: ignore[arg-type]
            compounds=self.compounds.strip().lower() or "default",  # type: ignore[arg-type]
            note=" ".join(self.note.split()),
            source_language=self.source_language.strip() or None,
            target_language=self.target_language.strip() or None,
            place=place,
        )


def decode(content: bytes, name: str) -> str:
    """Decode UTF-8, or UTF-16 with a byte order mark, as spreadsheets write it."""
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
    """The different languages in the order of their first appearance; en-GB and en-US are the same."""
    found: dict[str, str] = {}
    for language in languages:
        found.setdefault(primary(language), language)
    return list(found.values())
