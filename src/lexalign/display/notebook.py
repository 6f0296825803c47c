"""A translation in a notebook: both texts, in which pointing at a word shows the words it is aligned with.

The style is scoped to the element, because a notebook has styles of its own.
"""

from itertools import count
from typing import TYPE_CHECKING

from lexalign.display.page import article
from lexalign.display.page_style import ARTICLE_STYLE, COLOURS, DARK_COLOURS, HOVER

if TYPE_CHECKING:
    from lexalign.translator import Translation

_numbers = count(1)  # of the elements of this session; a notebook may show one translation twice


def notebook_html(translation: "Translation") -> str:
    number = next(_numbers)
    style = (
        f"@scope (.lexalign) {{ :scope {{ {COLOURS} color: var(--ink); }} {ARTICLE_STYLE} }}"
        f"@media (prefers-color-scheme: dark) {{ .lexalign {{ {DARK_COLOURS} }} }}"
    )
    shown = article(number, translation.source, translation)
    script = f'{{ {HOVER} linkWords(document.querySelector("#lexalign-{number} article")); }}'
    return (
        f'<div class="lexalign" id="lexalign-{number}"><style>{style}</style>{shown}'
        f"<script>{script}</script></div>"
    )
