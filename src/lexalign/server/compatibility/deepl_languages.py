"""DeepL's API: languages and usage, in versions 2 and 3."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel

from lexalign.server.compatibility.deepl_options import DEEPL_ERROR_RESPONSES, Server
from lexalign.server.http.callers import current_caller
from lexalign.server.http.security import require_deepl_key
from lexalign.server.http.services import Services
from lexalign.text.languages import language_name

router = APIRouter(tags=["DeepL"], dependencies=[Depends(require_deepl_key)], responses=DEEPL_ERROR_RESPONSES)
# DeepL's clients require a variant of these as the target language.
_VARIANTS = {"en": ("EN-GB", "EN-US"), "pt": ("PT-BR", "PT-PT")}
_REGIONS = {"GB": " (British)", "US": " (American)", "BR": " (Brazilian)", "PT": " (European)"}
_NO_LIMIT = 1_000_000_000_000
Kind = Literal["source", "target"]
Resource = Literal["translate_text", "translate_document", "glossary", "voice", "write", "style_rules"]
_FEATURES: dict[Resource, tuple[str, ...]] = {
    "translate_text": ("auto_detection", "glossary", "tag_handling"),
    "translate_document": ("auto_detection", "glossary"),
    "glossary": (),
}
_OF_SOURCES = ("auto_detection",)


class DeepLLanguage(BaseModel):
    language: str
    name: str
    supports_formality: bool = False


class LanguageV3(BaseModel):
    """A language, and for each of its features what is to be known of it: nothing more."""

    lang: str
    name: str
    usable_as_source: bool
    usable_as_target: bool
    status: Literal["stable"] = "stable"
    features: dict[str, dict[str, Any]]


class FeatureV3(BaseModel):
    name: str
    needs_source_support: bool
    needs_target_support: bool


class ResourceV3(BaseModel):
    name: str
    features: list[FeatureV3]


class DeepLUsage(BaseModel):
    character_count: int
    character_limit: int


@router.get("/v2/languages", summary="Languages")
@router.post("/v2/languages", summary="Languages")
async def languages(
    request: Request, server: Server, kind: Annotated[Kind | None, Query(alias="type")] = None
) -> list[DeepLLanguage]:
    # The official client sends the type as the form of a GET request.
    wanted = kind or ("target" if b"type=target" in await request.body() else "source")
    codes = _sources(server) if wanted == "source" else _targets(server)
    return [DeepLLanguage(language=shown, name=name) for shown, name in codes]


@router.get("/v3/languages", summary="Languages and what they support")
async def languages_v3(server: Server, resource: Resource) -> list[LanguageV3]:
    """The languages of a resource; voice, write and style rules have none."""
    if resource not in _FEATURES:
        return []
    sources, targets = dict(_sources(server)), dict(_targets(server))
    if resource == "glossary":  # which knows no variants
        targets = {code.upper(): language_name(code) for code in server.catalogue.all_targets()}
    return [
        LanguageV3(
            lang=_with_region(shown),
            name=name,
            usable_as_source=shown in sources,
            usable_as_target=shown in targets,
            features={one: {} for one in _FEATURES[resource] if shown in sources or one not in _OF_SOURCES},
        )
        for shown, name in sorted((targets | sources).items())
    ]


@router.get("/v3/languages/resources", summary="What languages are used for")
async def resources() -> list[ResourceV3]:
    return [
        ResourceV3(
            name=name,
            features=[
                FeatureV3(name=one, needs_source_support=True, needs_target_support=one not in _OF_SOURCES)
                for one in features
            ],
        )
        for name, features in _FEATURES.items()
    ]


@router.get("/v2/usage", summary="Characters translated in this month")
async def usage(server: Server) -> DeepLUsage:
    """The characters of this month and the quota, of the caller's key or, without keys, of all callers."""
    caller = current_caller()
    limit = caller.key.monthly_characters if caller.key else None
    used = server.usage.of(caller.name).characters
    return DeepLUsage(character_count=used, character_limit=_NO_LIMIT if limit is None else limit)


def _sources(server: Services) -> list[tuple[str, str]]:
    return [(code.upper(), language_name(code)) for code in server.catalogue.sources]


def _targets(server: Services) -> list[tuple[str, str]]:
    return [
        (shown, language_name(code) + _REGIONS.get(shown.partition("-")[2], ""))
        for code in server.catalogue.all_targets()
        for shown in _VARIANTS.get(code, (code.upper(),))
    ]


def _with_region(shown: str) -> str:
    """As BCP 47 has it: de, en-GB."""
    code, _, region = shown.partition("-")
    return f"{code.lower()}-{region}" if region else code.lower()
