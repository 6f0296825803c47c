"""API keys. A key is 32 random bytes, so storing its SHA-256 is safe enough.

Each has a name, by which its usage is counted, and may have limits and the right to administer.
"""

import hashlib
import re
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from lexalign.contracts.errors import LexalignError
from lexalign.server.storage.database import Database
from lexalign.server.storage.schema import keys

_NAME = re.compile(r"[\w.@-]{1,64}", re.ASCII)
_SECONDS_PER_RELOAD = 0.5


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key without what makes it secret. Limits that are None are not there."""

    name: str
    created: str = ""
    admin: bool = False
    monthly_characters: int | None = None
    requests_per_minute: int | None = None


class KeyStore:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[bytes, Key] = {}
        self._loaded_at = 0.0
        self.reload()

    @property
    def required(self) -> bool:
        """Whether requests need a key; without stored keys they do not."""
        return bool(self._known)

    @property
    def stale(self) -> bool:
        """Whether keys may have been added or removed since they were read."""
        return time.monotonic() - self._loaded_at > _SECONDS_PER_RELOAD

    def reload(self) -> None:
        with self._database.reading() as connection:
            rows = connection.execute(sql.select(*keys.c).order_by(keys.c.created, keys.c.name)).all()
        self._known = {bytes(row.digest): _key(row) for row in rows}
        self._loaded_at = time.monotonic()

    def list(self) -> list[Key]:
        self.reload()
        return list(self._known.values())

    def add(
        self,
        name: str,
        *,
        admin: bool = False,
        monthly_characters: int | None = None,
        requests_per_minute: int | None = None,
    ) -> str:
        """The new key; it is not stored, so it cannot be shown again."""
        if not _NAME.fullmatch(name):
            raise LexalignError(
                f"{name!r} is not a valid name for a key; use up to 64 letters, digits and . @ - _"
            )
        key, now = secrets.token_urlsafe(32), datetime.now(UTC).isoformat(timespec="seconds")
        row = {
            "name": name,
            "digest": _digest(key),
            "created": now,
            "admin": int(admin),
            "monthly_characters": monthly_characters,
            "requests_per_minute": requests_per_minute,
        }
        with self._database.writing() as connection:
            try:
                connection.execute(sql.insert(keys), row)
            except sql.exc.IntegrityError:
                raise LexalignError(f"there is already a key named {name}; remove it first") from None
        self.reload()
        return key

    def remove(self, name: str) -> None:
        with self._database.writing() as connection:
            if not connection.execute(sql.delete(keys).where(keys.c.name == name)).rowcount:
                raise LexalignError(f"there is no key named {name}")
        self.reload()

    def find(self, key: str | None) -> Key | None:
        """Looked up by its hash, of which nobody can choose a part: its time tells nothing of other keys."""
        return self._known.get(_digest(key)) if key else None

    def accepts(self, key: str | None) -> bool:
        if self.stale:
            self.reload()
        return not self.required or self.find(key) is not None


def _key(row: sql.Row[*tuple[Any, ...]]) -> Key:
    return Key(
        name=row.name,
        created=row.created,
        admin=bool(row.admin),
        monthly_characters=row.monthly_characters,
        requests_per_minute=row.requests_per_minute,
    )


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
