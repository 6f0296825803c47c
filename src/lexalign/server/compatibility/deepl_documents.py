"""DeepL's API: documents, through our formats."""

import hashlib
import hmac
import secrets
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from pydantic import BaseModel, BeforeValidator, Field

from lexalign.contracts.errors import LexalignError
from lexalign.server.api.documents import checked_file, download, submit_document
from lexalign.server.api.idempotency import REPEATED, IdempotentRoute
from lexalign.server.api.owners import Owner
from lexalign.server.compatibility.deepl_options import (
    DEEPL_ERROR_RESPONSES,
    DeepLOptions,
    Server,
    none_if_empty,
)
from lexalign.server.http.bodies import json_or_form_body, read_form, read_json_or_form, upload_body
from lexalign.server.http.forms import refuse_foreign_pages
from lexalign.server.http.security import require_deepl_key
from lexalign.server.storage.documents import DocumentRequest, StoredDocument
from lexalign.server.storage.jobs import JobStatus, UnknownJobError
from lexalign.server.translating.documents import format_of
from lexalign.text.languages import primary

router = APIRouter(
    prefix="/v2/document",
    tags=["DeepL"],
    dependencies=[Depends(require_deepl_key), Depends(refuse_foreign_pages)],
    responses={**DEEPL_ERROR_RESPONSES, **REPEATED},
    route_class=IdempotentRoute,
)
_SECONDS_PER_SENTENCE = 0.05  # only a guess, and a client asks again
DeepLStatus = Literal["queued", "translating", "done", "error"]
_STATUS: dict[JobStatus, DeepLStatus] = {
    "queued": "queued",
    "running": "translating",
    "done": "done",
    "failed": "error",
    "cancelled": "error",
}


class DocumentV2Body(DeepLOptions):
    """The fields beside the `file`."""

    filename: Annotated[str | None, BeforeValidator(none_if_empty)] = Field(None, max_length=200)
    output_format: Annotated[str | None, BeforeValidator(none_if_empty)] = Field(None, max_length=16)
    enable_document_minification: bool = Field(False, description="Makes no difference here.")


class DocumentKeyBody(BaseModel):
    document_key: str = Field(max_length=100)


class DocumentHandle(BaseModel):
    document_id: str
    document_key: str


class DocumentStatusV2(BaseModel):
    document_id: str
    status: DeepLStatus
    seconds_remaining: int | None = None
    billed_characters: int | None = None
    error_message: str | None = None


_UPLOAD = upload_body(DocumentV2Body, "target_lang")


@router.post("", summary="Translate a document", openapi_extra=_UPLOAD)
async def upload(request: Request, server: Server, owner: Owner) -> DocumentHandle:
    body, file = await read_form(request, DocumentV2Body)
    body.check()
    found = checked_file(file)
    name = body.filename or found.name
    suffix = name.rpartition(".")[2].lower()
    if body.output_format and body.output_format.lower() != suffix:
        raise LexalignError(f"a document stays in its format, {suffix}; leave output_format out")
    key = secrets.token_hex(32)
    asked = DocumentRequest(
        name=name,
        format=format_of(name, found.content),
        source=body.source_lang and primary(body.source_lang),
        target=primary(body.target_lang),
        glossary_ids=body.identifiers,
        secret=_hash(key),
    )
    document = await submit_document(server, found.content, asked, owner)
    return DocumentHandle(document_id=document.job.id, document_key=key)


@router.post(
    "/{document_id}",
    summary="The status of a document",
    openapi_extra=json_or_form_body(DocumentKeyBody),
    response_model_exclude_none=True,
)
async def status(document_id: str, request: Request, server: Server, owner: Owner) -> DocumentStatusV2:
    document = await _find(document_id, request, server, owner)
    job, shown = document.job, _STATUS[document.job.status]
    remaining = max(1, round((job.total - job.done) * _SECONDS_PER_SENTENCE))
    message = job.message or ("it was cancelled" if job.status == "cancelled" else "")
    return DocumentStatusV2(
        document_id=job.id,
        status=shown,
        seconds_remaining=remaining if shown == "translating" else None,
        billed_characters=None if document.result is None else document.result.characters,
        error_message=message or None,
    )


@router.post(
    "/{document_id}/result",
    summary="The translated document",
    openapi_extra=json_or_form_body(DocumentKeyBody),
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def result(document_id: str, request: Request, server: Server, owner: Owner) -> Response:
    """The translated document; 503 until it is done, which DeepL's clients understand."""
    document = await _find(document_id, request, server, owner)
    if document.job.status in ("failed", "cancelled"):
        raise LexalignError(f"there is no translation: {document.job.message or document.job.status}")
    if document.job.status != "done":
        raise HTTPException(503, "the document is not ready; ask for its status", {"Retry-After": "1"})
    return await download(server, document)


async def _find(identifier: str, request: Request, server: Server, owner: str) -> StoredDocument:
    body = await read_json_or_form(request, DocumentKeyBody, query=True)
    document = await server.threads.read(0, server.documents.store.get, identifier, owner)
    if not hmac.compare_digest(document.request.secret, _hash(body.document_key)):
        raise UnknownJobError
    return document


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
