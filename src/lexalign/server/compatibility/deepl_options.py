"""Options that DeepL's texts and documents share. What cannot be done is refused, not ignored."""

from typing import Annotated, Any, Literal

from fastapi import Depends
from pydantic import BaseModel, BeforeValidator, Field

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary
from lexalign.server.api.entries import Language
from lexalign.server.http.errors import ERROR_RESPONSES, NOT_FOUND
from lexalign.server.http.services import Services, services

DEEPL_ERROR_RESPONSES = {**ERROR_RESPONSES, 403: {**ERROR_RESPONSES[401]}, **NOT_FOUND}
Server = Annotated[Services, Depends(services)]


def none_if_empty(value: Any) -> Any:
    """A form has empty fields where JSON has none."""
    return None if value == "" else value


def _split(value: Any) -> Any:
    """DeepL's lists are lists in JSON, and separated by commas in forms."""
    if not isinstance(value, str | list):
        return value
    parts = [value] if isinstance(value, str) else value
    return [
        piece.strip() for part in parts for piece in (part.split(",") if isinstance(part, str) else [part])
    ]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


OptionalText = Annotated[Annotated[str, Field(max_length=64)] | None, BeforeValidator(none_if_empty)]
OptionalLanguage = Annotated[Language | None, BeforeValidator(none_if_empty)]
Identifiers = Annotated[
    list[Annotated[str, Field(max_length=64)]], BeforeValidator(_split), Field(max_length=5)
]
Tags = Annotated[list[Annotated[str, Field(max_length=100)]], BeforeValidator(_split), Field(max_length=200)]
Instructions = Annotated[
    list[Annotated[str, Field(max_length=1000)]], BeforeValidator(_as_list), Field(max_length=100)
]


class DeepLOptions(BaseModel):
    target_lang: Language
    source_lang: OptionalLanguage = None
    formality: Literal["default", "more", "less", "prefer_more", "prefer_less"] = "default"
    glossary_id: OptionalText = None
    glossary_ids: Identifiers | None = None
    style_id: OptionalText = Field(None, description="Refused: there are no style rules.")
    translation_memory_id: OptionalText = Field(None, description="Refused: there are no memories.")
    custom_instructions: Instructions | None = Field(None, description="Refused.")

    def check(self) -> None:
        if self.formality in ("more", "less"):
            raise LexalignError("formality is not supported; use default, prefer_more or prefer_less")
        if self.style_id or self.custom_instructions:
            raise LexalignError("style rules and custom instructions are not supported; leave them out")
        if self.translation_memory_id:
            raise LexalignError("translation memories are not supported; leave translation_memory_id out")
        if self.glossary_id and self.glossary_ids:
            raise LexalignError("give glossary_id or glossary_ids, not both")

    @property
    def identifiers(self) -> list[str]:
        return [one for one in (self.glossary_id, *(self.glossary_ids or ())) if one]

    async def glossaries(self, server: Services) -> tuple[Glossary, ...]:
        """Of several, the first that has a term says how it is translated."""
        if not self.identifiers:
            return ()
        return await server.threads.read(0, lambda: tuple(map(server.glossaries.get, self.identifiers)))
