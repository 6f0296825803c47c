"""Jobs with their requests and results, which outlive the server's process."""

import json
import os
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from lexalign.server.storage.database import Database

JobKind = Literal["extract", "check"]
JobStatus = Literal["queued", "running", "done", "failed"]
_MAX_FINISHED = 200  # jobs whose results are kept; older ones are deleted


class UnknownJobError(LookupError):
    def __init__(self) -> None:
        super().__init__("there is no such job")


@dataclass(frozen=True, kw_only=True)
class Job:
    id: str
    kind: JobKind
    status: JobStatus
    created: str
    message: str = ""  # why it has failed


class JobStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, kind: JobKind, request: dict[str, Any]) -> Job:
        identifier, now = str(uuid.uuid4()), datetime.now(UTC).isoformat(timespec="microseconds")
        with self._database.writing() as cursor:
            cursor.execute(
                "insert into jobs (id, kind, status, created, request) values (?, ?, 'queued', ?, ?)",
                (identifier, kind, now, json.dumps(request)),
            )
            cursor.execute(
                "delete from jobs where status in ('done', 'failed') and id not in (select id from jobs "
                "where status in ('done', 'failed') order by created desc, id limit ?)",
                (_MAX_FINISHED,),
            )
        return Job(id=identifier, kind=kind, status="queued", created=now)

    def list(self) -> list[Job]:
        with self._database.reading() as cursor:
            rows = cursor.execute("select id, kind, status, created, message from jobs order by created, id")
            return [_job(row) for row in rows]

    def get(self, identifier: str) -> tuple[Job, Any]:
        """A job, and its result where it is done."""
        with self._database.reading() as cursor:
            row = cursor.execute(
                "select id, kind, status, created, message, result from jobs where id = ?", (identifier,)
            ).fetchone()
        if row is None:
            raise UnknownJobError
        return _job(row[:5]), json.loads(row[5]) if row[5] is not None else None

    def num_waiting(self) -> int:
        with self._database.reading() as cursor:
            (count,) = cursor.execute("select count(*) from jobs where status = 'queued'").fetchone()
            return int(count)

    def claim(self) -> tuple[str, JobKind, str] | None:
        """The next job for this process, which no other process gets: id, kind and request as JSON."""
        with self._database.writing() as cursor:
            row = cursor.execute(
                "select id, kind, request from jobs where status = 'queued' order by created, id limit 1"
            ).fetchone()
            if row is None:
                return None
            cursor.execute(
                "update jobs set status = 'running', owner = ? where id = ?", (os.getpid(), row[0])
            )
            return row[0], row[1], row[2]

    def finish(self, identifier: str, *, result: str | None = None, message: str = "") -> None:
        """A result, as JSON, or the reason why there is none; a job that was deleted meanwhile stays so."""
        status = "failed" if result is None else "done"
        with self._database.writing() as cursor:
            cursor.execute(
                "update jobs set status = ?, result = ?, message = ?, request = '' where id = ?",
                (status, result, message, identifier),
            )

    def delete(self, identifier: str) -> None:
        with self._database.writing() as cursor:
            if cursor.execute("delete from jobs where id = ?", (identifier,)).rowcount == 0:
                raise UnknownJobError

    def requeue(self) -> None:
        """Queue the jobs again that a process was running which is no more, or is this one."""
        with self._database.writing() as cursor:
            rows = cursor.execute("select id, owner from jobs where status = 'running'").fetchall()
            for identifier, owner in rows:
                if owner == os.getpid() or not _is_alive(owner):
                    cursor.execute("update jobs set status = 'queued' where id = ?", (identifier,))


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _job(row: tuple[Any, ...]) -> Job:
    identifier, kind, status, created, message = row
    return Job(id=identifier, kind=kind, status=status, created=created, message=message)
