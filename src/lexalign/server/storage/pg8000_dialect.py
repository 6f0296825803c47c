"""SQLAlchemy's dialect for pg8000, which raises errors of the network now as its own, now as the system's.

Only its own tell SQLAlchemy that a connection is gone, and that all others of the pool may be.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.dialects.postgresql.pg8000 import PGDialect_pg8000


class Dialect(PGDialect_pg8000):
    supports_statement_cache = True

    def do_ping(self, dbapi_connection: Any) -> bool:
        with self._network_errors():
            return super().do_ping(dbapi_connection)

    def do_commit(self, dbapi_connection: Any) -> None:
        with self._network_errors():
            super().do_commit(dbapi_connection)  # type: ignore[no-untyped-call]

    def do_rollback(self, dbapi_connection: Any) -> None:
        with self._network_errors():
            super().do_rollback(dbapi_connection)  # type: ignore[no-untyped-call]

    def do_execute(self, cursor: Any, statement: Any, parameters: Any, context: Any = None) -> None:
        with self._network_errors():
            super().do_execute(cursor, statement, parameters, context)  # type: ignore[no-untyped-call]

    def connect(self, *arguments: Any, **named: Any) -> Any:
        with self._network_errors():
            return super().connect(*arguments, **named)

    @contextmanager
    def _network_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self.loaded_dbapi.InterfaceError("network error") from error
