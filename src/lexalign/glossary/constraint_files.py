"""Constraint files: each line has a sentence and the constraints of its translation.

    fairseq    source<TAB>term<TAB>term
    sockeye    {"text": "...", "constraints": ["term", ...], "avoid": ["term", ...]}
    lexalign   {"text": "...", "constraints": [{"source": [4, 8], "target": ["house", "home"]}, ...]}

In our own format `source` is a span of characters [start, end); `target` is a text or a list of alternatives;
`kind` is must (the default), prefer or avoid; a preferred constraint may have a `bonus`. Only `target` is
required. A file with an invalid line is refused with the number of that line.
"""

import json
import math
from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args

from lexalign.contracts.alignment import Span
from lexalign.contracts.constraint import Constraint, ConstraintKind
from lexalign.contracts.errors import LexalignError
from lexalign.text.surface import check_unicode

Format = Literal["fairseq", "sockeye", "lexalign"]
ConstrainedText = tuple[str, tuple[Constraint, ...]]

KINDS: tuple[ConstraintKind, ...] = get_args(ConstraintKind)
_DEFAULT = Constraint(targets=())


def parse_constraints(
    lines: Iterable[str], *, name: str, format: Format | None = None
) -> list[ConstrainedText]:
    """The sentences of a file and their constraints; errors name the file `name`."""
    lines = list(lines)
    if lines:
        lines[0] = lines[0].removeprefix("\ufeff")
    parse = _PARSERS[format or detect_format(lines)]
    sentences = []
    for number, line in enumerate(lines, start=1):
        try:
            sentences.append(parse(line))
        except LexalignError as error:
            raise LexalignError(f"{name}, line {number}: {error}") from None
    return sentences


def detect_format(lines: Iterable[str]) -> Format:
    """The format of a file: JSON if its first line opens an object; Sockeye's constraints are strings."""
    written = [line for line in lines if line.strip()]
    if not written or not written[0].lstrip("\ufeff \t").startswith("{"):
        return "fairseq"
    return "sockeye" if any(_looks_like_sockeye(line) for line in written) else "lexalign"


def read_constraints(entries: Iterable[Any], text: str) -> tuple[Constraint, ...]:
    """The constraints of a text, from a list in our own format."""
    constraints = []
    for number, entry in enumerate(entries, start=1):
        try:
            constraints.append(_constraint(entry, text))
        except LexalignError as error:
            raise LexalignError(f"constraint {number}: {error}") from None
    return tuple(constraints)


def constraint_line(text: str, constraints: Iterable[Constraint]) -> str:
    """A line of our own format, without its line end."""
    listed = [_fields(constraint) for constraint in constraints]
    return json.dumps({"text": text, "constraints": listed}, ensure_ascii=False)


def _parse_fairseq(line: str) -> ConstrainedText:
    text, *terms = line.split("\t")
    for number, term in enumerate(terms, start=1):
        if not term.strip():
            raise LexalignError(f"constraint {number} is empty; is there a tab too many?")
    return text, tuple(Constraint(targets=(term,)) for term in terms)


def _parse_sockeye(line: str) -> ConstrainedText:
    """Unknown fields are no errors, because Sockeye passes them through."""
    content = _object(line)
    required = [Constraint(targets=(_target(term),)) for term in _list(content, "constraints")]
    avoided = [Constraint(targets=(_target(term),), kind="avoid") for term in _list(content, "avoid")]
    return _text(content), (*required, *avoided)


def _parse_lexalign(line: str) -> ConstrainedText:
    content = _object(line)
    _check_fields(content, ("text", "constraints"))
    text = _text(content)
    return text, read_constraints(_list(content, "constraints"), text)


_PARSERS: dict[Format, Callable[[str], ConstrainedText]] = {
    "fairseq": _parse_fairseq,
    "sockeye": _parse_sockeye,
    "lexalign": _parse_lexalign,
}


def _constraint(entry: Any, text: str) -> Constraint:
    if not isinstance(entry, dict):
        raise LexalignError('not an object with a "target"')
    _check_fields(entry, ("source", "target", "kind", "bonus"))
    kind = entry.get("kind", _DEFAULT.kind)
    if kind not in KINDS:
        raise LexalignError(f'"kind" is {_excerpt(kind)}; it may be {", ".join(KINDS)}')
    return Constraint(
        targets=_targets(entry.get("target")),
        source=_span(entry["source"], text) if entry.get("source") is not None else None,
        kind=kind,
        bonus=_bonus(entry["bonus"], kind) if "bonus" in entry else _DEFAULT.bonus,
    )


def _targets(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return (_target(value),)
    if not value:
        raise LexalignError('"target" lists no alternatives')
    return tuple(dict.fromkeys(_target(target) for target in value))


def _target(value: Any) -> str:
    if not isinstance(value, str):
        raise LexalignError(f"a target must be text, not {_excerpt(value)}")
    if not value.strip():
        raise LexalignError("a target is empty")
    check_unicode(value)
    return value


def _span(value: Any, text: str) -> Span:
    if not isinstance(value, list) or len(value) != 2 or any(type(index) is not int for index in value):
        raise LexalignError(f'"source" is {_excerpt(value)}; it must be [start, end] in characters')
    start, end = value
    if not 0 <= start < end <= len(text):
        raise LexalignError(f'"source" [{start}, {end}] is not a span of a text of {len(text)} characters')
    if not text[start:end].strip():
        raise LexalignError(f'"source" [{start}, {end}] is nothing but white space')
    return start, end


def _bonus(value: Any, kind: ConstraintKind) -> float:
    if kind != "prefer":
        raise LexalignError('"bonus" is only for constraints of kind prefer')
    if type(value) not in (int, float) or not 0 < value < math.inf:
        raise LexalignError(f'"bonus" is {_excerpt(value)}; it must be a number above 0')
    return float(value)


def _object(line: str) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        raise LexalignError("not valid JSON, though the file begins as JSON lines") from None
    if not isinstance(content, dict):
        raise LexalignError('not a JSON object with a "text"')
    return content


def _text(content: dict[str, Any]) -> str:
    text = content.get("text")
    if not isinstance(text, str):
        raise LexalignError('there is no "text", or it is not a string')
    check_unicode(text)
    return text


def _list(content: dict[str, Any], field: str) -> list[Any]:
    value = content.get(field, [])
    if not isinstance(value, list):
        raise LexalignError(f'"{field}" is not a list')
    return value


def _check_fields(content: dict[str, Any], known: tuple[str, ...]) -> None:
    """Refuse unknown fields, because a misspelt one would silently be ignored."""
    for field in content:
        if field not in known:
            raise LexalignError(f"unknown field {_excerpt(field)}; known are {', '.join(known)}")


def _looks_like_sockeye(line: str) -> bool:
    try:
        content = _object(line)
        listed = _list(content, "constraints")
    except LexalignError:
        return False
    return "avoid" in content or any(isinstance(entry, str) for entry in listed)


def _excerpt(value: Any) -> str:
    written = json.dumps(value, ensure_ascii=True)
    return written if len(written) <= 40 else f"{written[:37]}..."


def _fields(constraint: Constraint) -> dict[str, Any]:
    """The fields of a constraint that differ from their defaults."""
    fields: dict[str, Any] = {} if constraint.source is None else {"source": list(constraint.source)}
    fields["target"] = constraint.targets[0] if len(constraint.targets) == 1 else list(constraint.targets)
    if constraint.kind != _DEFAULT.kind:
        fields["kind"] = constraint.kind
    if constraint.kind == "prefer" and constraint.bonus != _DEFAULT.bonus:
        fields["bonus"] = constraint.bonus
    return fields
