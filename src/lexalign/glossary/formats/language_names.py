"""Names of languages in the headers of glossary files.

    de   DE   deu   ger   de-AT   de_CH   German   Deutsch   German (Austria)

Codes are those of ISO 639 with two or three letters; names are those in English, in German and in the
language itself, in any case. A region is kept if it is a code.
"""

import re

from lexalign.text.languages import primary

_NAMES = """
af Afrikaans, ar Arabic العربية Arabisch, be Belarusian беларуская Belarussisch, bg
Bulgarian български Bulgarisch, bn Bengali Bangla বাংলা Bengalisch, bs Bosnian bosanski
Bosnisch, ca Catalan català Katalanisch, cs Czech čeština Tschechisch, cy Welsh Cymraeg
Walisisch, da Danish dansk Dänisch, de German Deutsch, el Greek Ελληνικά Griechisch, en
English Englisch, es Spanish español castellano Spanisch, et Estonian eesti Estnisch, eu
Basque euskara Baskisch, fa Persian Farsi فارسی Persisch, fi Finnish suomi Finnisch, fr
French français Französisch, ga Irish Gaeilge Irisch, gl Galician galego Galicisch, gu
Gujarati ગુજરાતી, he Hebrew עברית Hebräisch, hi Hindi हिन्दी हिंदी, hr Croatian hrvatski
Kroatisch, hu Hungarian magyar Ungarisch, hy Armenian Հայերեն Armenisch, id Indonesian
Indonesisch, is Icelandic íslenska Isländisch, it Italian italiano Italienisch, ja Japanese
日本語 Japanisch, ka Georgian ქართული Georgisch, kk Kazakh қазақша Kasachisch, ko Korean 한국어
Koreanisch, la Latin latina Latein, lb Luxembourgish Lëtzebuergesch Luxemburgisch, lt
Lithuanian lietuvių Litauisch, lv Latvian latviešu Lettisch, mk Macedonian македонски
Mazedonisch, mr Marathi मराठी, ms Malay Melayu Malaiisch, mt Maltese Malti Maltesisch, nb
Bokmål, nl Dutch Nederlands Niederländisch, nn Nynorsk, no Norwegian norsk Norwegisch, pa
Punjabi ਪੰਜਾਬੀ, pl Polish polski Polnisch, pt Portuguese português Portugiesisch, ro
Romanian română Rumänisch, ru Russian русский Russisch, sk Slovak slovenčina Slowakisch, sl
Slovenian Slovene slovenščina Slowenisch, sq Albanian shqip Albanisch, sr Serbian српски
srpski Serbisch, sv Swedish svenska Schwedisch, sw Swahili Kiswahili Suaheli, ta Tamil தமிழ்
Tamilisch, te Telugu తెలుగు, th Thai ไทย Thailändisch, tr Turkish Türkçe Türkisch, uk
Ukrainian українська Ukrainisch, ur Urdu اردو, vi Vietnamese Vietnamesisch, zh Chinese 中文 汉语
漢語 Chinesisch
"""
_BY_NAME = {
    name.casefold(): code
    for code, *names in (line.split() for line in _NAMES.split(","))
    for name in (*names, code)
}
# The bibliographic codes of ISO 639-2.
_BIBLIOGRAPHIC = {
    "alb": "sq", "arm": "hy", "baq": "eu", "chi": "zh", "cze": "cs", "dut": "nl", "fre": "fr", "geo": "ka",
    "ger": "de", "gre": "el", "ice": "is", "mac": "mk", "may": "ms", "per": "fa", "rum": "ro", "slo": "sk",
    "wel": "cy",
}  # fmt: skip
_ISO_639_1 = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io
is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn
mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se
sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi
vo wa wo xh yi yo za zh zu
"""
_TWO_LETTERS = frozenset(_ISO_639_1.split())
_CODE = re.compile(r"([a-z]{2,3})((?:[-_][a-z0-9]{2,8})*)", re.IGNORECASE)
_WITH_REGION = re.compile(r"(.+?)\s*[(\[].*[)\]]")


def language_code(name: str) -> str | None:
    """The code of a language, or None for an unknown name."""
    name = name.strip()
    if (known := _BY_NAME.get(name.casefold())) is not None:
        return known
    if found := _CODE.fullmatch(name):
        return _normalized(found[1].lower(), found[2])
    if found := _WITH_REGION.fullmatch(name):
        return language_code(found[1])
    return None


def looks_like_code(name: str) -> bool:
    """Whether this looks like a code in lower case, of a known language or not: gsw, de-CH."""
    found = _CODE.fullmatch(name.strip())
    return found is not None and found[1].islower()


def _normalized(code: str, rest: str) -> str | None:
    known = _BIBLIOGRAPHIC.get(code) or primary(code)
    if len(known) != 2 or (len(code) == 2 and known not in _TWO_LETTERS):
        return None
    return known + "".join(_subtag(part) for part in re.split("[-_]", rest)[1:])


def _subtag(part: str) -> str:
    """A subtag in the case of BCP 47: a region in capitals, a script with a first capital."""
    if len(part) == 2:
        return f"-{part.upper()}"
    return f"-{part.capitalize()}" if len(part) == 4 and part.isalpha() else f"-{part.lower()}"
