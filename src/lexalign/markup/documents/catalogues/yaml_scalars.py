"""YAML scalars, written again in their own style: plain, quoted, literal or folded.

A plain scalar that would be read as something else, such as `yes` or `3.5`, is put into quotes.
"""

import re

from lexalign.markup.documents.catalogues.json_tree import write_string

# What YAML 1.1 or 1.2 reads as another type, and so must not stand without quotes.
NOT_STRINGS = re.compile(
    r"(?i:~|null|true|false|yes|no|on|off|y|n)|[-+.\d][-+.:,\d_ eExXoOtTzZ]*|[-+]?\.(?i:inf|nan)|=|<<"
)
_PLAIN = re.compile(r"[^\W_][^\n\r\t]*")
_UNSAFE = re.compile(r":(?=\s|$)|\s#|\s$|[\x00-\x1f\x7f\x85\ufeff\u2028\u2029]")
_FLOW = re.compile(r"[,\[\]{}]")
_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)*")
_SINGLE_SPACE = re.compile(r"(?<=\S) (?=\S)")
_MIN_WIDTH = 40


def write_scalar(value: str, raw: str, *, in_flow: bool) -> str:
    """A value in the style of the scalar `raw`, with its anchor or tag before it."""
    properties = _PROPERTIES.match(raw)
    assert properties is not None
    start, raw = properties[0], raw[properties.end() :]
    match raw[:1]:
        case '"':
            return start + quoted(value, ascii_only=raw.isascii() and "\\u" in raw)
        case "'" if "\n" not in value:
            return start + "'" + value.replace("'", "''") + "'"
        case "|" | ">":
            return start + _block(value, raw)
    return start + (value if _is_plain(value, in_flow) else quoted(value))


def quoted(value: str, *, ascii_only: bool = False) -> str:
    return f'"{write_string(value, ascii_only=ascii_only)}"'


def _is_plain(value: str, in_flow: bool) -> bool:
    return (
        _PLAIN.fullmatch(value) is not None
        and not _UNSAFE.search(value)
        and not NOT_STRINGS.fullmatch(value)
        and not (in_flow and _FLOW.search(value))
    )


def _block(value: str, raw: str) -> str:
    """A block scalar with the header, the indentation and the blank lines at the end of another."""
    header, _, body = raw.partition("\n")
    lines = body.split("\n")
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" "))]
    content = body.rstrip(" \n\r")
    end = body[len(content) :]
    new = value.rstrip("\n").split("\n")
    if header.startswith(">"):
        if len(new) > 1 or new[0].startswith(" "):
            header = "|" + header[1:]
        else:
            new = _folded(new[0], max([_MIN_WIDTH, *(len(line) - len(indent) for line in lines)]))
    line_end = "\r\n" if header.endswith("\r") else "\n"
    return header + "\n" + line_end.join(indent + line if line else "" for line in new) + end


def _folded(text: str, width: int) -> list[str]:
    """Lines of a text, broken at single spaces, which is what a fold stands for."""
    lines: list[str] = []
    start = 0
    last = None
    for match in _SINGLE_SPACE.finditer(text):
        if match.start() - start > width and last is not None and last > start:
            lines.append(text[start:last])
            start = last + 1
        last = match.start()
    if last is not None and last > start and len(text) - start > width:
        lines.append(text[start:last])
        start = last + 1
    return [*lines, text[start:]]
