"""The choice of an installed font for each word of a figure.

matplotlib's own font has no Devanagari, Japanese or Chinese. For each word a font is searched that has all of
its characters, so that combining characters are shaped by one font: first among fonts known to be good for
such scripts, then among all installed fonts.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from lexalign.contracts.errors import LexalignError

_DEFAULT = "DejaVu Sans"  # comes with matplotlib
_PREFERRED = (
    "Noto Sans",
    "Noto Sans Devanagari",
    "Lohit Devanagari",
    "Kohinoor Devanagari",
    "Nirmala UI",
    "Mangal",
    "Noto Sans CJK JP",
    "Noto Sans JP",
    "Source Han Sans",
    "Hiragino Sans",
    "IPAexGothic",
    "IPAGothic",
    "TakaoGothic",
    "VL Gothic",
    "Yu Gothic",
    "Meiryo",
    "Noto Sans CJK SC",
    "PingFang SC",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Apple SD Gothic Neo",
    "Malgun Gothic",
    "Noto Sans Arabic",
    "Arial Unicode MS",
)


def word_fonts(words: Iterable[str], font: Path | None = None) -> dict[str, list[str]]:
    """The font families of each word; `font` is a file that is tried after matplotlib's own font."""
    own = [_register(font)] if font else []
    return {word: [_family(word, own), _DEFAULT] for word in set(words)}


def _register(font: Path) -> str:
    from matplotlib.font_manager import FontProperties, fontManager

    try:
        fontManager.addfont(str(font))
        return FontProperties(fname=str(font)).get_name()
    except (OSError, RuntimeError) as error:
        raise LexalignError(f"cannot read the font {font}: {error}") from None


def _family(word: str, own: list[str]) -> str:
    wanted = frozenset(ord(character) for character in word if not character.isspace())
    for family in _families(own):
        if wanted <= _characters(family):
            return family
    raise LexalignError(
        f"no installed font can draw {word!r}; install one that can, such as Noto Sans Devanagari for Hindi "
        "or Noto Sans CJK for Japanese, or name a font's file with --font"
    )


def _families(own: list[str]) -> Iterator[str]:
    from matplotlib.font_manager import fontManager

    installed = {entry.name for entry in fontManager.ttflist}
    yield from (_DEFAULT, *own)
    yield from (name for name in _PREFERRED if name in installed)
    # The "last resort" font draws every character as a box that names its block.
    yield from sorted(name for name in installed if not name.startswith("Last Resort"))


@cache
def _characters(family: str) -> frozenset[int]:
    from matplotlib.font_manager import fontManager, get_font

    path = next(entry.fname for entry in fontManager.ttflist if entry.name == family)
    try:
        return frozenset(get_font(path).get_charmap())
    except (OSError, RuntimeError, ValueError):
        return frozenset()
