"""Documents as forms and JSON."""

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json

from lexalign.markup import FormatName
from lexalign.server.api.chosen_glossaries import GlossaryId
from lexalign.server.api.entries import Entries, Language
from lexalign.server.http.bodies import upload_body
from lexalign.server.storage.documents import StoredDocument
from lexalign.server.storage.jobs import JobStatus

_none_if_empty = BeforeValidator(lambda value: None if value == "" else value)


def _split(value: Any) -> Any:
    """A list in a form: several fields, or one with commas."""
    return [one.strip() for one in value.split(",") if one.strip()] if isinstance(value, str) else value


class DocumentBody(BaseModel):
    """The fields of the form beside its `file`."""

    model_config = ConfigDict(extra="forbid")

    source_language: Annotated[Language | None, _none_if_empty] = Field(None, description="Detected.")
    target_language: Annotated[Language | None, _none_if_empty] = Field(
        None, description="May be left out if only one is loaded."
    )
    format: Annotated[FormatName | None, _none_if_empty] = Field(
        None, description="By default from the file's name."
    )
    glossary_id: Annotated[GlossaryId | None, _none_if_empty] = Field(
        None, description="The id of a stored glossary."
    )
    glossary_ids: Annotated[list[GlossaryId], BeforeValidator(_split)] = Field(
        default_factory=list, max_length=10, description="Further ones, separated by commas."
    )
    glossary: Annotated[Json[Entries] | None, _none_if_empty] = Field(
        None, description="Terms for this document, as a JSON array."
    )


class DocumentSchema(BaseModel):
    """A document. `done` of `total` sentences are translated; the languages are known once it is done."""

    id: str
    name: str
    format: str
    status: JobStatus
    created: str
    message: str = Field("", description="Why it failed.")
    done: int = 0
    total: int = 0
    source_language: str | None = None
    target_language: str | None = None
    characters: int | None = None
    expires: str | None = Field(None, description="Until then the translation is kept.")
    counts: dict[str, int] = Field(
        default_factory=dict, description="Of the report: segments, terms, terms_missed, numbers, lost, ..."
    )

    @classmethod
    def from_document(cls, document: StoredDocument) -> "DocumentSchema":
        job, asked, result = document.job, document.request, document.result
        expires = None if result is None else datetime.fromtimestamp(result.expires, UTC)
        return cls(
            id=job.id,
            name=asked.name,
            format=asked.format,
            status=job.status,
            created=job.created,
            message=job.message,
            done=job.done,
            total=job.total,
            source_language=asked.source if result is None else result.source,
            target_language=asked.target if result is None else result.target,
            characters=None if result is None else result.characters,
            expires=None if expires is None else expires.isoformat(timespec="seconds"),
            counts={} if result is None else result.counts,
        )


class FormatSchema(BaseModel):
    name: FormatName
    suffixes: list[str] = Field(description="The suffixes of its files.")


UPLOAD = upload_body(DocumentBody)
