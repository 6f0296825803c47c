"""Stored glossaries. Every change of one is one transaction, and raises its version by one."""

import json
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from lexalign.glossary import Entry, Glossary
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossary_cache import GlossaryCache
from lexalign.server.storage.names import check_name, is_identifier
from lexalign.server.storage.schema import entries, glossaries, json_rows

LanguagePair = tuple[str | None, str | None]
_INFOS = (
    sql.select(
        *glossaries.c,
        entries.c.source_language,
        entries.c.target_language,
        sql.func.count(entries.c.position),
    )
    .outerjoin_from(glossaries, entries)
    .group_by(glossaries.c.id, entries.c.source_language, entries.c.target_language)
    .order_by(glossaries.c.created, glossaries.c.id, sql.func.min(entries.c.position))
)
_WRITTEN = [column.name for column in entries.c if column.name not in ("glossary_id", "position")]
_WRITE_ENTRIES = (
    f"insert into entries (glossary_id, position, {', '.join(_WRITTEN)}) "
    + "select :id, cast(value ->> 0 as integer), "
    + ", ".join(f"value ->> {index}" for index in range(1, len(_WRITTEN) + 1))
    + " from {rows} where true on conflict (glossary_id, position) do update set "
    + ", ".join(f"{name} = excluded.{name}" for name in _WRITTEN)
)


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
        with self._database.reading() as connection:
            return _infos(connection.execute(_INFOS))

    def info(self, identifier: str) -> GlossaryInfo:
        with self._database.reading() as connection:
            return _info(connection, identifier)

    def get(self, identifier: str) -> Glossary:
        """A glossary; the same object for as long as it is not changed."""
        with self._database.reading() as connection, self._forgetting(identifier):
            return self._read(connection, identifier, _version(connection, identifier))

    def read(self, identifier: str) -> tuple[GlossaryInfo, Glossary]:
        """A glossary and its description, both of the same version."""
        with self._database.reading() as connection, self._forgetting(identifier):
            info = _info(connection, identifier)
            return info, self._read(connection, identifier, info.version)

    def add(self, name: str, glossary: Glossary) -> GlossaryInfo:
        identifier, now = str(uuid.uuid4()), datetime.now(UTC).isoformat(timespec="microseconds")
        with self._database.writing() as connection:
            row = {"id": identifier, "name": check_name(name), "created": now}
            connection.execute(sql.insert(glossaries), row)
            _write(connection, identifier, enumerate(glossary.entries))
            return _info(connection, identifier)

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
        with self._database.writing() as connection, self._forgetting(identifier):
            before = self._read(connection, identifier, _locked_version(connection, identifier, version))
            after = before if modify is None else modify(before)
            _rewrite(connection, identifier, before.entries, after.entries)
            values = {} if name is None else {"name": check_name(name)}
            connection.execute(
                sql.update(glossaries)
                .where(glossaries.c.id == identifier)
                .values(version=glossaries.c.version + 1, **values)
            )
            info = _info(connection, identifier)
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
        with self._database.writing() as connection, self._forgetting(identifier):
            _locked_version(connection, identifier, version)
            connection.execute(sql.delete(glossaries).where(glossaries.c.id == identifier))
        self._cache.drop(identifier)

    @contextmanager
    def _forgetting(self, identifier: str) -> Iterator[None]:
        """A glossary that another server has deleted is not kept in memory either."""
        try:
            yield
        except UnknownGlossaryError:
            self._cache.drop(identifier)
            raise

    def _read(self, connection: sql.Connection, identifier: str, version: int) -> Glossary:
        cached = self._cache.get(identifier, version)
        if cached is not None:
            return cached
        return self._cache.put(identifier, version, _entries(connection, identifier))


def _infos(rows: Iterable[sql.Row[*tuple[Any, ...]]]) -> list[GlossaryInfo]:
    """One description for each glossary, from one row for each of its pairs of languages."""
    found: dict[str, GlossaryInfo] = {}
    for identifier, name, created, version, source, target, size in rows:
        made = GlossaryInfo(id=identifier, name=name, created=created, version=version)
        info = found.setdefault(identifier, made)
        if size:
            info.sizes[source, target] = size
    return list(found.values())


def _info(connection: sql.Connection, identifier: str) -> GlossaryInfo:
    if not is_identifier(identifier):
        raise UnknownGlossaryError
    found = _infos(connection.execute(_INFOS.where(glossaries.c.id == identifier)))
    if not found:
        raise UnknownGlossaryError
    return found[0]


def _version(connection: sql.Connection, identifier: str, *, locked: bool = False) -> int:
    if not is_identifier(identifier):
        raise UnknownGlossaryError
    select = sql.select(glossaries.c.version).where(glossaries.c.id == identifier)
    found = connection.execute(select.with_for_update() if locked else select).scalar_one_or_none()
    if found is None:
        raise UnknownGlossaryError
    return int(found)


def _locked_version(connection: sql.Connection, identifier: str, expected: int | None) -> int:
    """The version of a glossary that no other can change before the end of the transaction."""
    version = _version(connection, identifier, locked=True)
    if expected not in (None, version):
        raise ChangedGlossaryError(version)
    return version


def _entries(connection: sql.Connection, identifier: str) -> Glossary:
    rows = connection.execute(
        sql.select(*(entries.c[name] for name in _WRITTEN))
        .where(entries.c.glossary_id == identifier)
        .order_by(entries.c.position)
    )
    return Glossary(
        tuple(
            Entry(
                source_language=row.source_language,
                target_language=row.target_language,
                source=row.source,
                targets=tuple(json.loads(row.targets)),
                policy=row.policy,
                case=row.case_rule,
                note=row.note,
                forms=row.form_rule,
                compounds=row.compound_rule,
            )
            for row in rows
        )
    )


def _rewrite(
    connection: sql.Connection, identifier: str, before: tuple[Entry, ...], after: tuple[Entry, ...]
) -> None:
    """Write only what differs: to add an entry costs as little in a long glossary as in a short one."""
    if len(after) < len(before):
        connection.execute(
            sql.delete(entries).where(entries.c.glossary_id == identifier, entries.c.position >= len(after))
        )
    changed = (
        (position, entry)
        for position, entry in enumerate(after)
        if position >= len(before) or before[position] != entry
    )
    _write(connection, identifier, changed)


def _write(connection: sql.Connection, identifier: str, changed: Iterable[tuple[int, Entry]]) -> None:
    """All rows in one statement and one parameter: drivers send the rows of an insertion one by one."""
    rows = [
        (
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
        for position, entry in changed
    ]
    if rows:
        statement = _WRITE_ENTRIES.format(rows=json_rows(connection, ":rows"))
        values = {"id": identifier, "rows": json.dumps(rows, ensure_ascii=False)}
        connection.execute(sql.text(statement), values)
