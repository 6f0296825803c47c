"""Names and identifiers that every database can hold."""

from lexalign.contracts.errors import LexalignError
from lexalign.text.surface import check_unicode


def check_name(name: str) -> str:
    """PostgreSQL has no zero character, and no database half of a surrogate pair."""
    check_unicode(name)
    if "\0" in name:
        raise LexalignError("a name must not contain NUL characters; leave them out")
    return name


def is_identifier(text: str) -> bool:
    """Whether this could identify something; other text need not be looked for."""
    return text.isascii() and text.isprintable()
