"""Characters and requests of each key and month, counted in memory and written twice a second.

What was counted since the last writing is lost where the process is killed; never is anything counted twice.
"""

import threading
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from lexalign.server.storage.database import Database
from lexalign.server.storage.schema import insert_or, usage


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What the owner of a key has used in a month."""

    owner: str
    month: str
    characters: int = 0
    requests: int = 0


class UsageStore:
    """Usage by all servers on the database, as of the last `flush` of this one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._characters: Counter[tuple[str, str]] = Counter()  # not written yet, by owner and month
        self._requests: Counter[tuple[str, str]] = Counter()
        self._being_written: Counter[tuple[str, str]] = Counter()  # characters
        self._written: dict[tuple[str, str], Usage] = {}

    def count(self, owner: str, *, characters: int = 0, requests: int = 0) -> None:
        with self._lock:
            self._characters[owner, _month()] += characters
            self._requests[owner, _month()] += requests

    def of(self, owner: str) -> Usage:
        """The usage of this month, with what is not written yet."""
        key = owner, _month()
        with self._lock:
            written = self._written.get(key, Usage(owner=owner, month=key[1]))
            return Usage(
                owner=owner,
                month=key[1],
                characters=written.characters + self._being_written[key] + self._characters[key],
                requests=written.requests + self._requests[key],
            )

    def list(self) -> list[Usage]:
        """All that is written, of all months."""
        with self._database.reading() as connection:
            rows = connection.execute(sql.select(*usage.c).order_by(usage.c.month, usage.c.owner))
            return [_usage(row) for row in rows]

    def flush(self) -> None:
        """Write what was counted, and read what other servers have written."""
        with self._lock:
            characters, requests = self._characters, self._requests
            self._characters, self._requests = Counter(), Counter()
            self._being_written = characters
        try:
            self._add(characters, requests)
        except BaseException:
            with self._lock:
                self._characters.update(characters)
                self._requests.update(requests)
                self._being_written = Counter()
            raise
        self._read()

    def _add(self, characters: Counter[tuple[str, str]], requests: Counter[tuple[str, str]]) -> None:
        rows = [
            {"owner": owner, "month": month, "characters": count, "requests": requests[owner, month]}
            for (owner, month), count in sorted(
                characters.items()
            )  # sorted, so that servers lock in one order
        ]
        if not rows:
            return
        with self._database.writing() as connection:
            insert = insert_or(connection, usage)
            added = {name: usage.c[name] + insert.excluded[name] for name in ("characters", "requests")}
            identifying = (usage.c.owner, usage.c.month)
            connection.execute(insert.on_conflict_do_update(index_elements=identifying, set_=added), rows)

    def _read(self) -> None:
        with self._database.reading() as connection:
            rows = connection.execute(sql.select(*usage.c).where(usage.c.month == _month())).all()
        with self._lock:
            self._written = {(row.owner, row.month): _usage(row) for row in rows}
            self._being_written = Counter()


def _usage(row: sql.Row[*tuple[Any, ...]]) -> Usage:
    return Usage(owner=row.owner, month=row.month, characters=row.characters, requests=row.requests)


def _month() -> str:
    return datetime.now(UTC).strftime("%Y-%m")
