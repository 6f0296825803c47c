"""SQLAlchemy engines: a file of SQLite, or PostgreSQL by its URL."""

import os
import sqlite3
import ssl
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.dialects import registry
from sqlalchemy.engine import URL, ExceptionContext, make_url

from lexalign.contracts.errors import LexalignError
from lexalign.server.storage.turns import begin_in_turn

WRITING = "lexalign_writing"  # the execution option of connections that write
# What users have written is in parameters, and has no place in a log.
_ENGINE: dict[str, Any] = {"pool_size": 16, "max_overflow": 16, "hide_parameters": True}
# PostgreSQL is shutting down, has crashed, or is starting.
_GOING_AWAY = ("57P01", "57P02", "57P03")
_STATEMENT_SECONDS = 10
_NO_URL = "the database's URL lacks something; write postgresql://USER:PASSWORD@HOST/NAME"


def is_url(location: str | Path) -> bool:
    return isinstance(location, str) and "://" in location


def shown(location: str | Path) -> str:
    """A location for messages: without the password."""
    return str(make_url(str(location))) if is_url(location) else str(location)


def make_engine(location: str | Path, lock_seconds: float) -> sql.Engine:
    if is_url(location):
        return _postgresql(str(location), lock_seconds)
    return _sqlite(Path(location), lock_seconds)


def _sqlite(path: Path, lock_seconds: float) -> sql.Engine:
    """The file has a write-ahead log: a reader sees the last whole transaction and never waits."""
    _create_private(path)
    url = URL.create("sqlite", database=str(path))
    arguments = {"check_same_thread": False, "isolation_level": None}
    engine = sql.create_engine(url, connect_args=arguments, pool_timeout=lock_seconds, **_ENGINE)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(f"pragma busy_timeout = {round(1000 * lock_seconds)}")
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = full")
        connection.execute("pragma foreign_keys = on")

    @event.listens_for(engine, "begin")
    def begin(connection: sql.Connection) -> None:
        if connection.get_execution_options().get(WRITING):
            _begin_writing(connection, path, lock_seconds)
        else:
            connection.exec_driver_sql("begin")

    return engine


def _create_private(path: Path) -> None:
    """Only the server's user may read it; SQLite gives its other files the same mode."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        if file.exists() and file.stat().st_mode & 0o077:
            file.chmod(0o600)


def _begin_writing(connection: sql.Connection, path: Path, lock_seconds: float) -> None:
    def begin() -> bool:
        try:
            connection.exec_driver_sql("begin immediate")
        except sql.exc.OperationalError as error:
            if not is_busy(error.orig):
                raise
            return False
        return True

    _set_busy_timeout(connection, 0)
    try:
        begin_in_turn(path, begin, lock_seconds)
    finally:
        _set_busy_timeout(connection, lock_seconds)


def _set_busy_timeout(connection: sql.Connection, seconds: float) -> None:
    connection.exec_driver_sql(f"pragma busy_timeout = {round(1000 * seconds)}")


def is_busy(error: BaseException | None) -> bool:
    """Extended error codes have the basic one in their last byte."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _postgresql(location: str, lock_seconds: float) -> sql.Engine:
    url, arguments = _read_url(location)
    milliseconds = round(1000 * lock_seconds)
    engine = sql.create_engine(
        url,
        connect_args={
            "timeout": _STATEMENT_SECONDS,  # of the socket: a machine that is gone does not answer
            "application_name": "lexalign",
            "startup_params": {
                "lock_timeout": str(milliseconds),
                "statement_timeout": str(1000 * _STATEMENT_SECONDS),
                "idle_in_transaction_session_timeout": str(1000 * _STATEMENT_SECONDS),
            },
            **arguments,
        },
        pool_pre_ping=True,
        pool_timeout=lock_seconds,
        **_ENGINE,
    )

    @event.listens_for(engine, "handle_error")
    def recognise_shutdown(context: ExceptionContext) -> None:
        if sql_state(context.original_exception) in _GOING_AWAY:
            context.is_disconnect = True

    return engine


def sql_state(error: BaseException | None) -> str:
    """The code of an error of PostgreSQL; empty for others."""
    fields = error.args[0] if error is not None and error.args else None
    return str(fields.get("C", "")) if isinstance(fields, dict) else ""


def _read_url(location: str) -> tuple[URL, dict[str, Any]]:
    """The URL as SQLAlchemy wants it; `sslmode` and a folder as `host` are as in libpq."""
    try:
        import pg8000  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        raise LexalignError("PostgreSQL needs pg8000: pip install 'lexalign[postgresql]'") from None
    try:
        url = make_url(location)
    except sql.exc.ArgumentError:
        raise LexalignError(_NO_URL) from None
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise LexalignError(f"{url.drivername} databases are not supported; give a file or postgresql://...")
    if not url.username or not url.database:
        raise LexalignError(_NO_URL)
    arguments: dict[str, Any] = {}
    query = dict(url.query)
    mode, host = str(query.pop("sslmode", "")), str(query.pop("host", ""))
    if mode not in ("", "disable", "require", "verify-full"):
        raise LexalignError(f"sslmode={mode} is not supported; there are disable, require, verify-full")
    if mode in ("require", "verify-full"):
        arguments["ssl_context"] = _ssl_context(verified=mode == "verify-full")
    if host.startswith("/"):
        arguments["unix_sock"] = f"{host}/.s.PGSQL.{url.port or 5432}"
    registry.register("postgresql.lexalign", "lexalign.server.storage.pg8000_dialect", "Dialect")
    return url.set(drivername="postgresql+lexalign", query=query), arguments


def _ssl_context(*, verified: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if not verified:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
