"""Languages that documents name."""

import re
from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.document import DocumentOptions, Edit
from lexalign.markup.documents.xml_tree import Element


def target_language(named: str | None, options: DocumentOptions, where: str) -> str | None:
    """The one that the document names, which must be the one that is asked for; or None to name none."""
    if named and options.target_language and not same_language(named, options.target_language):
        raise LexalignError(
            f"{where} is for {named!r}, and --to is {options.target_language!r}; leave one out"
        )
    return None if named else options.target_language


def same_language(one: str, other: str) -> bool:
    """Whether two codes are of one language, as `de` and `de-AT`."""
    first, second = (code.lower().replace("_", "-").split("-") for code in (one, other))
    return first[0] == second[0] and (len(first) == 1 or len(second) == 1 or first == second)


def set_attribute(text: str, element: Element, name: str, value: str | None) -> Iterator[Edit]:
    """Give an element an attribute, in the place of one of the same name."""
    if value is None:
        return
    tag = text[element.start : element.inner_start]
    written = f" {name}={quoteattr(value)}"
    old = re.search(rf"""\s{re.escape(name)}\s*=\s*("[^"]*"|'[^']*')""", tag)
    if old:
        yield Edit(start=element.start + old.start(), end=element.start + old.end(), before=written)
        return
    place = element.start + len(tag) - (2 if tag.endswith("/>") else 1)
    yield Edit(start=place, end=place, before=written)
