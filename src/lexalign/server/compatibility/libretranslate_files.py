"""LibreTranslate's API: files. One request translates a file, and its response says where the result is."""

import hashlib
import hmac
import secrets
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field

from lexalign.contracts.errors import LexalignError
from lexalign.server.api.documents import checked_file, download, submit_document
from lexalign.server.api.owners import owner_name
from lexalign.server.compatibility.libretranslate import (
    LIBRE_ERROR_RESPONSES,
    KeyBody,
    Server,
    require_api_key,
)
from lexalign.server.http.bodies import read_form, upload_body
from lexalign.server.http.disconnects import ClientDisconnectedError, while_connected
from lexalign.server.http.errors import Problem
from lexalign.server.http.forms import refuse_foreign_pages
from lexalign.server.http.security import key_of
from lexalign.server.http.services import Services
from lexalign.server.storage.documents import DocumentRequest, StoredDocument
from lexalign.server.storage.jobs import UnknownJobError
from lexalign.server.translating.documents import format_of

router = APIRouter(tags=["LibreTranslate"], responses=LIBRE_ERROR_RESPONSES)


class FileBody(KeyBody):
    source: str = Field(max_length=16)
    target: str = Field(max_length=16)


class TranslatedFile(BaseModel):
    translatedFileUrl: str  # noqa: N815


_UPLOAD = upload_body(FileBody, "source", "target")


@router.post(
    "/translate_file",
    summary="Translate a file",
    openapi_extra=_UPLOAD,
    dependencies=[Depends(refuse_foreign_pages)],
)
async def translate_file(request: Request, server: Server) -> TranslatedFile:
    body, file = await read_form(request, FileBody, query=True)
    await require_api_key(request, server, body.api_key)
    found, token = checked_file(file), secrets.token_hex(16)
    owner = owner_name(server, body.api_key or key_of(request))
    asked = DocumentRequest(
        name=found.name,
        format=format_of(found.name, found.content),
        source=None if body.source == "auto" else body.source,
        target=body.target,
        secret=_hash(token),
    )
    document = await submit_document(server, found.content, asked, owner)
    try:
        await while_connected(request, _ended(server, document))
    except ClientDisconnectedError:
        await server.threads.write(0, server.documents.store.jobs.cancel, document.job.id)
        raise
    name = quote(f"{document.job.id}.{token}.{found.name}", safe="")
    return TranslatedFile(translatedFileUrl=f"{str(request.base_url).rstrip('/')}/download_file/{name}")


@router.get(
    "/download_file/{name}",
    summary="A translated file",
    response_class=Response,
    responses={
        200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}},
        404: {"model": Problem, "description": "There is no such file, or it has expired."},
    },
)
async def download_file(name: str, server: Server) -> Response:
    """A translated file; its name is the secret, so no key is needed."""
    identifier, _, rest = name.partition(".")
    document = await server.threads.read(0, server.documents.store.get, identifier, None)
    if not hmac.compare_digest(document.request.secret, _hash(rest.partition(".")[0])):
        raise UnknownJobError
    return await download(server, document)


async def _ended(server: Services, document: StoredDocument) -> None:
    while document.job.status in ("queued", "running"):
        document = await server.followers.next_look(document.job.id, document.job.owner)
    if document.job.status != "done":
        raise LexalignError(document.job.message or "the file was not translated")


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
