"""Jobs with their requests and results, which outlive the server's process.

A server that runs a job holds it for some seconds, and holds it again before they are over. A job that is
held no longer, because its server has died, is given to the next server that asks; but not without end, since
the job itself may be what its servers die of.
"""

import builtins
import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sql

from lexalign.server.storage.database import Database
from lexalign.server.storage.names import is_identifier
from lexalign.server.storage.schema import jobs

JobKind = Literal["extract", "check", "document"]
JobStatus = Literal["queued", "running", "done", "failed", "cancelled"]
IN_PROCESSES: tuple[JobKind, ...] = ("extract", "check")  # each job in a process of its own
HOLD_SECONDS = 15.0
_ENDED = ("done", "failed", "cancelled")
MAX_ENDED = 200  # jobs of an owner whose results are kept; older ones are deleted
_KEPT_FOR = timedelta(days=7)
MAX_ATTEMPTS = 3
_GIVEN_UP = f"the job was begun {MAX_ATTEMPTS} times without coming to an end; send it again in smaller parts"


class UnknownJobError(LookupError):
    def __init__(self) -> None:
        super().__init__("there is no such job")


@dataclass(frozen=True, kw_only=True)
class Job:
    """`owner` is the name of the key that it was begun with; `done` of `total` parts are done."""

    id: str
    kind: JobKind
    status: JobStatus
    created: str
    message: str = ""  # why it has failed
    owner: str = ""
    done: int = 0
    total: int = 0


# Of an ended job: that of a document is short, and says what the document was.
_KEPT = sql.case((jobs.c.kind == "document", jobs.c.request), else_="")
_COLUMNS = [jobs.c[name] for name in Job.__dataclass_fields__]


