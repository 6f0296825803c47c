"""Tags in the message of a program, where nothing is escaped, so a tag must have a name.

Placeholders such as `%s` and `{name}` are not tags: the translator protects them, and the words around them
are translated as those of one sentence. Those that it would not know are held as `{v1}`, `{v2}`, ….
"""

import re
from collections import Counter

from lexalign.contracts.errors import LexalignError
from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.tagged_text import TaggedText

_TAGS = re.compile(
    r"""
    (?P<end></(?P<end_name>[A-Za-z0-9][\w:-]*)\s*>)
  | (?P<start><(?P<start_name>[A-Za-z0-9][\w:-]*)(?:\s[^<>]*?)?(?P<alone>/)?>)
  | (?P<code>&(?:\#\d+|\#x[0-9a-fA-F]+|[A-Za-z]\w*);)         # a character entity
    """,
    re.VERBOSE,
)
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
_HELD = re.compile(r"\{v\d+\}")


def read_message_tags(text: str) -> TaggedText:
    """Parse the tags of a message."""
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
            builder.empty(match[0], breaks=(match["start_name"] or "").lower() == "br")
    builder.text(text[position:])
    return builder.build()


class HeldPlaceholders:
    """Placeholders of a message in a form that the translator protects."""

    def __init__(self, text: str) -> None:
        self._taken = frozenset(_HELD.findall(text))  # by the message itself
        self._held: dict[str, str] = {}
        self._number = 0

    def hold(self, markup: str) -> str:
        """The name under which some markup is held."""
        name = ""
        while not name or name in self._taken:
            self._number += 1
            name = f"{{v{self._number}}}"
        self._held[name] = markup
        return name

    def restore(self, text: str) -> str:
        """Put the markup back; each held placeholder must occur once."""
        counts = Counter(_HELD.findall(text))
        for name, markup in self._held.items():
            if counts[name] != 1:
                raise LexalignError(
                    f"the placeholder {markup!r} is not in the translation {text[:60]!r}; "
                    "translate without --no-protect"
                )
        return _HELD.sub(lambda match: self._held.get(match[0], match[0]), text)
