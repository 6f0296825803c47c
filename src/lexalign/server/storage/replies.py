"""Replies by the idempotency keys of their requests, so that a request that is sent again is done once.

claim -> None                       the request is new: do it, then `finish`, or `release` where it failed
claim -> Reply                      it was done before: send the same again
claim raises ReplyPendingError      another request with the key is under way, on any server
claim raises ReplyMismatchError     the key was used for another request
"""

import hashlib
import time
from dataclasses import dataclass

import sqlalchemy as sql

from lexalign.server.storage.database import Database
from lexalign.server.storage.schema import insert_or, replies

_DAY = 86_400.0
# A server that dies leaves its claims behind.
_PENDING_SECONDS = 120.0


class ReplyPendingError(Exception):
    def __init__(self) -> None:
        super().__init__("a request with this Idempotency-Key is under way; try again later")


class ReplyMismatchError(Exception):
    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used for another request; choose a new one")


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    media_type: str
    content: bytes


class ReplyStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, owner: str, key: str, request: bytes) -> Reply | None:
        """`request` is all that makes it the same request: method, path and body."""
        fingerprint, now = hashlib.sha256(request).digest(), time.time()
        row = {"owner": owner, "key": key, "fingerprint": fingerprint, "expires": now + _PENDING_SECONDS}
        with self._database.writing() as connection:
            connection.execute(sql.delete(replies).where(*_this(owner, key), replies.c.expires <= now))
            insert = insert_or(connection, replies).on_conflict_do_nothing()
            if connection.execute(insert, row).rowcount:
                return None
            found = connection.execute(sql.select(*replies.c).where(*_this(owner, key))).one()
        if bytes(found.fingerprint) != fingerprint:
            raise ReplyMismatchError
        if found.content is None:
            raise ReplyPendingError
        return Reply(status=found.status, media_type=found.media_type, content=bytes(found.content))

    def finish(self, owner: str, key: str, reply: Reply, *, seconds: float = _DAY) -> None:
        with self._database.writing() as connection:
            update = sql.update(replies).where(*_this(owner, key))
            connection.execute(update.values(**vars(reply), expires=time.time() + seconds))

    def release(self, owner: str, key: str) -> None:
        with self._database.writing() as connection:
            connection.execute(sql.delete(replies).where(*_this(owner, key)))

    def purge(self) -> int:
        with self._database.writing() as connection:
            return connection.execute(sql.delete(replies).where(replies.c.expires <= time.time())).rowcount


def _this(owner: str, key: str) -> tuple[sql.ColumnElement[bool], ...]:
    return replies.c.owner == owner, replies.c.key == key
