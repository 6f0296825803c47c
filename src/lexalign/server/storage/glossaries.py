"""Stored glossaries. Every change of one is one transaction, and raises its version by one."""

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from lexalign.glossary import Entry, Glossary
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossary_cache import GlossaryCache

LanguagePair = tuple[str | None, str | None]
_INFOS = """
select glossaries.id, name, created, version, source_language, target_language, count(position)
from glossaries left join entries on glossary_id = glossaries.id {condition}
group by glossaries.id, source_language, target_language
order by created, glossaries.id, min(position)
"""


class UnknownGlossaryError(LookupError):
    def __init__(self) -> None:
        super().__init__("there is no such glossary")


class ChangedGlossaryError(Exception):
    """The glossary is not of the version that the client expects."""

    def __init__(self, version: int) -> None:
        super().__init__(f"the glossary has been changed, and is of version {version} now; read it again")


@dataclass(frozen=True, kw_only=True)
class GlossaryInfo:
    """A stored glossary without its entries; `sizes` has their number for each pair of languages."""

    id: str
    name: str
    created: str
    version: int
    sizes: dict[LanguagePair, int] = field(default_factory=dict)


class GlossaryStore:
    """The glossaries in a database, which another process may change too: the cache is checked by version."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache = GlossaryCache()

    def list(self) -> list[GlossaryInfo]:
        with self._database.reading() as cursor:
            return _infos(cursor.execute(_INFOS.format(condition="")))

    def info(self, identifier: str) -> GlossaryInfo:
        with self._database.reading() as cursor:
            return _info(cursor, identifier)

    def get(self, identifier: str) -> Glossary:
        """A glossary; the same object for as long as it is not changed."""
        with self._database.reading() as cursor:
            return self._read(cursor, identifier, _version(cursor, identifier))

    def read(self, identifier: str) -> tuple[GlossaryInfo, Glossary]:
        """A glossary and its description, both of the same version."""
        with self._database.reading() as cursor:
            info = _info(cursor, identifier)
            return info, self._read(cursor, identifier, info.version)

    def add(self, name: str, glossary: Glossary) -> GlossaryInfo:
        identifier, now = str(uuid.uuid4()), datetime.now(UTC).isoformat(timespec="microseconds")
        with self._database.writing() as cursor:
            cursor.execute(
                "insert into glossaries (id, name, created) values (?, ?, ?)", (identifier, name, now)
            )
            _write(cursor, identifier, enumerate(glossary.entries))
            return _info(cursor, identifier)

    def change(
        self,
        identifier: str,
        modify: Callable[[Glossary], Glossary] | None = None,
        *,
        name: str | None = None,
        version: int | None = None,
    ) -> GlossaryInfo:
        """`modify` gets the current entries, which no other can change before its result is written.

        Nothing is changed if it raises, or if the glossary is not of the expected `version`.
        """
        with self._database.writing() as cursor:
            before = self._read(cursor, identifier, _expected_version(cursor, identifier, version))
            after = before if modify is None else modify(before)
            _rewrite(cursor, identifier, before.entries, after.entries)
            cursor.execute(
                "update glossaries set name = coalesce(?, name), version = version + 1 where id = ?",
                (name, identifier),
            )
            info = _info(cursor, identifier)
        self._cache.put(identifier, info.version, after)
        return info

    def replace(
        self,
        identifier: str,
        *,
        name: str | None = None,
        glossary: Glossary | None = None,
        version: int | None = None,
    ) -> GlossaryInfo:
        modify = None if glossary is None else lambda _before: glossary
        return self.change(identifier, modify, name=name, version=version)

    def delete(self, identifier: str, *, version: int | None = None) -> None:
        with self._database.writing() as cursor:
            _expected_version(cursor, identifier, version)
            cursor.execute("delete from glossaries where id = ?", (identifier,))
        self._cache.drop(identifier)

    def _read(self, cursor: sqlite3.Cursor, identifier: str, version: int) -> Glossary:
        cached = self._cache.get(identifier, version)
        if cached is not None:
            return cached
        return self._cache.put(identifier, version, _entries(cursor, identifier))


def _infos(rows: Iterable[tuple[str, str, str, int, str | None, str | None, int]]) -> list[GlossaryInfo]:
    """One description for each glossary, from one row for each of its pairs of languages."""
    found: dict[str, GlossaryInfo] = {}
    for identifier, name, created, version, source, target, size in rows:
        made = GlossaryInfo(id=identifier, name=name, created=created, version=version)
        info = found.setdefault(identifier, made)
        if size:
            info.sizes[source, target] = size
    return list(found.values())


def _info(cursor: sqlite3.Cursor, identifier: str) -> GlossaryInfo:
    found = _infos(cursor.execute(_INFOS.format(condition="where glossaries.id = ?"), (identifier,)))
    if not found:
        raise UnknownGlossaryError
    return found[0]


def _version(cursor: sqlite3.Cursor, identifier: str) -> int:
    found = cursor.execute("select version from glossaries where id = ?", (identifier,)).fetchone()
    if found is None:
        raise UnknownGlossaryError
    return int(found[0])


def _expected_version(cursor: sqlite3.Cursor, identifier: str, expected: int | None) -> int:
    version = _version(cursor, identifier)
    if expected not in (None, version):
        raise ChangedGlossaryError(version)
    return version


def _entries(cursor: sqlite3.Cursor, identifier: str) -> Glossary:
    rows = cursor.execute(
        "select source_language, target_language, source, targets, policy, case_rule, note, form_rule, "
        "compound_rule from entries where glossary_id = ? order by position",
        (identifier,),
    )
    return Glossary(
        tuple(
            Entry(
                source_language=row[0],
                target_language=row[1],
                source=row[2],
                targets=tuple(json.loads(row[3])),
                policy=row[4],
                case=row[5],
                note=row[6],
                forms=row[7],
                compounds=row[8],
            )
            for row in rows
        )
    )


def _rewrite(
    cursor: sqlite3.Cursor, identifier: str, before: tuple[Entry, ...], after: tuple[Entry, ...]
) -> None:
    """Write only what differs: to add an entry costs as little in a long glossary as in a short one."""
    if len(after) < len(before):
        cursor.execute(
            "delete from entries where glossary_id = ? and position >= ?", (identifier, len(after))
        )
    changed = (
        (position, entry)
        for position, entry in enumerate(after)
        if position >= len(before) or before[position] != entry
    )
    _write(cursor, identifier, changed)


def _write(cursor: sqlite3.Cursor, identifier: str, entries: Iterable[tuple[int, Entry]]) -> None:
    cursor.executemany(
        "insert or replace into entries values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                identifier,
                position,
                entry.source_language,
                entry.target_language,
                entry.source,
                json.dumps(entry.targets, ensure_ascii=False),
                entry.policy,
                entry.case,
                entry.note,
                entry.forms,
                entry.compounds,
            )
            for position, entry in entries
        ),
    )
