"""Tagged text from the strings of a program: tags in plain text are kept as tags.

Nothing is escaped in such strings, so what looks like a tag is taken for one only where it has a name.
Placeholders such as `%s` and `{name}` are words of their sentence, and a translator's to keep.
"""

import re

from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.tagged_text import TaggedText

_TAGS = re.compile(
    r"""
    (?P<end></(?P<end_name>[A-Za-z][\w:-]*)\s*>)
  | (?P<start><(?P<start_name>[A-Za-z][\w:-]*)(?:\s[^<>]*?)?(?P<alone>/)?>)
  | (?P<code>&(?:\#\d+|\#x[0-9a-fA-F]+|[A-Za-z]\w*);)         # an entity of the page it will be shown on
    """,
    re.VERBOSE,
)
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905


def read_plain_tags(text: str) -> TaggedText:
    builder = TagBuilder()
    position = 0
    for match in _TAGS.finditer(text):
        builder.text(text[position : match.start()])
        position = match.end()
        if match["end"]:
            builder.close(match[0], match["end_name"])
        elif match["start"] and not match["alone"] and match["start_name"].lower() not in _EMPTY:
            builder.open(match[0], match["start_name"])
        else:
            builder.alone(match[0], breaks=(match["start_name"] or "").lower() == "br")
    builder.text(text[position:])
    return builder.build()
