"""The server's database, in which a transaction is either whole or not there, whatever ends the process.

It is an SQLite file, which servers on one machine may share, or PostgreSQL by its URL, which servers on many
machines may share. What one server has written is what all others read from then on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import sqlalchemy as sql

from lexalign.contracts.errors import LexalignError
from lexalign.server.storage.engines import WRITING, is_busy, is_url, make_engine, shown, sql_state
from lexalign.server.storage.errors import (
    StorageBusyError,
    StorageError,
    StorageFullError,
    StorageUnavailableError,
)
from lexalign.server.storage.schema import SCHEMA_VERSION, migrate, read_version

_LOCK_SECONDS = 10.0
_PG_FULL, _PG_LOCKED = ("53100",), ("55P03", "57014", "40001", "40P01")
# Two servers that are started at once must not both create the tables.
_MIGRATION_LOCK = 5_392_481_107


class Database:
    """A database for several threads: each transaction has a connection of its own."""

    def __init__(self, location: str | Path, *, lock_seconds: float = _LOCK_SECONDS) -> None:
        self.location, self._lock_seconds = location, lock_seconds
        # Threads that write to a file wait for each other here, where the first come is the first served.
        self._write_lock = None if is_url(location) else Lock()
        try:
            self._engine = make_engine(location, lock_seconds)
            self._writers = self._engine.execution_options(**{WRITING: True})
            self._readers = self._engine if self._write_lock else self._snapshots()
            self._prepare()
        except (OSError, sql.exc.SQLAlchemyError) as error:
            reason = str(getattr(error, "orig", error)).partition("\n")[0]
            raise LexalignError(
                f"{shown(location)}: cannot be used as the server's database ({reason})"
            ) from None
        except StorageError as error:
            raise LexalignError(f"{shown(location)}: {error}") from None

    @property
    def shown(self) -> str:
        """Where it is, without a password."""
        return shown(self.location)

    @contextmanager
    def reading(self) -> Iterator[sql.Connection]:
        """A transaction for reading: everything in it is read from one state of the database."""
        with _storage_errors(), self._readers.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sql.Connection]:
        """A transaction for writing; in PostgreSQL others may write too, but not to rows that it locks."""
        with _storage_errors(), self._turn(), self._writers.begin() as connection:
            yield connection

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._write_lock is None:
            yield
            return
        if not self._write_lock.acquire(timeout=self._lock_seconds):
            raise StorageBusyError
        try:
            yield
        finally:
            self._write_lock.release()

    def _snapshots(self) -> sql.Engine:
        return self._engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    def _prepare(self) -> None:
        """Bring the tables to the current schema; those that have it are not locked, as others may write."""
        with self._engine.connect() as connection:
            if read_version(connection) == SCHEMA_VERSION:
                return
        with self.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
            version = read_version(connection)
            if version > SCHEMA_VERSION:
                raise LexalignError(
                    f"{shown(self.location)}: database format {version}; this version of lexalign reads "
                    f"formats up to {SCHEMA_VERSION}"
                )
            migrate(connection, version)


@contextmanager
def _storage_errors() -> Iterator[None]:
    """Errors of the database in its own words, so that no caller knows which database it is."""
    try:
        yield
    except sql.exc.TimeoutError:  # every connection is in use
        raise StorageBusyError from None
    except sql.exc.DBAPIError as error:
        known = _known_error(error)
        if known is None:
            raise
        raise known from error


def _known_error(error: sql.exc.DBAPIError) -> StorageError | None:
    state, message = sql_state(error.orig), str(error.orig)
    if is_busy(error.orig) or state in _PG_LOCKED:
        return StorageBusyError()
    if state in _PG_FULL or "disk is full" in message:
        return StorageFullError()
    unwritable = "disk I/O error" in message or "readonly database" in message or "unable to open" in message
    if error.connection_invalidated or isinstance(error, sql.exc.InterfaceError) or unwritable:
        return StorageUnavailableError()
    if state[:2] in ("08", "53", "57", "58"):  # connections, resources, operators, the system
        return StorageUnavailableError()
    return None
