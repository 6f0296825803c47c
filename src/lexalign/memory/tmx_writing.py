"""Translations written as TMX 1.4: a new file, or at the end of one that is there already."""

import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.markup import Tag, TaggedText
from lexalign.storage import new_file
from lexalign.text.subwords import Languages

_TAIL = 4096  # bytes at the end of a file, among which its body ends
_BODY_END = re.compile(rb"</body\s*>")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Pair = tuple[TaggedText, TaggedText]


def write_memory(path: Path, pairs: Iterable[Pair], languages: Languages) -> None:
    """What a file has already stays as it is, to the byte; it is UTF-8."""
    with new_file(path) as temporary, temporary.open("wb") as file:
        end = _copy_body(path, file) if path.exists() else _write_head(file, languages)
        for source, target in pairs:
            file.write(_unit(source, target, languages).encode())
        file.write(end)


def _write_head(file: IO[bytes], languages: Languages) -> bytes:
    header = (
        f'<header creationtool="lexalign" creationtoolversion={quoteattr(__version__)} segtype="paragraph" '
        f'o-tmf="lexalign" adminlang="en" srclang={quoteattr(languages[0])} datatype="plaintext"/>'
    )
    file.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n{header}\n<body>\n'.encode())
    return b"</body>\n</tmx>\n"


def _copy_body(path: Path, file: IO[bytes]) -> bytes:
    """Copy the file up to the end of its body, and return the rest of it."""
    size = path.stat().st_size
    with path.open("rb") as old:
        old.seek(max(0, size - _TAIL))
        tail = old.read()
        ends = list(_BODY_END.finditer(tail))
        if not ends or b"\0" in tail:
            raise LexalignError(f"{path}: not a TMX file in UTF-8; units can only be added to such a file")
        old.seek(0)
        length = size - len(tail) + ends[-1].start()
        shutil.copyfileobj(old, file)
    file.seek(length)
    file.truncate()
    return tail[ends[-1].start() :]


def _unit(source: TaggedText, target: TaggedText, languages: Languages) -> str:
    sides = "".join(
        f"<tuv xml:lang={quoteattr(language)}><seg>{_segment(side)}</seg></tuv>"
        for side, language in zip((source, target), languages, strict=True)
    )
    return f"<tu>{sides}</tu>\n"


def _segment(tagged: TaggedText) -> str:
    """The text with its tags; tags of both sides have the same numbers, since they have the same indices."""
    tags = [_code(tag, number) for number, tag in enumerate(tagged.tags, start=1)]
    return TaggedText(tagged.text, tags).render(_text)


def _code(tag: Tag, number: int) -> Tag:
    opening, closing = _text(tag.opening), _text(tag.closing)
    match tag.kind:
        case "pair":
            opening = f'<bpt i="{number}" x="{number}">{opening}</bpt>'
            closing = f'<ept i="{number}">{closing}</ept>'
        case "empty":
            opening = f'<ph x="{number}">{opening}</ph>'
        case "opening" | "closing":
            where = "begin" if tag.kind == "opening" else "end"
            opening = f'<it x="{number}" pos="{where}">{opening}</it>'
    return replace(tag, opening=opening, closing=closing)


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))
