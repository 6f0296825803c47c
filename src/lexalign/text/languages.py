"""Normalisation of language names and codes: DE, de-AT, de_DE, deu_Latn and German are all `de`."""

import re
from collections.abc import Iterable

from lexalign.contracts.errors import LexalignError

# Codes of three letters by those of two (ISO 639); where NLLB names one member of a group, that member.
_THREE_LETTERS = """
afr:af aka:ak als:sq amh:am ara:ar arb:ar asm:as ayr:ay azj:az bak:ba bam:bm bel:be ben:bn bod:bo
bos:bs bul:bg cat:ca ces:cs cmn:zh cym:cy dan:da deu:de dzo:dz ell:el eng:en epo:eo est:et eus:eu
ewe:ee fao:fo fas:fa fij:fj fin:fi fra:fr gaz:om gla:gd gle:ga glg:gl grn:gn guj:gu hat:ht hau:ha
heb:he hin:hi hrv:hr hun:hu hye:hy ibo:ig ind:id isl:is ita:it jav:jv jpn:ja kan:kn kat:ka kaz:kk
khk:mn khm:km kik:ki kin:rw kir:ky kmr:ku kon:kg kor:ko lao:lo lav:lv lim:li lin:ln lit:lt ltz:lb
lug:lg lvs:lv mal:ml mar:mr mkd:mk mlt:mt mri:mi msa:ms mya:my nld:nl nno:nn nob:nb nor:no npi:ne
nya:ny oci:oc ory:or pan:pa pbt:ps pes:fa plt:mg pol:pl por:pt quy:qu ron:ro run:rn rus:ru sag:sg
san:sa sin:si slk:sk slv:sl smo:sm sna:sn snd:sd som:so sot:st spa:es sqi:sq srd:sc srp:sr ssw:ss
sun:su swa:sw swe:sv swh:sw tam:ta tat:tt tel:te tgk:tg tgl:tl tha:th tir:ti tsn:tn tso:ts tuk:tk
tur:tr twi:tw uig:ug ukr:uk urd:ur uzn:uz vie:vi wol:wo xho:xh ydd:yi yor:yo zho:zh zsm:ms zul:zu
alb:sq arm:hy baq:eu bur:my chi:zh cze:cs dut:nl fre:fr geo:ka ger:de gre:el ice:is mac:mk mao:mi
may:ms per:fa rum:ro slo:sk tib:bo wel:cy
"""
# English names; a code without one is its own name.
NAMES = {
    "af": "Afrikaans", "ar": "Arabic", "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali",
    "bs": "Bosnian",
    "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian",
    "fi": "Finnish", "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati", "he": "Hebrew",
    "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ka": "Georgian", "kk": "Kazakh", "ko": "Korean",
    "lt": "Lithuanian", "lv": "Latvian", "mk": "Macedonian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese",
    "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "te": "Telugu", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_TWO_LETTERS = dict(pair.split(":") for pair in _THREE_LETTERS.split())
_BY_NAME = {name.lower(): code for code, name in NAMES.items()}
# Forms that only models use: deu_Latn, en_XX.
_OF_MODELS = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}|[a-z]{2}_XX")
_REGION = re.compile(r"[-_]")
_KNOWN = {*NAMES, *_TWO_LETTERS.values()}


def primary(language: str) -> str:
    """The primary subtag, without region and script, as two letters where possible; also of English names."""
    first = language.strip().replace("_", "-").partition("-")[0].lower()
    return _BY_NAME.get(first) or _TWO_LETTERS.get(first, first)


def public_name(language: str) -> str:
    """The language tag for documents: a region stays, as in en-GB, but forms that only models use do not."""
    has_region = _REGION.search(language) and not _OF_MODELS.fullmatch(language)
    return language if has_region else primary(language)


def is_language(code: str) -> bool:
    """Whether a two-letter code is one of those that models commonly have."""
    return code in _KNOWN


def language_name(language: str) -> str:
    """The English name of a language."""
    return NAMES.get(primary(language), language)


def find_language(wanted: str, known: Iterable[str]) -> str | None:
    """The model's code of a language: the same code, or the only one of that language."""
    codes = list(known)
    if wanted in codes:
        return wanted
    found = [code for code in codes if primary(code) == primary(wanted)]
    if len(found) > 1:
        raise LexalignError(f"the model has several languages {wanted!r}; choose one: {', '.join(found)}")
    return found[0] if found else None
