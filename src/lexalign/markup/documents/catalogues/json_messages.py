"""JSON catalogues: every string is a message; keys, order, white space and all other values stay to the byte.

Nested keys, lists and plural keys (`item_one`, `item_other`) need nothing of their own. Two dialects keep
more: ARB, whose keys with @ describe messages, and the catalogues of browser extensions, whose messages are
in `message` alone.
"""

import re
from collections.abc import Iterator

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.catalogues.json_tree import (
    JsonValue,
    Lines,
    parse_json,
    strings,
    write_string,
)
from lexalign.markup.documents.catalogues.messages import message_edits
from lexalign.markup.documents.document import DocumentOptions, Edit, SplicedDocument
from lexalign.markup.documents.encoding import decode

_ESCAPED = re.compile(r"\\u(?!00[01])[0-9a-fA-F]{4}")


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode(content)
    root = parse_json(text)
    if root.kind not in ("object", "array"):
        raise LexalignError("the JSON file is a single value; a catalogue is an object of messages")
    # A file that writes é as \u00e9 goes on doing so.
    ascii_only = text.isascii() and _ESCAPED.search(text) is not None
    lines = Lines(text)
    edits = [*_locale(root, text, options)]
    for path, value in messages(root):
        where = f"line {lines.number(value.start)}: {path!r}"
        span = value.start + 1, value.end - 1
        edits += message_edits(
            span,
            value.string(text),
            where,
            lambda written: write_string(written, ascii_only=ascii_only),
            "icu",
        )
    edits.sort(key=lambda edit: edit.start)
    return SplicedDocument(content=text, edits=edits, escape=write_string, encode=encoding.encode)


def messages(root: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """The strings to translate, with their keys."""
    if _is_extension(root):
        for key, entry in root.children:
            message = entry.child("message")
            if message is not None:
                yield key, message
        return
    for key, value in root.children:
        if not key.startswith(("@", "$schema")):
            yield from strings(value, key)


def _is_extension(root: JsonValue) -> bool:
    """Whether all values are objects with a message: a catalogue of a browser extension."""
    if root.kind != "object" or not root.children:
        return False
    entries = [value.child("message") for _, value in root.children]
    return all(message is not None and message.kind == "string" for message in entries)


def _locale(root: JsonValue, text: str, options: DocumentOptions) -> Iterator[Edit]:
    """ARB names its language."""
    locale = root.child("@@locale")
    if locale is not None and locale.kind == "string" and options.target_language:
        value = (
            options.target_language.replace("-", "_")
            if "_" in locale.string(text)
            else options.target_language
        )
        yield Edit(start=locale.start + 1, end=locale.end - 1, before=write_string(value))
