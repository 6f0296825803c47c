"""One name for a language, in whatever form it is given: `de` is de-AT, deu_Latn and de_DE."""

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
"""
_TWO_LETTERS = dict(pair.split(":") for pair in _THREE_LETTERS.split())
# Forms that only models use: deu_Latn, en_XX.
_OF_MODELS = re.compile(r"[a-z]{3}_[A-Z][a-z]{3}|[a-z]{2}_XX")


def primary(language: str) -> str:
    """Without region and script, in two letters where there are."""
    first = language.replace("_", "-").partition("-")[0].lower()
    return _TWO_LETTERS.get(first, first)


def public_name(language: str) -> str:
    """What a document may call a language, where a model's own code was given."""
    return primary(language) if _OF_MODELS.fullmatch(language) else language


def find_language(wanted: str, known: Iterable[str]) -> str | None:
    """The code of a model for a language: the same, or the only one of that language."""
    codes = list(known)
    if wanted in codes:
        return wanted
    found = [code for code in codes if primary(code) == primary(wanted)]
    if len(found) > 1:
        raise LexalignError(f"the model has several languages {wanted!r}; choose one: {', '.join(found)}")
    return found[0] if found else None
