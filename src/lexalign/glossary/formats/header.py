"""The header of a table of terms: what each column is, and in which direction the table is read.

    source,target,policy      columns by their role, in any order
    German;English;note       or by their language, see `language_names.py`
    de,en,fr                  of several languages, the two that are requested
    Haus,house                no header: source, target

From English to German the second is read backwards: the column English is the source.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import split_alternatives
from lexalign.glossary.formats.language_names import language_code, looks_like_code
from lexalign.glossary.formats.reading import Languages, RawEntry

EXTRA = ("policy", "case", "forms", "compounds", "note", "source_language", "target_language")
_SOURCE = ("source", "source term", "source_term", "term")
_TARGET = ("target", "target term", "target_term", "translation")


@dataclass(frozen=True, kw_only=True)
class Header:
    """The indices of columns."""

    source: int = 0
    target: int = 1
    extra: dict[str, int] = field(default_factory=dict)
    languages: tuple[str, str] = ("", "")
    columns: tuple[int, ...] = (0, 1)  # the columns of terms
    width: int = 2
    present: bool = False

    @property
    def sparse(self) -> bool:
        """Whether the table has more than two languages, so that gaps are expected."""
        return len(self.columns) > 2

    def raw_entry(self, row: Sequence[str], requested: Languages) -> RawEntry:
        extra = {name: row[index] for name, index in self.extra.items()}
        languages = dict(zip(("source_language", "target_language"), self.languages, strict=True))
        fields = {**languages, **extra}
        source, target, backwards = self.source, self.target, self.source > self.target
        if not any(self.languages):
            backwards = requested.is_reversed(
                fields["source_language"].strip() or None, fields["target_language"].strip() or None
            )
            if backwards:
                source, target = target, source
                fields["source_language"], fields["target_language"] = (
                    fields["target_language"],
                    fields["source_language"],
                )
        return RawEntry(
            sources=split_alternatives(row[source]),
            targets=split_alternatives(row[target]),
            backwards=backwards,
            **fields,
        )

    def kept(self, row: Sequence[str]) -> tuple[str, ...]:
        """The term of a row with the policy keep, from any column."""
        return split_alternatives(next((row[index] for index in self.columns if row[index].strip()), ""))


def read_header(row: Sequence[str], languages: Languages, name: str) -> Header:
    names = [" ".join(cell.split()).lower() for cell in row]
    extra = {cell: index for index, cell in enumerate(names) if cell in EXTRA}
    if len(extra) != sum(cell in EXTRA for cell in names):
        raise LexalignError(f"{name}, line 1: a column is named twice")
    source = [index for index, cell in enumerate(names) if cell in _SOURCE]
    target = [index for index, cell in enumerate(names) if cell in _TARGET]
    if source and target:
        _refuse_others(names, {source[0], target[0], *extra.values()}, name)
        columns = (source[0], target[0])
        return Header(
            source=columns[0],
            target=columns[1],
            extra=extra,
            columns=columns,
            width=len(row),
            present=True,
        )
    if coded := _languages(row):
        _refuse_others(names, {*coded.values(), *extra.values()}, name)
        chosen = languages.choose(list(coded), name)
        return Header(
            source=coded[chosen[0]],
            target=coded[chosen[1]],
            extra=extra,
            languages=chosen,
            columns=tuple(coded.values()),
            width=len(row),
            present=True,
        )
    if len(row) != 2:
        raise LexalignError(
            f"{name}, line 1: {count_columns(row)} and no header; name them, as in source, target, policy"
        )
    return Header()


def is_header(row: Sequence[str]) -> bool:
    """Whether a row names columns; it is used to find the delimiter."""
    names = [" ".join(cell.split()).lower() for cell in row]
    roles = any(cell in _SOURCE for cell in names) and any(cell in _TARGET for cell in names)
    return roles or bool(_languages(row))


def count_columns(row: Sequence[str]) -> str:
    return "1 column" if len(row) == 1 else f"{len(row)} columns"


def _languages(row: Sequence[str]) -> dict[str, int]:
    """The columns of languages, if there are two; an unknown code counts only beside a known one.

    Words of three letters are not enough: "dog" and "cat" are more often animals than languages.
    """
    coded: dict[str, int] = {}
    known, sure = set(), False
    for index, cell in enumerate(cell.strip() for cell in row):
        if code := language_code(cell):
            known.add(code)
            sure = sure or len(cell) != 3
        elif looks_like_code(cell) and cell.lower() not in EXTRA:
            code = cell
        if code:
            coded.setdefault(code, index)
    return coded if len(known) > 1 or (sure and len(coded) > 1) else {}


def _refuse_others(names: Sequence[str], known: set[int], name: str) -> None:
    for index, cell in enumerate(names):
        if index not in known:
            if any(language_code(cell) == language_code(names[other]) is not None for other in known):
                raise LexalignError(f"{name}, line 1: a column is named twice")
            listed = ", ".join(("source", "target", *EXTRA))
            raise LexalignError(
                f"{name}, line 1: unknown column {cell!r}; known are {listed}, and the names of languages"
            )
