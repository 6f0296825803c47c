"""What the writers of XML formats share."""

from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import Entry


def language(code: str | None, entry: Entry) -> str:
    if not code:
        raise LexalignError(
            f'the languages of "{entry.source}" are not known, and this format names them; say which they are'
        )
    return code


def render_tree(root: Any, doctype: str | None = None) -> bytes:
    from lxml import etree

    written: bytes = etree.tostring(
        root, xml_declaration=True, encoding="UTF-8", pretty_print=True, doctype=doctype
    )
    return written
