"""What clients may ask."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import MatchOptions
from lexalign.glossary.matching.matcher import SourceForms, TargetForms
from lexalign.server.api.terms import Language, Terms, asked_glossary
from lexalign.server.batching.lanes import size_of
from lexalign.server.http.services import Services
from lexalign.server.translating.markup import TagHandling
from lexalign.server.translating.service import Order
from lexalign.translator import PolicyName

Text = Annotated[str, Field(max_length=200_000)]

TRANSLATE_EXAMPLE: dict[str, Any] = {
    "text": "Das Haus ist groß.",
    "source_language": "de",
    "target_language": "en",
    "glossary": [{"source": "Haus", "targets": ["mansion"]}],
    "alternatives": 2,
}


class OrderBody(BaseModel):
    """How texts are to be translated."""

    model_config = ConfigDict(extra="forbid")

    source_language: Language | None = Field(None, description="Guessed where it is left out.")
    target_language: Language | None = Field(None, description="May be left out where only one is loaded.")
    glossary: Terms | None = Field(None, description="Terms for this request.")
    glossary_id: str | None = Field(None, max_length=64, description="A kept glossary.")
    policy: PolicyName | None = Field(
        None, description="How terms are met; guided, or vdba for a model without an aligner."
    )
    beam: int = Field(5, ge=1, le=16, description="Hypotheses followed at a time.")
    alternatives: int = Field(0, ge=0, le=15, description="Further translations, fewer than beam.")
    align: bool | None = Field(None, description="Tell the source of every word; where the model can.")
    split_sentences: bool = Field(True, description="Whether sentences are told apart, or only lines.")
    protect: bool = Field(True, description="Placeholders, addresses, code and symbols are kept.")
    source_forms: SourceForms = "inflected"
    target_forms: TargetForms = "follow"
    tags: TagHandling | None = Field(None, description="Markup in the texts.")

    @model_validator(mode="after")
    def _alternatives_fit(self) -> "OrderBody":
        if self.alternatives >= self.beam:
            raise ValueError("alternatives must be fewer than beam")
        return self

    async def order(self, server: Services, texts: list[str]) -> Order:
        size = size_of(0, num_texts=0, num_terms=len(self.glossary or ()))
        run = server.lanes.run if self.glossary_id is None else server.lanes.read
        return await run(size, self._order, server, texts)

    def _order(self, server: Services, texts: list[str]) -> Order:
        return Order(
            texts=tuple(texts),
            source=self.source_language,
            target=self.target_language,
            glossary=asked_glossary(server, self.glossary, self.glossary_id),
            policy=self.policy,
            beam=self.beam,
            alternatives=self.alternatives,
            align=self.align,
            sentences=self.split_sentences,
            protect=self.protect,
            forms=MatchOptions(source_forms=self.source_forms, target_forms=self.target_forms),
            tags=self.tags,
        )


class TranslateBody(OrderBody):
    """A text, or several."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [TRANSLATE_EXAMPLE]})

    text: Text | Annotated[list[Text], Field(min_length=1, max_length=1000)]

    @property
    def texts(self) -> list[str]:
        return [self.text] if isinstance(self.text, str) else self.text


class StreamBody(OrderBody):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [TRANSLATE_EXAMPLE]})

    text: Text


class PairBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: Text
    target: Text


class AlignBody(BaseModel):
    """Texts and their translations."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"pairs": [{"source": "Das Haus ist groß.", "target": "The house is big."}]}]
        },
    )

    pairs: list[PairBody] = Field(min_length=1, max_length=1000)
    source_language: Language | None = None
    target_language: Language | None = None
    matrix: bool = Field(False, description="Also give every probability, of all pairs of words.")

    def checked_pairs(self) -> list[tuple[str, str]]:
        for number, pair in enumerate(self.pairs, start=1):
            if not pair.source.strip() or not pair.target.strip():
                raise LexalignError(f"pair {number} has an empty side; there is nothing to align")
        return [(pair.source, pair.target) for pair in self.pairs]
