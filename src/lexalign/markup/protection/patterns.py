"""The patterns of untranslatables, as regular expressions of linear time, and those of a user.

Every repetition is bounded or possessive, and a form that may begin with its own repeated characters is tried
only where no such character precedes it. So every character is visited a constant number of times at most.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from lexalign.characters import UNSPACED
from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.markup.protection.spans import Untranslatable

# Signs of a number or a name that models translate: 20 °C, № 5.
_ORDINARY = frozenset("°№℃℉")
_SYMBOL_CATEGORIES = frozenset(("So", "Co", "Sm", "Po"))
# Bullets and daggers, which are punctuation in Unicode.
_MARKS = "\u2022\u2023\u2043\u2020\u2021"


def _is_symbol(character: str, category: str) -> bool:
    if character.isascii() or character in _ORDINARY:
        return False
    return category in ("So", "Co") or (category == "Sm" and character not in "¬±×÷") or character in _MARKS


def _ranges(codes: range) -> str:
    """The inside of a character class of all symbols in a range of characters."""
    characters = list(map(chr, codes))
    found: list[list[int]] = []
    # Categories are asked for in one go: it is done whenever the module is imported.
    for character, category in zip(characters, map(unicodedata.category, characters), strict=True):
        if category not in _SYMBOL_CATEGORIES or not _is_symbol(character, category):
            continue
        code = ord(character)
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in found)


_SYMBOL = f"[{_ranges(range(0xA0, 0xD800))}\ue000-\uf8ff{_ranges(range(0xF900, 0x20000))}]"
_MODIFIER = "[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
# One symbol with its modifiers and joiners; or a keycap digit.
SYMBOLS = rf"{_SYMBOL}{_MODIFIER}*+(?:\u200d{_SYMBOL}{_MODIFIER}*+)*+|[0-9\#*]\ufe0f?\u20e3"

# Letters and digits of names in code, without scripts that have no spaces between words.
_W = "A-Za-z0-9_\u00c0-\u024f\u0370-\u052f"
_EXTENSIONS = (
    "7z|accdb|apk|asax|asp|aspx|avi|bak|bash|bat|bib|bmp|bz2|cab|cer|cfg|cmd|conf|config|cpp|crt|cs|cshtml|"
    "csproj|css|csv|db|deb|dll|dmg|doc|docm|docx|dot|dotx|dwg|eml|eps|epub|exe|gif|gz|hpp|htm|html|ico|ics|"
    "idx|ini|inf|ipa|ipynb|iso|jar|java|jpeg|jpg|js|json|jsonl|jsx|kt|lnk|log|lua|m4a|md|mdb|mht|mkv|mo|mov|"
    "mp3|mp4|mpg|msg|msi|odp|ods|odt|ogg|parquet|pbix|pcap|pdf|pem|pfx|php|plist|png|po|pot|pps|ppt|pptm|"
    "pptx|properties|proto|ps1|psd|psm1|pst|py|pyc|rar|rb|reg|resx|rpm|rst|rtf|scss|sh|sln|sql|sqlite|srt|"
    "strings|svg|swift|tar|tbx|tex|tgz|tif|tiff|tmp|tmx|toml|tsv|tsx|ttf|txt|vb|vbs|vcf|vhd|vhdx|vsdx|vtt|"
    "vue|wasm|wav|webm|webp|whl|wmv|woff|xaml|xhtml|xlf|xliff|xls|xlsb|xlsm|xlsx|xml|xsd|xsl|xslt|xz|yaml|"
    "yml|zip"
)
_DOMAINS = (
    "com|org|net|edu|gov|io|dev|app|info|biz|eu|de|at|ch|fr|uk|us|es|it|nl|be|pl|pt|ro|cz|se|no|dk|fi|ru|jp|"
    "cn|in|br|ca|au|local|localhost|test|example"
)
_ROOTS = "etc|usr|var|tmp|home|opt|bin|sbin|dev|proc|lib|mnt|media|srv|root|api|v1|v2|v3|health|metrics"
# Symbols of units behind a number. Only those are kept that a model is likely to spoil: with a sign that is
# not in its alphabet, put together of several, or of both cases. Others, such as kg and km, are words to it.
_UNIT = (
    "(?:(?:[YZEPTGMkhdcmnpfaµ\u03bc]|da)?(?:m|g|s|A|K|mol|cd|Hz|N|Pa|J|W|C|V|F|T|H|S|Wh|Ah|VA|eV|Nm|Bq|Gy|Sv|L|l|"
    "bar|lx|lm|kat|[Ω\u2126])|min|h|d|ha|t|rpm|ppm|mmHg|cal|kcal|IU|B|bit|dB)(?:[²³⁴⁻¹]{1,3})?"
)
_SPOILED = (
    r"(?:\S{0,4}[µ\u03bcΩ\u2126²³⁻·⋅/]|[kM]?Nm|[hkM]Pa|[mcdn]L|[kMm]?Ah|k?VA|[kMG]eV|mSv|m?Gy|[kM]Bq|IU)"
)
# Powers, indices and fractions, which models spoil: mc², H₂SO₄, 2½. Of a long word only its mark is kept.
_RAISED = "⁰¹²³⁴-⁹⁺⁻⁽⁾ⁱⁿ₀-₎ₐ-ₜᵢ-ᵪ"
_FRACTIONS = "¼-¾⅐-⅞↉"
_LETTER = r"[^\W\d_]"
_ADDRESS = rf"[^\s<>\"`{UNSPACED}，。、；：！？（）「」『』【】»“”„]"

_FORMS = rf"""
    (?P<url>
        (?<![A-Za-z])[A-Za-z][A-Za-z0-9+.-]{{1,15}}://{_ADDRESS}++
      | (?<![\w@.-])www\.{_ADDRESS}++
      | (?<![\w@./-])(?:[A-Za-z0-9-]{{1,63}}+\.){{1,4}}(?:{_DOMAINS})(?![\w.-]*[\w@])(?:[:/?\#]{_ADDRESS}*+)?
      | (?<![\w@./-])(?:[A-Za-z0-9-]{{1,63}}+\.){{1,4}}(?:{_DOMAINS})[/?\#]{_ADDRESS}*+
    )
  | (?P<email>
        (?:mailto:)?(?<![\w.+%-])[\w.+%-]{{1,64}}+@(?:[A-Za-z0-9-]{{1,63}}+\.){{1,8}}[A-Za-z]{{2,24}}(?!\w)
    )
  | (?P<code>
        ``(?!`)[^\n]{{1,300}}?``
      | `[^`\n]{{1,300}}`
      | (?<![\w-])--[a-z][a-z0-9]*+(?:-[a-z0-9]++)*+(?:=[^\s,;]{{1,100}})?
      | (?<!\w)[0-9a-fA-F]{{8}}-(?:[0-9a-fA-F]{{4}}-){{3}}[0-9a-fA-F]{{12}}(?!\w)
      | (?<!\w)0x[0-9a-fA-F]{{1,64}}(?!\w)
      | (?<![\w.])[A-Za-z][{_W}]{{0,60}}+(?:\.[{_W}]{{1,60}}+){{0,6}}\(\)
      | (?<![\w$])(?=[A-Za-z0-9]{{1,60}}_)[{_W}]{{2,120}}+(?:[.][{_W}]{{1,60}}+){{0,6}}
      | (?<!\w)[a-z]{{2,40}}+(?:[A-Z][a-z0-9]{{1,40}}+){{1,8}}(?!\w)
      | (?<![\w.])[A-Za-z][{_W}]{{1,40}}+(?:\.[A-Za-z][{_W}]{{1,40}}+){{2,8}}(?![\w-])
      | (?<![\w-])[A-Z]{{1,6}}-?\d{{3,20}}+[A-Z]{{0,4}}+(?:-[A-Z0-9]{{1,10}}+){{0,3}}(?!\w)
    )
  | (?P<tag>
        </?[A-Za-z][\w:.-]{{0,60}}+(?:\s[^<>]{{0,1000}})?/?>
      | </?\d{{1,3}}/?>
      | <!--[^<>]{{0,1000}}-->
      | &(?:\#\d{{1,7}}|\#x[0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});
      | \]\([^()\s]{{1,500}}(?:\s"[^"\n]{{0,200}}")?\)
    )
  | (?P<placeholder>
        %\([^()\s]{{1,60}}\)[-+\#0]*+\d{{0,4}}(?:\.\d{{1,4}})?[diouxXeEfFgGcrsa]
      | %\{{[^{{}}\s]{{1,60}}\}}
      | (?<![\d%])%(?:\d{{1,2}}\$)?[-+\#0]{{0,3}}(?:\d{{1,4}}|\*)?(?:\.(?:\d{{1,4}}|\*))?
            (?:hh|h|ll|l|L|q|j|z|t)?[diouxXeEfFgGaAcsSpn@](?![A-Za-z])
      | %\d{{1,2}}\b(?!\s?%)
      | %%
      | %[A-Z_][A-Z0-9_]{{1,40}}%(?:\\[\w.\\-]{{1,200}})?
      | \#[A-Z][A-Z0-9_]{{0,40}}\#
      | (?<![\w$])\$[A-Za-z_][A-Za-z0-9_]{{0,60}}
      | (?<!\w)__[A-Za-z0-9](?:[A-Za-z0-9]|_(?!_)){{0,60}}+__(?!\w)
      | <%[^<>%]{{1,200}}%>
      | (?<!\w)_{{3,}}+(?:[./:-]_{{2,}}+){{0,5}}(?!\w)
      | \[\[[^\[\]\n]{{1,60}}\]\]
    )
  | (?P<path>
        (?<!\w)(?:[A-Za-z]:\\|\\\\[\w.-]{{1,60}}\\)
            (?:Program\ Files(?:\ \(x86\))?(?=\\)|[^\s<>:"|?*\\]{{1,255}}+|\\){{0,80}}
      | (?<![\w/.~:)>-])(?:~|\.{{1,2}})?(?:/[{_W}.@+*{{}}-]{{1,255}}+){{2,60}}/?
      | (?<![\w/.~:)>-])(?:~|\.{{1,2}})/[{_W}.@+*-]{{1,255}}+
      | (?<![\w/.~:)>-])/(?:{_ROOTS})(?![\w])
      | (?<![\w/.-])(?:[{_W}.-]{{1,64}}+/){{1,20}}[{_W}-]{{1,64}}+(?:\.[{_W}-]{{1,30}}+){{1,4}}(?!\w)
      | (?<![\w/.\\-])[{_W}*-]{{1,100}}+(?:\.[{_W}-]{{1,30}}+){{0,4}}\.(?i:{_EXTENSIONS})(?![\w-])
      | (?<![\w.])\.(?:{_EXTENSIONS})(?![\w-])
    )
  | (?P<version>
        (?<![\w.,:/-])(?:[vV]\d{{1,9}}+(?:\.\d{{1,9}}+){{0,5}}|\d{{1,9}}+(?:\.\d{{1,9}}+){{1,5}}|\d{{1,9}}+(?=\.[xX*]))
            (?:\.[xX*])?
            (?:[-+_]?(?:alpha|beta|rc|pre|dev|preview|snapshot|SNAPSHOT|post|a|b|[A-Z]{{2,4}})[-.]?\d{{0,6}})?
            (?:\+[A-Za-z0-9.]{{1,20}})?(?!\w)
    )
  | (?P<unit>
        (?<=\d[ \u00a0\u202f])(?={_SPOILED}){_UNIT}(?:[/·⋅]{_UNIT}){{0,3}}(?![\w²³⁻¹])
      | (?<!\w)(?:(?:{_LETTER}{{1,3}}?|\d{{1,9}})[{_RAISED}]{{1,8}}|\d{{0,9}}[{_FRACTIONS}])
            (?:{_LETTER}{{1,2}}?[{_RAISED}]{{0,4}}|\d{{1,3}}){{0,6}}(?!\w)
    )
  | (?P<mention>(?<![\w@/.])@[A-Za-z][\w-]{{0,38}}(?:/[\w.-]{{1,60}})?)
  | (?P<hashtag>(?<![\w&\#/])\#\w[\w-]{{0,60}}(?!\#))
  | (?P<symbol>
        (?<![\w:]):[a-z][a-z0-9_+-]{{1,30}}:(?![\w:])
      | (?:{SYMBOLS})(?:[ \u00a0]?(?:{SYMBOLS}))*+
      | (?:(?<=\W)|(?<={_LETTER}{{4}}))[{_RAISED}]{{1,3}}(?:[ \u00a0][{_RAISED}]{{1,3}})*+(?!\w)
    )
"""


@cache
def forms() -> re.Pattern[str]:
    """All forms; compiled when a text first has a hint, because that takes a while."""
    return re.compile(_FORMS, re.VERBOSE)


# Every form contains one of these hints; most sentences have none.
HINTS = re.compile(
    rf"[`@\#%$<&{{}}\[\]\\/_:|*]|\w\.\w|--|\w\(\)|[a-z][A-Z]|[A-Z]-?\d{{3}}|[vV]\d|0x|[0-9a-fA-F]{{8}}-|\.[a-z]|{SYMBOLS}"
    rf"|\d[ \u00a0\u202f]{_SPOILED}|[{_RAISED}{_FRACTIONS}]"
)


@dataclass(frozen=True)
class Patterns:
    """Regular expressions of a user, for further untranslatables."""

    expressions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for expression in self.expressions:
            _compile(expression)

    def spans(self, text: str) -> Iterator[Untranslatable]:
        for expression in self.expressions:
            for match in _compile(expression).finditer(text):
                if match.start() < match.end():
                    yield Untranslatable(start=match.start(), end=match.end(), kind="custom")


NO_PATTERNS = Patterns()


@lru_cache(maxsize=256)
def _compile(expression: str) -> Any:
    try:
        import re2
    except ImportError:
        raise MissingExtraError("your own patterns need RE2; run: pip install 'lexalign[files]'") from None
    try:
        options = re2.Options()
        options.log_errors = False
        return re2.compile(expression, options)
    except re2.error as error:
        message = error.args[0]
        reason = message.decode() if isinstance(message, bytes) else message
        raise LexalignError(f"the pattern {expression!r} cannot be read: {reason}") from None
