"""YAML catalogues: every string is a message; comments, keys, anchors and order stay to the byte.

The language at the root of a Rails catalogue (`de:`) becomes the target's. Scalars that some versions of YAML
read as something other than a string, such as a plain `yes`, and symbols (`:day`) are left alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.markup.documents.catalogues.messages import message_edits
from lexalign.markup.documents.catalogues.yaml_scalars import NOT_STRINGS, quoted, write_scalar
from lexalign.markup.documents.document import DocumentOptions, Edit, SplicedDocument, same_language
from lexalign.markup.documents.encoding import decode
from lexalign.markup.inline.builder import MAX_DEPTH
from lexalign.markup.tagged_text import TaggedText

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

_STRING = "tag:yaml.org,2002:str"
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}")
_BRACKETS = re.compile(r"[\[\]{}]")
_SYMBOL = re.compile(r":\w+")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A string of a document, with the keys that lead to it; `start` to `end` are its characters."""

    path: tuple[str, ...]
    value: str
    start: int
    end: int
    line: int
    in_flow: bool


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    text, encoding = decode(content)
    roots = compose(text)
    edits = [edit for root in roots for edit in _language(root, text, options)]
    for root in roots:
        for scalar in scalars(root):
            edits += scalar_edits(text, scalar)
    edits.sort(key=lambda edit: edit.start)
    return SplicedDocument(content=text, edits=edits, escape=str, encode=encoding.encode)


def compose(text: str) -> list["Node"]:
    """The documents of a YAML text, as nodes with their places."""
    try:
        from ruamel.yaml import YAML
        from ruamel.yaml.error import YAMLError
    except ImportError:
        raise MissingExtraError("YAML files need ruamel.yaml: pip install 'lexalign[files]'") from None
    _check_depth(text)
    try:
        return [node for node in YAML(typ="safe", pure=True).compose_all(text) if node is not None]
    except RecursionError:
        raise LexalignError("values are nested too deep; is this file malicious?") from None
    except (YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}: " if mark else ""
        reason = getattr(error, "problem", None) or str(error).split("\n", 1)[0]
        raise LexalignError(f"{place}not YAML: {reason}") from None


def _check_depth(text: str) -> None:
    """Refuse brackets that are opened and opened again, on which the parser takes quadratic time."""
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth = depth + 1 if match[0] in "[{" else max(0, depth - 1)
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, match.start()) + 1
            raise LexalignError(
                f"line {line}: brackets are nested more than {MAX_DEPTH} deep; is this file malicious?"
            )


def scalars(root: "Node") -> Iterator[Scalar]:
    """The strings of a document in its order; an alias is the string that it stands for, which comes once."""
    waiting: list[tuple[tuple[str, ...], Node, bool]] = [((), root, False)]
    seen: set[int] = set()
    while waiting:
        path, node, in_flow = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node.value, str):
            if node.tag == _STRING and not (getattr(node, "style", None) is None and _is_other(node.value)):
                yield Scalar(
                    path,
                    node.value,
                    node.start_mark.index,
                    node.end_mark.index,
                    node.start_mark.line + 1,
                    in_flow,
                )
            continue
        in_flow = in_flow or bool(getattr(node, "flow_style", False))
        for index, child in reversed(list(enumerate(node.value))):
            key, value = child if isinstance(child, tuple) else (None, child)
            waiting.append(((*path, str(key.value if key is not None else index)), value, in_flow))


def scalar_edits(text: str, scalar: Scalar) -> Iterator[Edit]:
    where = f"line {scalar.line}: {'.'.join(scalar.path)!r}"
    span = scalar.start, scalar.end
    raw = text[scalar.start : scalar.end]
    edits = list(message_edits(span, scalar.value, where, str, "icu"))
    if len(edits) == 1 and edits[0].segment is not None and edits[0].write is not None:
        written = edits[0].write

        def write(translation: TaggedText) -> str:
            return write_scalar(written(translation), raw, in_flow=scalar.in_flow)

        yield Edit(start=scalar.start, end=scalar.end, segment=edits[0].segment, write=write)
    elif edits:
        # The pieces of a message with choices are escaped one by one, which only quotes allow.
        pieces = list(message_edits(span, scalar.value, where, lambda piece: quoted(piece)[1:-1], "icu"))
        blank = raw[len(raw.rstrip()) :]
        yield Edit(start=scalar.start, end=scalar.start, before='"')
        yield from pieces
        yield Edit(start=scalar.end, end=scalar.end, before='"' + blank)


def _is_other(value: str) -> bool:
    return NOT_STRINGS.fullmatch(value) is not None or _SYMBOL.fullmatch(value) is not None


def _language(root: "Node", text: str, options: DocumentOptions) -> Iterator[Edit]:
    """Rename the language that is the only key of a catalogue."""
    if not options.target_language or not isinstance(root.value, list) or len(root.value) != 1:
        return
    key, value = root.value[0] if isinstance(root.value[0], tuple) else (None, None)
    if key is None or not isinstance(value.value, list) or not isinstance(key.value, str):
        return
    known = options.source_language is None or same_language(key.value, options.source_language)
    if known and _LANGUAGE.fullmatch(key.value):
        raw = text[key.start_mark.index : key.end_mark.index]
        written = write_scalar(options.target_language, raw, in_flow=False)
        yield Edit(start=key.start_mark.index, end=key.end_mark.index, before=written)
