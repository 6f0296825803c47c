"""Documents to be translated: a job, a blob with the content, and later blobs with what became of it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import sqlalchemy as sql

from lexalign.server.storage.blobs import BlobStore, UnknownBlobError
from lexalign.server.storage.jobs import Job, JobKind, JobStore, UnknownJobError
from lexalign.server.storage.schema import jobs

KIND: JobKind = "document"


@dataclass(frozen=True, kw_only=True)
class DocumentRequest:
    """What is asked; `blob` is the document, `secret` the hash of what DeepL's clients read it by."""

    name: str
    format: str
    source: str | None = None
    target: str | None = None
    glossary_ids: Sequence[str] = ()
    terms: Sequence[dict[str, Any]] = ()  # entries of the request itself
    blob: str = ""
    secret: str = ""


@dataclass(frozen=True, kw_only=True)
class DocumentResult:
    """What became of it; `blob` is the translated document, `report` its report as JSON."""

    blob: str
    report: str
    source: str
    target: str
    characters: int
    expires: float
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class StoredDocument:
    job: Job
    request: DocumentRequest
    result: DocumentResult | None = None


class DocumentStore:
    def __init__(self, job_store: JobStore, blobs: BlobStore) -> None:
        self.jobs, self._blobs = job_store, blobs

    def add(self, content: bytes, request: DocumentRequest, *, owner: str) -> StoredDocument:
        blob = self._blobs.put(content, kind=KIND, owner=owner, name=request.name)
        asked = DocumentRequest(**{**vars(request), "blob": blob.id})
        return StoredDocument(job=self.jobs.add(KIND, asdict(asked), owner=owner), request=asked)

    def get(self, identifier: str, owner: str | None) -> StoredDocument:
        """Of this owner, or of any for None; another's is not there."""
        found = self.jobs.read(sql.and_(jobs.c.id == identifier, *_documents(owner)))
        if not found:
            raise UnknownJobError
        return _stored(*found[0])

    def list(self, owner: str | None) -> list[StoredDocument]:
        """The newest first."""
        return [_stored(*one) for one in self.jobs.read(sql.and_(*_documents(owner)))]

    def content(self, request: DocumentRequest) -> bytes:
        return self._blobs.get(request.blob)[1]

    def translated(self, document: StoredDocument) -> bytes:
        if document.result is None:
            raise UnknownBlobError
        return self._blobs.get(document.result.blob)[1]

    def report(self, document: StoredDocument) -> Any:
        """None where there is none, or none any more."""
        if document.result is None:
            return None
        try:
            return json.loads(self._blobs.get(document.result.report)[1])
        except UnknownBlobError:
            return None

    def finish(
        self, identifier: str, owner: str, name: str, content: bytes, report: str, facts: dict[str, Any]
    ) -> None:
        """Keep the translated document and its report; of a job that was cancelled meanwhile, neither."""
        translated = self._blobs.put(content, kind=f"{KIND}-result", owner=owner, name=name)
        told = self._blobs.put(report.encode(), kind=f"{KIND}-report", owner=owner, name=name)
        result = DocumentResult(blob=translated.id, report=told.id, expires=translated.expires, **facts)
        if not self.jobs.finish(identifier, result=json.dumps(asdict(result))):
            self._forget(translated.id, told.id)

    def delete(self, document: StoredDocument) -> None:
        self.jobs.delete(document.job.id)
        self._forget(document.request.blob)
        if document.result is not None:
            self._forget(document.result.blob, document.result.report)

    def _forget(self, *identifiers: str) -> None:
        for identifier in identifiers:
            try:
                self._blobs.delete(identifier)
            except UnknownBlobError:
                continue  # it has expired


def _documents(owner: str | None) -> Sequence[sql.ColumnElement[bool]]:
    of_owner = () if owner is None else (jobs.c.owner == owner,)
    return jobs.c.kind == KIND, *of_owner


def _stored(job: Job, request: Any, result: Any) -> StoredDocument:
    return StoredDocument(
        job=job,
        request=DocumentRequest(**request),
        result=None if result is None else DocumentResult(**result),
    )
