"""Terms and glossaries as JSON."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import CaseRule, Entry, Glossary, TermPolicy
from lexalign.server.batching.lanes import size_of
from lexalign.server.http.services import Services
from lexalign.server.storage.glossaries import GlossaryInfo
from lexalign.server.translating.terms import check

Language = Annotated[
    str,
    Field(min_length=2, max_length=16, pattern=r"^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8})*$", examples=["de"]),
]
Words = Annotated[str, Field(min_length=1, max_length=500)]


class TermBody(BaseModel):
    """What a term becomes. `keep` leaves it untranslated and has no targets; `avoid` forbids its targets."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"source": "Haus", "targets": ["mansion"]}]}
    )

    source: Words
    targets: list[Words] = Field(default_factory=list, max_length=20)
    policy: TermPolicy = "must"
    case: CaseRule = "match-source"
    note: str = Field("", max_length=2000)
    source_language: Language | None = None
    target_language: Language | None = None

    @model_validator(mode="after")
    def _let_others_run(self) -> "TermBody":
        """Other threads have a turn only where Python is run: without this, not before the last term."""
        return self

    def entry(self) -> Entry:
        return Entry(
            source=self.source,
            targets=tuple(self.targets),
            policy=self.policy,
            case=self.case,
            note=self.note,
            source_language=self.source_language,
            target_language=self.target_language,
        )

    @classmethod
    def of(cls, entry: Entry) -> "TermBody":
        return cls.model_construct(
            source=entry.source,
            targets=list(entry.targets),
            policy=entry.policy,
            case=entry.case,
            note=entry.note,
            source_language=entry.source_language,
            target_language=entry.target_language,
        )


# More than any limit; one that is wrong is enough to say so.
Terms = Annotated[list[TermBody], Field(max_length=100_000, fail_fast=True)]


class GlossarySummary(BaseModel):
    """`version` is raised by every change."""

    id: str
    name: str
    created: str
    version: int
    terms: int

    @classmethod
    def of(cls, info: GlossaryInfo) -> "GlossarySummary":
        return cls(
            id=info.id,
            name=info.name,
            created=info.created,
            version=info.version,
            terms=sum(info.sizes.values()),
        )


class GlossaryBody(BaseModel):
    """A glossary to be kept."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"name": "Houses", "terms": [{"source": "Haus", "targets": ["mansion"]}]}]
        },
    )

    name: str = Field(min_length=1, max_length=200)
    terms: Terms = Field(min_length=1)

    @property
    def size(self) -> int:
        """For `Lanes`."""
        return size_of(0, num_terms=len(self.terms))


class GlossaryContent(GlossarySummary):
    entries: list[TermBody]


def make_glossary(terms: list[TermBody], limit: int, advice: str) -> Glossary:
    """Refuses what is too long or contradicts itself, and says which term is at fault."""
    if len(terms) > limit:
        raise LexalignError(f"{len(terms)} terms are more than {limit}; {advice}")
    entries = []
    for number, term in enumerate(terms, start=1):
        try:
            entries.append(term.entry())
        except LexalignError as error:
            raise LexalignError(f"term {number}: {error}") from None
    return check(Glossary(tuple(entries)))


def asked_glossary(server: Services, terms: list[TermBody] | None, identifier: str | None) -> Glossary:
    """Terms that are sent along come together with those of a kept glossary."""
    advice = "keep them by POST /v1/glossaries, and give the glossary's id"
    inline = make_glossary(terms or [], server.limits.inline_terms, advice)
    if identifier is None:
        return inline
    kept = server.glossaries.get(identifier)
    return check(inline + kept) if len(inline) else kept
