"""Glossary entries and glossaries as JSON."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import CaseRule, CompoundRule, Entry, FormRule, Glossary, TermPolicy
from lexalign.server.batching.thread_pools import size_of
from lexalign.server.http.services import Services
from lexalign.server.storage.glossaries import GlossaryInfo
from lexalign.server.translating.matcher_cache import check_conflicts

Language = Annotated[
    str,
    Field(min_length=2, max_length=16, pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$", examples=["de"]),
]
Term = Annotated[str, Field(min_length=1, max_length=500)]


class EntrySchema(BaseModel):
    """A term and its translations. `keep` leaves it untranslated and has no targets; `avoid` forbids them."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"source": "Haus", "targets": ["mansion"]}]}
    )

    source: Term
    targets: list[Term] = Field(default_factory=list, max_length=20)
    policy: TermPolicy = "must"
    case: CaseRule = "match-source"
    forms: FormRule = Field("default", description="Whether inflected forms of the targets are targets too.")
    compounds: CompoundRule = Field("default", description="Whether a target may be a part of a longer word.")
    note: str = Field("", max_length=2000)
    source_language: Language | None = None
    target_language: Language | None = None

    @model_validator(mode="after")
    def _let_others_run(self) -> "EntrySchema":
        """Pydantic validates in compiled code: only a call of Python lets other threads run between terms."""
        return self

    def to_entry(self) -> Entry:
        return Entry(
            source=self.source,
            targets=tuple(self.targets),
            policy=self.policy,
            case=self.case,
            forms=self.forms,
            compounds=self.compounds,
            note=self.note,
            source_language=self.source_language,
            target_language=self.target_language,
        )

    @classmethod
    def from_entry(cls, entry: Entry) -> "EntrySchema":
        return cls.model_construct(
            source=entry.source,
            targets=list(entry.targets),
            policy=entry.policy,
            case=entry.case,
            forms=entry.forms,
            compounds=entry.compounds,
            note=entry.note,
            source_language=entry.source_language,
            target_language=entry.target_language,
        )


# More than any limit; the first wrong entry is enough for an error.
Entries = Annotated[list[EntrySchema], Field(max_length=100_000, fail_fast=True)]


class DirectionSchema(BaseModel):
    """The number of terms for a pair of languages; terms without languages are for all."""

    source_language: str | None
    target_language: str | None
    terms: int


class GlossaryInfoSchema(BaseModel):
    """A stored glossary without its entries; every change raises `version`."""

    id: str
    name: str
    created: str
    version: int
    terms: int
    directions: list[DirectionSchema]

    @classmethod
    def from_info(cls, info: GlossaryInfo) -> "GlossaryInfoSchema":
        return cls(
            id=info.id,
            name=info.name,
            created=info.created,
            version=info.version,
            terms=sum(info.sizes.values()),
            directions=[
                DirectionSchema(source_language=source, target_language=target, terms=size)
                for (source, target), size in info.sizes.items()
            ],
        )


class GlossaryBody(BaseModel):
    """A glossary to be stored."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"name": "Houses", "terms": [{"source": "Haus", "targets": ["mansion"]}]}]
        },
    )

    name: str = Field(min_length=1, max_length=200)
    terms: Entries = Field(min_length=1)

    @property
    def size(self) -> int:
        """The cost of working with it, for `ThreadPools`."""
        return size_of(0, num_terms=len(self.terms))


class GlossarySchema(GlossaryInfoSchema):
    """A stored glossary with its entries."""

    entries: list[EntrySchema]


def build_glossary(terms: list[EntrySchema], limit: int, advice: str) -> Glossary:
    """The glossary of some terms; one that is too long or contradicts itself is refused."""
    if len(terms) > limit:
        raise LexalignError(f"{len(terms)} terms are more than {limit}; {advice}")
    entries = []
    for number, term in enumerate(terms, start=1):
        try:
            entries.append(term.to_entry())
        except LexalignError as error:
            raise LexalignError(f"term {number}: {error}") from None
    return check_conflicts(Glossary(tuple(entries)))


def requested_terms(server: Services, terms: list[EntrySchema] | None) -> Glossary:
    """The terms that came with a request."""
    advice = "store them by POST /v1/glossaries, and give the glossary's id"
    return build_glossary(terms or [], server.limits.inline_terms, advice)


def requested_glossary(server: Services, terms: list[EntrySchema] | None, identifier: str | None) -> Glossary:
    """The terms of a request, together with those of a stored glossary."""
    inline = requested_terms(server, terms)
    if identifier is None:
        return inline
    stored = server.glossaries.get(identifier)
    return check_conflicts(inline + stored) if len(inline) else stored
