"""Documents: submit one, follow it, fetch its translation and the report on it."""

from collections.abc import AsyncIterator
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import StreamingResponse

from lexalign.contracts.errors import LexalignError
from lexalign.markup import FORMATS, suffixes_of
from lexalign.server.api.document_schemas import UPLOAD, DocumentBody, DocumentSchema, FormatSchema
from lexalign.server.api.entries import build_glossary
from lexalign.server.api.idempotency import REPEATED, IdempotentRoute
from lexalign.server.api.owners import Owner
from lexalign.server.api.responses import EVENT_SCHEMA
from lexalign.server.http.bodies import read_form
from lexalign.server.http.errors import ERROR_RESPONSES, Problem
from lexalign.server.http.forms import UploadedFile, refuse_foreign_pages
from lexalign.server.http.json_responses import render
from lexalign.server.http.security import check_quota, require_key
from lexalign.server.http.services import Services, services
from lexalign.server.storage.documents import DocumentRequest, StoredDocument
from lexalign.server.storage.jobs import UnknownJobError
from lexalign.server.translating.documents import format_of

router = APIRouter(
    prefix="/v1",
    tags=["Documents"],
    dependencies=[Depends(require_key), Depends(refuse_foreign_pages)],
    responses={**ERROR_RESPONSES, **REPEATED},
    route_class=IdempotentRoute,
)
Server = Annotated[Services, Depends(services)]
NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such document or glossary, or it has expired."}
}
_NOT_DONE: dict[int | str, dict[str, Any]] = {
    409: {"model": Problem, "description": "The document is not translated, or not yet."}
}
_ENDED = ("done", "failed", "cancelled")


@router.get("/document-formats", summary="The formats of documents")
async def formats() -> list[FormatSchema]:
    return [FormatSchema(name=name, suffixes=suffixes_of(name)) for name in FORMATS]


@router.post(
    "/documents", summary="Translate a document", status_code=202, openapi_extra=UPLOAD, responses=NOT_FOUND
)
async def submit(request: Request, server: Server, owner: Owner) -> DocumentSchema:
    """Begins a job; ask for it, or follow its events, until its status is done, failed or cancelled."""
    body, file = await read_form(request, DocumentBody)
    found = checked_file(file)
    terms = body.glossary or []
    await server.threads.run(
        50 * len(terms),
        build_glossary,
        terms,
        server.limits.inline_terms,
        "store them by POST /v1/glossaries",
    )
    asked = DocumentRequest(
        name=found.name,
        format=body.format or format_of(found.name, found.content),
        source=body.source_language,
        target=body.target_language,
        glossary_ids=list(dict.fromkeys(filter(None, (body.glossary_id, *body.glossary_ids)))),
        terms=[term.model_dump() for term in terms],
    )
    return DocumentSchema.from_document(await submit_document(server, found.content, asked, owner))


@router.get("/documents", summary="List documents, newest first")
async def list_documents(server: Server, owner: Owner) -> list[DocumentSchema]:
    found = await server.threads.read(0, server.documents.store.list, owner)
    return [DocumentSchema.from_document(one) for one in found]


@router.get("/documents/{document_id}", summary="The status of a document", responses=NOT_FOUND)
async def read(document_id: str, server: Server, owner: Owner) -> DocumentSchema:
    return DocumentSchema.from_document(await _get(server, document_id, owner))


@router.get(
    "/documents/{document_id}/report",
    summary="The report on terms, numbers, placeholders and tags",
    responses={**NOT_FOUND, **_NOT_DONE},
)
async def report(document_id: str, server: Server, owner: Owner) -> dict[str, Any]:
    document = await _get(server, document_id, owner)
    _check_done(document)
    found = await server.threads.read(0, server.documents.store.report, document)
    if found is None:
        raise UnknownJobError
    return dict(found)


@router.get(
    "/documents/{document_id}/result",
    summary="The translated document",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
        **NOT_FOUND,
        **_NOT_DONE,
    },
)
async def result(document_id: str, server: Server, owner: Owner) -> Response:
    document = await _get(server, document_id, owner)
    _check_done(document)
    return await download(server, document)


@router.get(
    "/documents/{document_id}/events",
    summary="Follow a document",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Events: `progress` whenever something has changed, `end` with the last state; "
            "the data of both is the document.",
            "content": {"text/event-stream": {"schema": EVENT_SCHEMA}},
        },
        **NOT_FOUND,
    },
)
async def events(document_id: str, server: Server, owner: Owner) -> StreamingResponse:
    first = await _get(server, document_id, owner)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(server, first, owner), media_type="text/event-stream", headers=headers)


@router.post("/documents/{document_id}/cancel", summary="Cancel a document", responses=NOT_FOUND)
async def cancel(document_id: str, server: Server, owner: Owner) -> DocumentSchema:
    """Cancel a document; one that has ended stays as it is."""
    await _get(server, document_id, owner)
    await server.threads.write(0, server.documents.store.jobs.cancel, document_id)
    return DocumentSchema.from_document(await _get(server, document_id, owner))


@router.delete(
    "/documents/{document_id}",
    summary="Delete a document and its translation",
    status_code=204,
    responses=NOT_FOUND,
)
async def delete(document_id: str, server: Server, owner: Owner) -> Response:
    document = await _get(server, document_id, owner)
    await server.threads.write(0, server.documents.store.delete, document)
    return Response(status_code=204)


def checked_file(file: UploadedFile | None) -> UploadedFile:
    if file is None or not file.name:
        raise LexalignError("there is no file; send a multipart form with the document as `file`")
    if not file.content:
        raise LexalignError("the file is empty")
    return file


async def submit_document(
    server: Services, content: bytes, asked: DocumentRequest, owner: str
) -> StoredDocument:
    """Errors that are known at once, an unknown language or glossary, are raised at once."""
    check_quota(server)
    if asked.source or asked.target:
        server.catalogue.choose(asked.source, asked.target, lambda: server.catalogue.sources[0])
    for identifier in asked.glossary_ids:
        await server.threads.read(0, server.glossaries.info, identifier)
    found = await server.threads.write(len(content), server.documents.submit, content, asked, owner)
    server.documents.wake()
    return found


async def download(server: Services, document: StoredDocument) -> Response:
    content = await server.threads.read(0, server.documents.store.translated, document)
    name = f"attachment; filename*=UTF-8''{quote(document.request.name)}"
    return Response(
        content,
        media_type="application/octet-stream",  # never shown by a browser as a page of this server
        headers={"Content-Disposition": name, "X-Content-Type-Options": "nosniff"},
    )


async def _get(server: Services, identifier: str, owner: str) -> StoredDocument:
    return await server.threads.read(0, server.documents.store.get, identifier, owner)


def _check_done(document: StoredDocument) -> None:
    if document.job.status != "done":
        raise HTTPException(409, f"the document is {document.job.status}; there is no translation of it")


async def _events(server: Services, document: StoredDocument, owner: str) -> AsyncIterator[str]:
    last: StoredDocument | None = None
    try:
        while True:
            ended = document.job.status in _ENDED
            if document != last or ended:
                content = render(DocumentSchema.from_document(document)).decode()
                yield f"event: {'end' if ended else 'progress'}\ndata: {content}\n\n"
            if ended or server.followers.stopped:
                return
            last = document
            document = await server.followers.next_look(document.job.id, owner)
    except UnknownJobError:
        return  # it was deleted
