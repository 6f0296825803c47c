"""Glossaries in Python: from a dictionary, from files, and from whatever `glossary=` is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lexalign.api.wording import in_python
from lexalign.contracts.errors import GlossaryError
from lexalign.glossary import Entry, GlossaryFormat, parse_glossary, write_glossary
from lexalign.glossary import Glossary as Entries
from lexalign.glossary.formats.files import format_of
from lexalign.text.subwords import Languages

Targets = str | Sequence[str] | None  # one translation, several to choose from, or None: leave untranslated
GlossaryLike = Entries | Mapping[str, Targets] | str | Path


@dataclass(frozen=True)
class Glossary(Entries):
    """Terms and their translations.

    Examples:
        >>> glossary = Glossary.from_dict({"Haus": "building", "Hof": ["yard", "court"], "Lexalign": None})
        >>> len(glossary)
        3
        >>> [entry.targets for entry in glossary]
        [('building',), ('yard', 'court'), ()]

    Files are read by `from_csv`, `from_tsv`, `from_tbx`, `from_tmx`, or by `read`, which goes by the name.
    One file serves both directions; `source` and `target` choose two of its languages, by default the first
    two. `+` joins glossaries. For terms to avoid or to prefer, and for rules of case and inflection, make a
    `Glossary` of `Entry` values.

    Attributes:
        entries: The terms.
    """

    def __post_init__(self) -> None:
        if isinstance(self.entries, Mapping):
            raise GlossaryError(
                "a Glossary is made of Entry values; from a dictionary: Glossary.from_dict(...)"
            )
        entries = tuple(self.entries)
        if strange := [one for one in entries if not isinstance(one, Entry)]:
            raise GlossaryError(f"{strange[0]!r} is not an Entry; from a dictionary: Glossary.from_dict(...)")
        object.__setattr__(self, "entries", entries)

    @classmethod
    def from_dict(cls, terms: Mapping[str, Targets]) -> Self:
        """Make a glossary of a dictionary.

        A value is a translation, several to choose from, or None for a term that stays as it is.
        """
        with in_python(GlossaryError):
            return cls(tuple(_entry(source, targets) for source, targets in terms.items()))

    @classmethod
    def read(cls, path: str | Path, source: str | None = None, target: str | None = None) -> Self:
        """Read a file whose name ends in .csv, .tsv, .tbx or .tmx."""
        with in_python(GlossaryError):
            return cls._parse(path, format_of(Path(path)), source, target)

    @classmethod
    def from_csv(cls, path: str | Path, source: str | None = None, target: str | None = None) -> Self:
        """Read a table with commas, whose first line names the languages, as in `de,en`."""
        return cls._parse(path, "csv", source, target)

    @classmethod
    def from_tsv(cls, path: str | Path, source: str | None = None, target: str | None = None) -> Self:
        """Read a table with tabs, whose first line names the languages."""
        return cls._parse(path, "tsv", source, target)

    @classmethod
    def from_tbx(cls, path: str | Path, source: str | None = None, target: str | None = None) -> Self:
        """Read TBX, of 2008 or of 2019."""
        return cls._parse(path, "tbx", source, target)

    @classmethod
    def from_tmx(cls, path: str | Path, source: str | None = None, target: str | None = None) -> Self:
        """Read TMX 1.4."""
        return cls._parse(path, "tmx", source, target)

    def save(self, path: str | Path) -> None:
        """Write a file, in the format of its suffix: .csv, .tsv, .tbx or .tmx."""
        with in_python(GlossaryError):
            write_glossary(self, path)

    def __add__(self, other: Entries) -> "Glossary":
        return Glossary(self.entries + other.entries)

    @classmethod
    def _parse(
        cls, path: str | Path, file_format: GlossaryFormat, source: str | None, target: str | None
    ) -> Self:
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise GlossaryError(f"cannot read {path}: {error.strerror or error}") from None
        with in_python(GlossaryError):
            found = parse_glossary(
                content, file_format, name=str(path), source_language=source, target_language=target
            )
        return cls(found.entries)

    def __repr__(self) -> str:
        shown = ", ".join(f"{entry.source!r}" for entry in self.entries[:3])
        more = f", … {len(self)} terms" if len(self) > 3 else ""
        return f"Glossary({shown}{more})"


def as_glossary(given: GlossaryLike | None, languages: Languages | None) -> Entries | None:
    """What `glossary=` may be; a file is read for the languages of the model."""
    if given is None or isinstance(given, Entries):
        return given
    if isinstance(given, Mapping):
        return Glossary.from_dict(given)
    if isinstance(given, str | Path):
        return Glossary.read(given, *(languages or (None, None)))
    raise GlossaryError(
        f"glossary is of type {type(given).__name__}; give a dictionary, a Glossary, or the name of a file"
    )


def _entry(source: str, targets: Targets) -> Entry:
    if targets is None and isinstance(source, str):
        return Entry(source=source, policy="keep")
    listed = list(targets) if isinstance(targets, list | tuple) else [targets]
    if not all(isinstance(one, str) for one in (source, *listed)):
        raise GlossaryError(
            f"the term {source!r}: {targets!r}; both must be texts (or several targets, or None)"
        )
    return Entry(source=source, targets=tuple(map(str, listed)))
