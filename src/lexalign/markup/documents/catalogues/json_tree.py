"""The values of a JSON text with their offsets in it.

The reader keeps its own stack, so nesting is bounded by a clear error and not by the interpreter.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.markup.inline.builder import MAX_DEPTH

_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
        (?P<string>"(?:[^"\\\x00-\x1f]|\\["\\/bfnrtu])*+")
      | (?P<mark>[{}\[\]:,])
      | (?P<other>-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null)(?![\w.])
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)


@dataclass(slots=True, eq=False)
class JsonValue:
    """`start` to `end` are its characters; children are values with their keys, in an array ""."""

    kind: Literal["object", "array", "string", "other"]
    start: int
    end: int = 0
    children: list[tuple[str, "JsonValue"]] = field(default_factory=list)

    def child(self, key: str) -> "JsonValue | None":
        return next((value for name, value in self.children if name == key), None)

    def string(self, text: str) -> str:
        """The characters of a string."""
        return str(json.loads(text[self.start : self.end])) if self.kind == "string" else ""


class Lines:
    """Numbers of lines, by offsets."""

    def __init__(self, text: str) -> None:
        self._starts = [match.end() for match in re.finditer("\n", text)]

    def number(self, offset: int) -> int:
        return bisect_right(self._starts, offset) + 1


def write_string(value: str, *, ascii_only: bool = False) -> str:
    """The inside of a JSON string, without its quotes."""
    return json.dumps(value, ensure_ascii=ascii_only)[1:-1]


def parse_json(text: str) -> JsonValue:
    return _Reader(text).parse()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._open: list[JsonValue] = []

    def parse(self) -> JsonValue:
        root = self._value(self._next())
        while self._open:
            self._continue(self._open[-1])
        if self._next().lastgroup != "end":
            raise self._error("something follows the end of the value")
        return root

    def _continue(self, container: JsonValue) -> None:
        """Read the next value of a container, or its end."""
        token = self._next()
        closing = "}" if container.kind == "object" else "]"
        if token["mark"] == closing:
            container.end = token.end()
            self._open.pop()
            return
        if container.children:
            if token["mark"] != ",":
                raise self._error(f"a comma or {closing} is missing")
            token = self._next()
        key = ""
        if container.kind == "object":
            if token["string"] is None:
                raise self._error("a key in double quotes is missing")
            key = str(json.loads(token["string"]))
            if self._next()["mark"] != ":":
                raise self._error("a colon is missing after a key")
            token = self._next()
        container.children.append((key, self._value(token)))

    def _value(self, token: re.Match[str]) -> JsonValue:
        if token["string"] is not None:
            self._check_escapes(token["string"])
            return JsonValue("string", *token.span("string"))
        if token["other"] is not None:
            return JsonValue("other", *token.span("other"))
        if token["mark"] not in ("{", "["):
            raise self._error("a value is missing")
        if len(self._open) == MAX_DEPTH:
            raise self._error(f"values are nested more than {MAX_DEPTH} deep; is this file malicious?")
        value = JsonValue("object" if token["mark"] == "{" else "array", token.start("mark"))
        self._open.append(value)
        return value

    def _check_escapes(self, string: str) -> None:
        try:
            json.loads(string)
        except ValueError:
            raise self._error("a string has an escape that JSON does not have") from None

    def _next(self) -> re.Match[str]:
        token = _TOKEN.match(self._text, self._position)
        if token is None:
            raise self._error(f"{self._text[self._position : self._position + 20].strip()!r} is not expected")
        self._position = token.end()
        return token

    def _error(self, reason: str) -> LexalignError:
        line = self._text.count("\n", 0, self._position) + 1
        return LexalignError(f"line {line}: not JSON: {reason}")


def strings(value: JsonValue, path: str = "") -> Iterator[tuple[str, JsonValue]]:
    """The strings inside of a value, with the keys that lead to them."""
    waiting = [(path, value)]
    while waiting:
        where, one = waiting.pop()
        if one.kind == "string":
            yield where, one
        for index in range(len(one.children) - 1, -1, -1):
            key, child = one.children[index]
            waiting.append((f"{where}.{key or index}".lstrip("."), child))
