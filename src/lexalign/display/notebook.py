"""A translation in a notebook: both texts, in which pointing at a word shows the words it is aligned with.

The style is scoped to the element, because a notebook has styles of its own. Colours are made from that of
the notebook's text: a notebook is light or dark by its own setting, which a style sheet cannot ask for.
"""

from itertools import count
from typing import TYPE_CHECKING

from lexalign.display.page import article
from lexalign.display.page_style import ARTICLE_STYLE, HOVER

if TYPE_CHECKING:
    from lexalign.translator import Translation

_COLOURS = """--ink: currentColor; --soft: color-mix(in srgb, currentColor 65%, transparent);
  --line: color-mix(in srgb, currentColor 20%, transparent); --link: 66, 135, 214; --good: #1a9a5c;
  --good-wash: rgba(26, 154, 92, .2); --bad: #d4554b; --bad-wash: rgba(212, 85, 75, .2);"""
_numbers = count(1)  # of the elements of this session; a notebook may show one translation twice


def notebook_html(translation: "Translation") -> str:
    number = next(_numbers)
    style = f"@scope (.lexalign) {{ :scope {{ {_COLOURS} }} {ARTICLE_STYLE} }}"
    shown = article(number, translation.source, translation)
    script = f'{{ {HOVER} linkWords(document.querySelector("#lexalign-{number} article")); }}'
    return (
        f'<div class="lexalign" id="lexalign-{number}"><style>{style}</style>{shown}'
        f"<script>{script}</script></div>"
    )
