"""The server's SQLite file, in which a transaction is either whole or not there, whatever ends the process.

The file has a write-ahead log: a reader sees the last whole transaction and never waits; a writer waits until
no other writes, in this process or another.
"""

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from lexalign.contracts.errors import LexalignError

_SCHEMA_VERSION = 3
_TABLES = """
create table glossaries (
    id text primary key, name text not null, created text not null, version integer not null default 1
) strict;
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
    form_rule text not null default 'default',
    compound_rule text not null default 'default',
    primary key (glossary_id, position)
) strict;
create table keys (name text primary key, digest blob not null, created text not null) strict;
"""
# From each version of the schema to the next one.
_MIGRATIONS = {
    0: _TABLES,
    1: "alter table glossaries add column version integer not null default 1",
    2: "alter table entries add column form_rule text not null default 'default';"
    "alter table entries add column compound_rule text not null default 'default'",
}
_LOCK_SECONDS = 5.0
# SQLite itself retries after up to 100 ms, and would hardly ever find a busy file free.
_SECONDS_PER_RETRY = 0.01


class StorageBusyError(Exception):
    """Another process holds the lock of the database for too long."""

    def __init__(self) -> None:
        super().__init__("the server's database is locked by another process; try again later")


class Database:
    """A database for several threads: each read has its own connection, writes share one."""

    def __init__(self, path: Path, *, lock_seconds: float = _LOCK_SECONDS) -> None:
        self._path, self._lock_seconds = path, lock_seconds
        self._write_lock, self._idle_lock = Lock(), Lock()
        self._idle: list[sqlite3.Connection] = []  # connections for reading
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._connect()
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise LexalignError(f"{path}: cannot be used as the server's database ({error})") from None
        except StorageBusyError as error:
            raise LexalignError(f"{path}: {error}") from None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Cursor]:
        """A transaction for reading: everything in it is read from one state of the file."""
        connection = self._take()
        try:
            with _raising_storage_busy(), _transaction(connection, "begin") as cursor:
                yield cursor
        finally:
            with self._idle_lock:
                self._idle.append(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Cursor]:
        """A transaction for writing: no other writes between its first statement and its last."""
        deadline = time.monotonic() + self._lock_seconds
        if not self._write_lock.acquire(timeout=self._lock_seconds):
            raise StorageBusyError
        try:
            with _raising_storage_busy():
                self._begin_writing(deadline)
                with _transaction(self._writer, None) as cursor:
                    yield cursor
        finally:
            self._write_lock.release()

    def close(self) -> None:
        with self._write_lock, self._idle_lock:
            for connection in (self._writer, *self._idle):
                connection.close()
            self._idle.clear()

    def _begin_writing(self, deadline: float) -> None:
        while True:
            try:
                self._writer.execute("begin immediate")
                return
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() > deadline:
                    raise
            time.sleep(random.uniform(0.1, 1.0) * _SECONDS_PER_RETRY)

    def _take(self) -> sqlite3.Connection:
        with self._idle_lock:
            if self._idle:
                return self._idle.pop()
        return self._connect(busy_seconds=self._lock_seconds)

    def _connect(self, busy_seconds: float = 0.0) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, check_same_thread=False, isolation_level=None)
        connection.execute(f"pragma busy_timeout = {round(1000 * self._lock_seconds)}")
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")
        connection.execute("pragma foreign_keys = on")
        connection.execute(f"pragma busy_timeout = {round(1000 * busy_seconds)}")
        return connection

    def _prepare(self) -> None:
        """Bring the file to the current schema; one that has it is not locked, as others may be writing."""
        if self._schema_version() == _SCHEMA_VERSION:
            return
        with self.writing() as cursor:
            while (number := self._schema_version()) != _SCHEMA_VERSION:
                if number not in _MIGRATIONS:
                    raise LexalignError(
                        f"{self._path}: database format {number}; this version of lexalign reads formats up "
                        f"to {_SCHEMA_VERSION}"
                    )
                for statement in _MIGRATIONS[number].split(";"):
                    cursor.execute(statement)
                cursor.execute(f"pragma user_version = {_next_version(number)}")

    def _schema_version(self) -> int:
        (number,) = self._writer.execute("pragma user_version").fetchone()
        return int(number)


def _next_version(number: int) -> int:
    """A new file gets the current schema at once."""
    return number + 1 if number else _SCHEMA_VERSION


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str | None) -> Iterator[sqlite3.Cursor]:
    cursor = connection.cursor()
    if begin is not None:
        cursor.execute(begin)
    try:
        yield cursor
        cursor.execute("commit")
    except BaseException:
        if connection.in_transaction:
            cursor.execute("rollback")
        raise


@contextmanager
def _raising_storage_busy() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        if _is_busy(error):
            raise StorageBusyError from None
        raise


def _is_busy(error: sqlite3.OperationalError) -> bool:
    """Extended error codes have the basic one in their last byte."""
    return error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
