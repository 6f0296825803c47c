"""Responses as JSON. Offsets count characters (Unicode code points), the first and the last + 1."""

from typing import Any

from pydantic import BaseModel, Field

from lexalign.contracts.alignment import SpanLink
from lexalign.markup.protection import Kind, Placement, ProtectedSpan
from lexalign.server.api.entries import EntrySchema
from lexalign.server.batching.work import SubwordLinks, WordLinks
from lexalign.translator import StreamedToken, TermResult, Translation, UncoveredWord

Offsets = tuple[int, int]
# A server-sent event; its data is JSON.
EVENT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["event", "data"],
}


class LinkSchema(BaseModel):
    """A span of the translation, and the span of the source that it is most probably aligned to."""

    source: Offsets
    target: Offsets
    probability: float

    @classmethod
    def from_link(cls, link: SpanLink) -> "LinkSchema":
        probability = round(link.probability or 0.0, 6)
        return cls.model_construct(source=link.source, target=link.target, probability=probability)


class TermResultSchema(BaseModel):
    """Where a term is met and in which form, or the reason why it is not."""

    source: Offsets | None
    targets: list[str]
    kind: str
    met: bool
    target: Offsets | None = None
    form: str | None = None
    part_of: str | None = Field(None, description="The longer word that the form is a part of.")
    probability: float | None = None
    reason: str | None = None
    explanation: str | None = None
    entries: list[EntrySchema] = Field(default_factory=list)

    @classmethod
    def from_result(cls, term: TermResult, text: str) -> "TermResultSchema":
        return cls.model_construct(
            source=term.constraint.source,
            targets=list(term.constraint.targets),
            kind=term.constraint.kind,
            met=term.met,
            target=term.target,
            form=None if term.target is None else text[slice(*term.target)],
            part_of=term.part_of,
            probability=None if term.probability is None else round(term.probability, 6),
            reason=term.reason,
            explanation=term.match.explanation if term.match else None,
            entries=[EntrySchema.from_entry(entry) for entry in term.match.entries] if term.match else [],
        )


class ProtectedSpanSchema(BaseModel):
    """An untranslatable, such as a placeholder, a URL or a symbol, and how its place was found."""

    text: str
    kind: Kind
    source: Offsets
    target: Offsets
    placement: Placement

    @classmethod
    def from_span(cls, one: ProtectedSpan) -> "ProtectedSpanSchema":
        return cls.model_construct(
            text=one.text, kind=one.kind, source=one.source, target=one.target, placement=one.placement
        )


class UncoveredWordSchema(BaseModel):
    """A source word that nothing in the translation seems to come from."""

    source: Offsets
    probability: float = Field(description="The probability that it is not translated.")
    lost: bool = Field(description="Whether it is likely lost, rather than left out on purpose.")

    @classmethod
    def from_word(cls, one: UncoveredWord) -> "UncoveredWordSchema":
        return cls.model_construct(source=one.source, probability=round(one.probability, 6), lost=one.lost)


class SentenceSchema(BaseModel):
    """A sentence of the source, and its translation."""

    source: Offsets
    target: Offsets


class AlternativeSchema(BaseModel):
    """One of the best translations of a text."""

    text: str
    score: float
    sentences: list[SentenceSchema] = Field(default_factory=list)
    alignment: list[LinkSchema] = Field(default_factory=list)
    terms: list[TermResultSchema] = Field(default_factory=list)
    complete: bool = Field(description="False if it was cut off at the length limit.")
    protected: list[ProtectedSpanSchema] = Field(
        default_factory=list, description="Untranslatables that were kept as they are."
    )
    missing_numbers: list[Offsets] = Field(
        default_factory=list, description="Numbers of the source that the translation lacks."
    )
    covered: float | None = Field(
        default=None, description="The share of source words that are translated, if known."
    )
    uncovered: list[UncoveredWordSchema] = Field(
        default_factory=list, description="The source words that are not translated."
    )
    warnings: list[str] = Field(default_factory=list, description="What a person should check.")


class TranslationSchema(AlternativeSchema):
    """The best translation of a text, and its alternatives."""

    source_language: str
    alternatives: list[AlternativeSchema] = Field(default_factory=list)

    @classmethod
    def from_translation(cls, found: Translation, source_language: str) -> "TranslationSchema":
        others = [
            AlternativeSchema.model_construct(**translation_fields(other)) for other in found.alternatives
        ]
        return cls.model_construct(
            **translation_fields(found), source_language=source_language, alternatives=others
        )


class TranslateResponse(BaseModel):
    """Translations in the order of the texts; model and languages are those of the first."""

    model: str
    source_language: str
    target_language: str
    translations: list[TranslationSchema]


class WordSpansSchema(BaseModel):
    """The words of a pair of texts, by their offsets."""

    source: list[Offsets]
    target: list[Offsets]


class SubwordAlignmentSchema(BaseModel):
    """The model's tokens of a pair of texts, by their offsets, and a row of probabilities for each target."""

    source: list[Offsets]
    target: list[Offsets]
    matrix: list[list[float]]


class WordAlignmentSchema(BaseModel):
    """The word alignment of a pair of texts; the matrix has a row for each target word."""

    words: WordSpansSchema
    alignment: list[LinkSchema]
    matrix: list[list[float]] | None = None
    subwords: SubwordAlignmentSchema | None = None

    @classmethod
    def from_links(cls, links: WordLinks) -> "WordAlignmentSchema":
        alignment = [
            LinkSchema.model_construct(
                source=links.source[source], target=links.target[target], probability=round(value, 6)
            )
            for source, target, value in links.links
        ]
        return cls.model_construct(
            words=WordSpansSchema.model_construct(source=list(links.source), target=list(links.target)),
            alignment=alignment,
            matrix=None if links.matrix is None else links.matrix.tolist(),
            subwords=None if links.subwords is None else _subwords(links.subwords),
        )


def _subwords(links: SubwordLinks) -> SubwordAlignmentSchema:
    return SubwordAlignmentSchema.model_construct(
        source=list(links.source), target=list(links.target), matrix=links.matrix.tolist()
    )


class AlignResponse(BaseModel):
    model: str
    pairs: list[WordAlignmentSchema]


class TokenSchema(BaseModel):
    """A token of a greedy translation: the text that it adds, and the source span that it is aligned to."""

    text: str
    source: Offsets
    probability: float
    log_probability: float

    @classmethod
    def from_token(cls, token: StreamedToken) -> "TokenSchema":
        return cls(
            text=token.text,
            source=token.source,
            probability=round(token.probability, 6),
            log_probability=round(token.log_probability, 6),
        )


def translation_fields(found: Translation) -> dict[str, Any]:
    return {
        "text": found.text,
        "score": found.score,
        "complete": found.complete,
        "sentences": [
            SentenceSchema.model_construct(source=one.source, target=one.target) for one in found.sentences
        ],
        "alignment": [LinkSchema.from_link(link) for link in found.links],
        "terms": [TermResultSchema.from_result(term, found.text) for term in found.terms],
        "protected": [ProtectedSpanSchema.from_span(one) for one in found.protected],
        "missing_numbers": list(found.missing_numbers),
        "covered": found.covered,
        "uncovered": [UncoveredWordSchema.from_word(one) for one in found.uncovered],
        "warnings": list(found.warnings),
    }