class JobStore:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._server = str(uuid.uuid4())

    def add(self, kind: JobKind, request: Mapping[str, Any], *, owner: str = "") -> Job:
        identifier, now = str(uuid.uuid4()), datetime.now(UTC).isoformat(timespec="microseconds")
        job = Job(id=identifier, kind=kind, status="queued", created=now, owner=owner)
        with self._database.writing() as connection:
            connection.execute(sql.insert(jobs), {**vars(job), "request": json.dumps(request)})
            ended = jobs.c.status.in_(_ENDED), jobs.c.owner == owner
            newest = sql.select(jobs.c.id).where(*ended).order_by(jobs.c.created.desc(), jobs.c.id)
            connection.execute(sql.delete(jobs).where(*ended, jobs.c.id.not_in(newest.limit(MAX_ENDED))))
        return job

    def list(self, *, owner: str | None = None) -> list[Job]:
        select = sql.select(*_COLUMNS).order_by(jobs.c.created, jobs.c.id)
        with self._database.reading() as connection:
            rows = connection.execute(select if owner is None else select.where(jobs.c.owner == owner))
            return [_job(row) for row in rows]

    def read(self, condition: sql.ColumnElement[bool]) -> builtins.list[tuple[Job, Any, Any]]:
        """Jobs with their requests and results, of which either may be None; the newest first."""
        select = sql.select(*_COLUMNS, jobs.c.request, jobs.c.result).where(condition)
        with self._database.reading() as connection:
            rows = connection.execute(select.order_by(jobs.c.created.desc(), jobs.c.id)).all()
        return [(_job(row), _loaded(row.request), _loaded(row.result)) for row in rows]

    def get(self, identifier: str) -> tuple[Job, Any]:
        """A job, and its result where it is done."""
        with self._database.reading() as connection:
            select = sql.select(*_COLUMNS, jobs.c.result).where(_this(identifier))
            row = connection.execute(select).one_or_none()
        if row is None:
            raise UnknownJobError
        return _job(row), json.loads(row.result) if row.result is not None else None

    def num_waiting(self, kinds: Sequence[JobKind] = IN_PROCESSES, *, owner: str | None = None) -> int:
        """Jobs of this owner, or of all for None."""
        select = sql.select(sql.func.count()).where(_waiting(), jobs.c.kind.in_(kinds))
        with self._database.reading() as connection:
            return int(
                connection.execute(
                    select if owner is None else select.where(jobs.c.owner == owner)
                ).scalar_one()
            )

    def claim(self, kinds: Sequence[JobKind] = IN_PROCESSES) -> tuple[str, JobKind, str] | None:
        """The next job for this server, which no other server gets: id, kind and request as JSON.

        Owners with fewer jobs under way come first, and then those who have waited longest.
        """
        select = sql.select(jobs.c.id, jobs.c.kind, jobs.c.request).where(_waiting(), jobs.c.kind.in_(kinds))
        ordered = select.order_by(_under_way(), jobs.c.created, jobs.c.id)
        first = ordered.limit(1).with_for_update(skip_locked=True, of=jobs)
        with self._database.writing() as connection:
            given_up = {"status": "failed", "message": _GIVEN_UP, "request": _KEPT, "holder": None}
            hopeless = sql.and_(_abandoned(), jobs.c.attempts >= MAX_ATTEMPTS)
            connection.execute(sql.update(jobs).where(hopeless).values(**given_up))
            row = connection.execute(first).one_or_none()
            if row is None:
                return None
            held = {"status": "running", "holder": self._server, "held_until": time.time() + HOLD_SECONDS}
            begun = sql.update(jobs).where(jobs.c.id == row.id)
            connection.execute(begun.values(**held, attempts=jobs.c.attempts + 1))
            return row.id, row.kind, row.request

    def hold(self, identifier: str, *, done: int | None = None, total: int | None = None) -> bool:
        """Hold a job that this server runs for `HOLD_SECONDS` more, and note how far it is.

        False where it was cancelled or deleted, or has been given to another server: it is to be ended.
        """
        values: dict[str, Any] = {"held_until": time.time() + HOLD_SECONDS}
        values |= {} if done is None else {"done": done}
        values |= {} if total is None else {"total": total}
        with self._database.writing() as connection:
            return bool(connection.execute(self._update_own(identifier).values(**values)).rowcount)

    def finish(self, identifier: str, *, result: str | None = None, message: str = "") -> bool:
        """A result, as JSON, or the reason why there is none; a job that is not held any more stays so."""
        status = "failed" if result is None else "done"
        values = {"status": status, "result": result, "message": message, "request": _KEPT, "holder": None}
        with self._database.writing() as connection:
            return bool(connection.execute(self._update_own(identifier).values(**values)).rowcount)

    def cancel(self, identifier: str) -> None:
        """The server that runs it ends it soon; a job that has ended already stays as it is."""
        self.get(identifier)
        with self._database.writing() as connection:
            update = sql.update(jobs).where(_this(identifier), jobs.c.status.not_in(_ENDED))
            connection.execute(update.values(status="cancelled", request=_KEPT, holder=None))

    def delete(self, identifier: str) -> None:
        with self._database.writing() as connection:
            if not connection.execute(sql.delete(jobs).where(_this(identifier))).rowcount:
                raise UnknownJobError

    def purge(self) -> int:
        """Delete ended jobs of long ago; the number of them."""
        before = (datetime.now(UTC) - _KEPT_FOR).isoformat(timespec="microseconds")
        old = sql.delete(jobs).where(jobs.c.status.in_(_ENDED), jobs.c.created < before)
        with self._database.writing() as connection:
            return connection.execute(old).rowcount

    def requeue(self) -> None:
        """Queue the jobs again that this server holds; it is about to stop."""
        with self._database.writing() as connection:
            own = sql.update(jobs).where(jobs.c.holder == self._server, jobs.c.status == "running")
            queued = own.values(status="queued", holder=None, held_until=None, attempts=jobs.c.attempts - 1)
            connection.execute(queued)

    def _update_own(self, identifier: str) -> sql.Update:
        return sql.update(jobs).where(
            _this(identifier), jobs.c.holder == self._server, jobs.c.status == "running"
        )


def _under_way() -> sql.ScalarSelect[int]:
    """The number of jobs of the same owner that are held now."""
    others = jobs.alias("others")
    held = others.c.status == "running", others.c.held_until >= time.time()
    count = sql.select(sql.func.count()).select_from(others)
    return count.where(others.c.owner == jobs.c.owner, *held).scalar_subquery()


def _waiting() -> sql.ColumnElement[bool]:
    return sql.or_(jobs.c.status == "queued", _abandoned())


def _abandoned() -> sql.ColumnElement[bool]:
    """Running on a server that holds it no more."""
    held_until = sql.func.coalesce(jobs.c.held_until, 0.0)
    return sql.and_(jobs.c.status == "running", held_until < time.time())


def _this(identifier: str) -> sql.ColumnElement[bool]:
    if not is_identifier(identifier):
        raise UnknownJobError
    return jobs.c.id == identifier


def _loaded(written: str | None) -> Any:
    return json.loads(written) if written else None


def _job(row: sql.Row[*tuple[Any, ...]]) -> Job:
    return Job(**{column.name: getattr(row, column.name) for column in _COLUMNS})
