"""Bodies of requests for translation and alignment."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import MatchOptions
from lexalign.glossary.matching.matcher import SourceForms, TargetForms
from lexalign.server.api.chosen_glossaries import ChosenGlossaries
from lexalign.server.api.entries import Language
from lexalign.server.http.services import Services
from lexalign.server.translating.markup import TagHandling
from lexalign.server.translating.requests import TranslationRequest
from lexalign.translator import PolicyName

Text = Annotated[str, Field(max_length=200_000)]

TRANSLATE_EXAMPLE: dict[str, Any] = {
    "text": "Das Haus ist groß.",
    "source_language": "de",
    "target_language": "en",
    "glossary": [{"source": "Haus", "targets": ["mansion"]}],
    "alternatives": 2,
}


class TranslationOptionsBody(ChosenGlossaries):
    """How texts are to be translated."""

    model_config = ConfigDict(extra="forbid")

    source_language: Language | None = Field(None, description="Detected if left out.")
    target_language: Language | None = Field(None, description="May be left out if only one is loaded.")
    policy: PolicyName | None = Field(
        None, description="Decoding policy for terms; by default that of the server, guided."
    )
    beam: int = Field(5, ge=1, le=16, description="Beam size.")
    alternatives: int = Field(0, ge=0, le=15, description="Number of further translations, fewer than beam.")
    align: bool = Field(True, description="Whether to align the words.")
    split_sentences: bool = Field(
        True, description="Whether texts are split into sentences, or only into lines."
    )
    protect: bool = Field(
        True, description="Whether placeholders, addresses, code and symbols are kept as they are."
    )
    source_forms: SourceForms = "inflected"
    target_forms: TargetForms = "all"
    compounds: bool = Field(True, description="Whether targets may be parts of compounds, in German.")
    tags: TagHandling | None = Field(None, description="The markup of the texts.")

    @model_validator(mode="after")
    def _alternatives_fit(self) -> "TranslationOptionsBody":
        if self.alternatives >= self.beam:
            raise ValueError("alternatives must be fewer than beam")
        return self

    async def to_request(self, server: Services, texts: list[str]) -> TranslationRequest:
        glossary, stored = await self.read_glossaries(server)
        return TranslationRequest(
            texts=tuple(texts),
            source=self.source_language,
            target=self.target_language,
            glossary=glossary,
            stored=stored,
            policy=self.policy,
            beam=self.beam,
            alternatives=self.alternatives,
            align=self.align,
            sentences=self.split_sentences,
            protect=self.protect,
            forms=MatchOptions(
                source_forms=self.source_forms, target_forms=self.target_forms, compounds=self.compounds
            ),
            tags=self.tags,
        )


class TranslateBody(TranslationOptionsBody):
    """One text to translate, or several."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [TRANSLATE_EXAMPLE]})

    text: Text | Annotated[list[Text], Field(min_length=1, max_length=1000)]

    @property
    def texts(self) -> list[str]:
        return [self.text] if isinstance(self.text, str) else self.text


class StreamBody(TranslationOptionsBody):
    """A text to translate as a stream."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [TRANSLATE_EXAMPLE]})

    text: Text


class PairBody(BaseModel):
    """A text and its translation."""

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
    matrix: bool = Field(False, description="Also give the probabilities of all pairs of words.")
    subwords: bool = Field(False, description="Also give those of all pairs of the model's tokens.")

    def checked_pairs(self) -> list[tuple[str, str]]:
        for number, pair in enumerate(self.pairs, start=1):
            if not pair.source.strip() or not pair.target.strip():
                raise LexalignError(f"pair {number} has an empty side; there is nothing to align")
        return [(pair.source, pair.target) for pair in self.pairs]
