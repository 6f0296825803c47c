"""API keys. A key is 32 random bytes, so storing its SHA-256 is safe enough."""

import hashlib
import hmac
import re
import secrets
import time
from datetime import UTC, datetime

from lexalign.contracts.errors import LexalignError
from lexalign.server.storage.database import Database

_NAME = re.compile(r"[\w.@-]{1,64}")
_SECONDS_PER_RELOAD = 5.0


class KeyStore:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._digests: list[bytes] = []
        self._loaded_at = 0.0
        self.reload()

    @property
    def required(self) -> bool:
        """Whether requests need a key; without stored keys they do not."""
        return bool(self._digests)

    @property
    def stale(self) -> bool:
        """Whether keys may have been added or removed since they were read."""
        return time.monotonic() - self._loaded_at > _SECONDS_PER_RELOAD

    def reload(self) -> None:
        with self._database.reading() as cursor:
            self._digests = [digest for (digest,) in cursor.execute("select digest from keys")]
        self._loaded_at = time.monotonic()

    def names(self) -> list[tuple[str, str]]:
        with self._database.reading() as cursor:
            return cursor.execute("select name, created from keys order by created").fetchall()

    def add(self, name: str) -> str:
        """The new key; it is not stored, so it cannot be shown again."""
        if not _NAME.fullmatch(name):
            raise LexalignError(f"{name!r} is no name for a key; use up to 64 letters, digits and . @ - _")
        key, now = secrets.token_urlsafe(32), datetime.now(UTC).isoformat(timespec="seconds")
        with self._database.writing() as cursor:
            if cursor.execute("select 1 from keys where name = ?", (name,)).fetchone():
                raise LexalignError(f"there is a key named {name} already; remove it first")
            cursor.execute("insert into keys values (?, ?, ?)", (name, _digest(key), now))
        self.reload()
        return key

    def remove(self, name: str) -> None:
        with self._database.writing() as cursor:
            if not cursor.execute("delete from keys where name = ?", (name,)).rowcount:
                raise LexalignError(f"there is no key named {name}")
        self.reload()

    def accepts(self, key: str | None) -> bool:
        """All digests are compared, each in constant time; keys are read again if they are stale."""
        if self.stale:
            self.reload()
        if not self.required:
            return True
        digest_of_key = _digest(key or "")
        found = [hmac.compare_digest(digest_of_key, digest) for digest in self._digests]
        return any(found)


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
