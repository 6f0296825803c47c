"""What clients are told. Offsets count characters (Unicode code points), the first and the last + 1."""

from typing import Any

from pydantic import BaseModel, Field

from lexalign.contracts.alignment import SpanLink
from lexalign.markup.protection import Kind, Placement, ProtectedSpan
from lexalign.server.api.terms import TermBody
from lexalign.server.batching.work import WordLinks
from lexalign.translator import StreamedToken, TermResult, Translation

Offsets = tuple[int, int]


class LinkAnswer(BaseModel):
    """A piece of the translation, and the piece of the source that it most probably comes from."""

    source: Offsets
    target: Offsets
    probability: float

    @classmethod
    def of(cls, link: SpanLink) -> "LinkAnswer":
        probability = round(link.probability or 0.0, 6)
        return cls.model_construct(source=link.source, target=link.target, probability=probability)


class TermAnswer(BaseModel):
    """What became of a term: where it is met and in which form, or the reason why it is not."""

    source: Offsets | None
    targets: list[str]
    kind: str
    met: bool
    target: Offsets | None = None
    form: str | None = None
    probability: float | None = None
    reason: str | None = None
    explanation: str | None = None
    entries: list[TermBody] = Field(default_factory=list)

    @classmethod
    def of(cls, term: TermResult, text: str) -> "TermAnswer":
        return cls.model_construct(
            source=term.constraint.source,
            targets=list(term.constraint.targets),
            kind=term.constraint.kind,
            met=term.met,
            target=term.target,
            form=None if term.target is None else text[slice(*term.target)],
            probability=None if term.probability is None else round(term.probability, 6),
            reason=term.reason,
            explanation=term.match.explanation if term.match else None,
            entries=[TermBody.of(entry) for entry in term.match.entries] if term.match else [],
        )


class ProtectedAnswer(BaseModel):
    """What was kept as it is: a placeholder, an address, a path, a symbol; and how its place was found."""

    text: str
    kind: Kind
    source: Offsets
    target: Offsets
    placement: Placement

    @classmethod
    def of(cls, one: ProtectedSpan) -> "ProtectedAnswer":
        return cls.model_construct(
            text=one.text, kind=one.kind, source=one.source, target=one.target, placement=one.placement
        )


class AlternativeAnswer(BaseModel):
    text: str
    score: float
    alignment: list[LinkAnswer] = Field(default_factory=list)
    terms: list[TermAnswer] = Field(default_factory=list)
    complete: bool = Field(description="False where the model's length limit ended it.")
    protected: list[ProtectedAnswer] = Field(default_factory=list, description="What was kept as it is.")
    missing_numbers: list[Offsets] = Field(
        default_factory=list, description="Numbers of the source that the translation lacks."
    )
    warnings: list[str] = Field(default_factory=list, description="What a person should look at.")


class TranslationAnswer(AlternativeAnswer):
    source_language: str
    alternatives: list[AlternativeAnswer] = Field(default_factory=list)

    @classmethod
    def of(cls, found: Translation, source_language: str) -> "TranslationAnswer":
        others = [AlternativeAnswer.model_construct(**_fields(other)) for other in found.alternatives]
        return cls.model_construct(**_fields(found), source_language=source_language, alternatives=others)


class TranslateAnswer(BaseModel):
    """In the order of the texts; model and languages are those of the first."""

    model: str
    source_language: str
    target_language: str
    translations: list[TranslationAnswer]


class WordsAnswer(BaseModel):
    source: list[Offsets]
    target: list[Offsets]


class PairAnswer(BaseModel):
    """Links between words; the matrix has a row for each target word."""

    words: WordsAnswer
    alignment: list[LinkAnswer]
    matrix: list[list[float]] | None = None

    @classmethod
    def of(cls, links: WordLinks, *, matrix: bool) -> "PairAnswer":
        alignment = [
            LinkAnswer.model_construct(
                source=links.source[source], target=links.target[target], probability=round(value, 6)
            )
            for source, target, value in links.links
        ]
        return cls.model_construct(
            words=WordsAnswer.model_construct(source=list(links.source), target=list(links.target)),
            alignment=alignment,
            matrix=[list(row) for row in links.matrix] if matrix else None,
        )


class AlignAnswer(BaseModel):
    model: str
    pairs: list[PairAnswer]


class TokenAnswer(BaseModel):
    """A token of a draft, with what it adds to the text and where it comes from."""

    text: str
    source: Offsets
    probability: float
    log_probability: float

    @classmethod
    def of(cls, token: StreamedToken) -> "TokenAnswer":
        return cls(
            text=token.text,
            source=token.source,
            probability=round(token.probability, 6),
            log_probability=round(token.log_probability, 6),
        )


def _fields(found: Translation) -> dict[str, Any]:
    return {
        "text": found.text,
        "score": found.score,
        "complete": found.complete,
        "alignment": [LinkAnswer.of(link) for link in found.links],
        "terms": [TermAnswer.of(term, found.text) for term in found.terms],
        "protected": [ProtectedAnswer.of(one) for one in found.protected],
        "missing_numbers": list(found.missing_numbers),
        "warnings": list(found.warnings),
    }
