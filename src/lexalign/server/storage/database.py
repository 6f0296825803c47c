"""One SQLite file, in which a transaction is either whole or not there, whatever ends the process."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from lexalign.contracts.errors import LexalignError

_FORMAT = 1
_TABLES = """
create table glossaries (id text primary key, name text not null, created text not null) strict;
create table entries (
    glossary_id text not null references glossaries on delete cascade,
    position integer not null,
    source_language text,
    target_language text,
    source text not null,
    targets text not null,
    policy text not null,
    case_rule text not null,
    note text not null,
    primary key (glossary_id, position)
) strict;
create table keys (name text primary key, digest blob not null, created text not null) strict;
"""


class Database:
    """Safe to use from several threads, one at a time."""

    def __init__(self, path: Path) -> None:
        self._lock = RLock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self._connection.execute("pragma journal_mode = wal")
            self._connection.execute("pragma synchronous = full")
            self._connection.execute("pragma foreign_keys = on")
            self._connection.execute("pragma busy_timeout = 5000")
            self._prepare(path)
        except (OSError, sqlite3.Error) as error:
            raise LexalignError(f"{path}: cannot be used as the server's database ({error})") from None

    def _prepare(self, path: Path) -> None:
        with self.transaction() as cursor:
            (number,) = cursor.execute("pragma user_version").fetchone()
            if number == 0:
                for statement in _TABLES.split(";"):
                    cursor.execute(statement)
                cursor.execute(f"pragma user_version = {_FORMAT}")
            elif number != _FORMAT:
                raise LexalignError(
                    f"{path}: database format {number}; this version of lexalign reads format {_FORMAT}"
                )

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Cursor]:
        with self._lock:
            cursor = self._connection.cursor()
            cursor.execute("begin immediate")
            try:
                yield cursor
            except BaseException:
                cursor.execute("rollback")
                raise
            cursor.execute("commit")

    def close(self) -> None:
        with self._lock:
            self._connection.close()
