"""Documents that clients have sent, and what was made of them, until they expire.

They are in the database, so that every server has them, and so that they are written whole or not at all.
"""

import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from lexalign.server.storage.database import Database
from lexalign.server.storage.errors import StorageFullError
from lexalign.server.storage.names import check_name, is_identifier
from lexalign.server.storage.schema import blobs

_DAY = 86_400.0
_MAX_BYTES = 2_000_000_000


class UnknownBlobError(LookupError):
    def __init__(self) -> None:
        super().__init__("there is no such document, or it has expired")


@dataclass(frozen=True, kw_only=True)
class BlobInfo:
    """What is known of a blob; `owner` is the name of a key, and `kind` says what it is for."""

    id: str
    owner: str
    kind: str
    name: str
    media_type: str
    created: str
    expires: float  # seconds since 1970
    size: int


_INFO = [column for column in blobs.c if column.name != "content"]


class BlobStore:
    """`max_bytes` bounds all blobs together, so that clients cannot fill the disk.

    One key may have half of them, so that no client can keep the others out.
    """

    def __init__(self, database: Database, *, max_bytes: int = _MAX_BYTES) -> None:
        self._database, self._max_bytes = database, max_bytes

    def put(
        self,
        content: bytes,
        *,
        kind: str,
        owner: str = "",
        name: str = "",
        media_type: str = "application/octet-stream",
        seconds: float = _DAY,
        kind_bytes: int | None = None,
    ) -> BlobInfo:
        """Keep the content for so many seconds; `kind_bytes` bounds those of its kind and owner together."""
        info = BlobInfo(
            id=str(uuid.uuid4()),
            owner=owner,
            kind=kind,
            name=check_name(name),
            media_type=check_name(media_type),
            created=datetime.now(UTC).isoformat(timespec="microseconds"),
            expires=time.time() + seconds,
            size=len(content),
        )
        with self._database.writing() as connection:
            total = sql.select(sql.func.coalesce(sql.func.sum(blobs.c.size), 0)).where(_fresh())
            of_owner = total.where(blobs.c.owner == owner)
            limits = [
                (total, self._max_bytes, "documents; delete some, or try again later"),
                (of_owner, self._max_bytes // 2 if owner else None, "documents of this key; delete some"),
                (of_owner.where(blobs.c.kind == kind), kind_bytes, f"{kind}s; delete some"),
            ]
            for used, limit, what in limits:
                if limit is not None and int(connection.execute(used).scalar_one()) + info.size > limit:
                    raise StorageFullError(f"there is no room for more {what}")
            connection.execute(sql.insert(blobs), {**vars(info), "content": content})
        return info

    def get(self, identifier: str) -> tuple[BlobInfo, bytes]:
        with self._database.reading() as connection:
            row = connection.execute(sql.select(*blobs.c).where(*_this(identifier))).one_or_none()
        if row is None:
            raise UnknownBlobError
        return _info(row), bytes(row.content)

    def info(self, identifier: str) -> BlobInfo:
        with self._database.reading() as connection:
            row = connection.execute(sql.select(*_INFO).where(*_this(identifier))).one_or_none()
        if row is None:
            raise UnknownBlobError
        return _info(row)

    def list(self, *, owner: str | None = None, kind: str | None = None) -> list[BlobInfo]:
        """The oldest first."""
        select = sql.select(*_INFO).where(_fresh()).order_by(blobs.c.created, blobs.c.id)
        if owner is not None:
            select = select.where(blobs.c.owner == owner)
        if kind is not None:
            select = select.where(blobs.c.kind == kind)
        with self._database.reading() as connection:
            return [_info(row) for row in connection.execute(select)]

    def delete(self, identifier: str) -> None:
        with self._database.writing() as connection:
            if not connection.execute(sql.delete(blobs).where(*_this(identifier))).rowcount:
                raise UnknownBlobError

    def purge(self) -> int:
        """Delete what has expired; the number of blobs."""
        with self._database.writing() as connection:
            return connection.execute(sql.delete(blobs).where(sql.not_(_fresh()))).rowcount


def _fresh() -> sql.ColumnElement[bool]:
    return blobs.c.expires > time.time()


def _this(identifier: str) -> tuple[sql.ColumnElement[bool], ...]:
    if not is_identifier(identifier):
        raise UnknownBlobError
    return blobs.c.id == identifier, _fresh()


def _info(row: sql.Row[*tuple[Any, ...]]) -> BlobInfo:
    return BlobInfo(**{column.name: getattr(row, column.name) for column in _INFO})
