"""Glossaries that are kept."""

import json
import sqlite3
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from lexalign.glossary import Entry, Glossary
from lexalign.server.storage.database import Database

_MOST_CACHED = 64
LanguagePair = tuple[str | None, str | None]


class UnknownGlossaryError(LookupError):
    def __init__(self) -> None:
        super().__init__("there is no such glossary")


@dataclass(frozen=True, kw_only=True)
class GlossaryInfo:
    """`sizes` has the number of entries of each pair of languages."""

    id: str
    name: str
    created: str
    sizes: dict[LanguagePair, int]


class GlossaryStore:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached: OrderedDict[str, Glossary] = OrderedDict()

    def list(self) -> list[GlossaryInfo]:
        with self._database.transaction() as cursor:
            found = cursor.execute("select id from glossaries order by created, id").fetchall()
            return [_info(cursor, identifier) for (identifier,) in found]

    def info(self, identifier: str) -> GlossaryInfo:
        with self._database.transaction() as cursor:
            return _info(cursor, identifier)

    def get(self, identifier: str) -> Glossary:
        """The same object for as long as it is not changed."""
        with self._database.transaction() as cursor:
            if identifier not in self._cached:
                _info(cursor, identifier)
                self._cached[identifier] = _read(cursor, identifier)
                while len(self._cached) > _MOST_CACHED:
                    self._cached.popitem(last=False)
            return self._cached[identifier]

    def add(self, name: str, glossary: Glossary) -> GlossaryInfo:
        identifier, now = str(uuid.uuid4()), datetime.now(UTC).isoformat(timespec="microseconds")
        with self._database.transaction() as cursor:
            cursor.execute("insert into glossaries values (?, ?, ?)", (identifier, name, now))
            _write(cursor, identifier, glossary.entries)
            return _info(cursor, identifier)

    def replace(
        self, identifier: str, *, name: str | None = None, glossary: Glossary | None = None
    ) -> GlossaryInfo:
        with self._database.transaction() as cursor:
            _info(cursor, identifier)
            if name is not None:
                cursor.execute("update glossaries set name = ? where id = ?", (name, identifier))
            if glossary is not None:
                cursor.execute("delete from entries where glossary_id = ?", (identifier,))
                _write(cursor, identifier, glossary.entries)
                self._cached.pop(identifier, None)
            return _info(cursor, identifier)

    def delete(self, identifier: str) -> None:
        with self._database.transaction() as cursor:
            _info(cursor, identifier)
            cursor.execute("delete from glossaries where id = ?", (identifier,))
            self._cached.pop(identifier, None)


def _info(cursor: sqlite3.Cursor, identifier: str) -> GlossaryInfo:
    found = cursor.execute("select name, created from glossaries where id = ?", (identifier,)).fetchone()
    if found is None:
        raise UnknownGlossaryError
    sizes = cursor.execute(
        "select source_language, target_language, count(*) from entries where glossary_id = ? "
        "group by source_language, target_language order by min(position)",
        (identifier,),
    ).fetchall()
    return GlossaryInfo(
        id=identifier,
        name=found[0],
        created=found[1],
        sizes={(source, target): number for source, target, number in sizes},
    )


def _read(cursor: sqlite3.Cursor, identifier: str) -> Glossary:
    rows = cursor.execute(
        "select source_language, target_language, source, targets, policy, case_rule, note from entries "
        "where glossary_id = ? order by position",
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
            )
            for row in rows
        )
    )


def _write(cursor: sqlite3.Cursor, identifier: str, entries: Sequence[Entry]) -> None:
    cursor.executemany(
        "insert into entries values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            )
            for position, entry in enumerate(entries)
        ),
    )
