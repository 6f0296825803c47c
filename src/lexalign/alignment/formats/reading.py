"""Alignment files as they are read: Pharaoh, talp, NAACL .wa, JSON lines, and single lines of spans.

Gold is often counted from 1 where 0 is expected, and a wrong base ruins an AER, so the base is detected, and
kept with its reason. Links come out counted from 0.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from lexalign.alignment.formats.indexing import Base, ParsedLink, check_lengths, find_base
from lexalign.contracts.alignment import Link, SpanLink
from lexalign.contracts.errors import LexalignError

Format = Literal["pharaoh", "talp", "naacl", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)

_LINK = re.compile(r"(\d+)([-pP?])(\d+)(?::(\S+))?", re.ASCII)
_SPANS = re.compile(r"(\d+):(\d+)-(\d+):(\d+)", re.ASCII)
_NAACL = re.compile(r"(\d+)\s+(\d+)\s+(\d+)(?:\s+([SP]))?(?:\s+([\d.eE+-]+))?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class AlignmentFile:
    """The links of each sentence of a file, counted from 0, and how the file was read."""

    sentences: tuple[tuple[Link, ...], ...]
    format: Format
    base: Base
    reason: str  # for this base
    null_links: int = 0  # links of NAACL files to word 0, the null word; they are left out


def read_alignments(
    path: Path,
    *,
    format: Format | None = None,
    base: Base | None = None,
    lengths: Sequence[tuple[int, int]] | None = None,
) -> AlignmentFile:
    """Read a whole file or refuse it; `lengths` are the source and target words of each sentence."""
    lines = _lines(path)
    format = format or _detect_format(lines)
    parse = {"naacl": _parse_naacl, "json": _parse_json}.get(format, _parse_lines)
    found, num_sentences = parse(path, lines)
    if lengths is not None:
        if format != "naacl" and num_sentences != len(lengths):
            raise LexalignError(
                f"{path}: {num_sentences} lines of links, but there are {len(lengths)} sentences; "
                "the numbers must be equal"
            )
        num_sentences = max(num_sentences, len(lengths))
    if lengths is not None and num_sentences > len(lengths):
        line = next(read.line for read in found if read.sentence >= len(lengths))
        raise LexalignError(f"{path}, line {line}: sentence {num_sentences} of only {len(lengths)}")
    detected_base, reason = find_base(
        path,
        found,
        lengths,
        requested=0 if format == "json" else base,
        convention=1 if format == "naacl" else None,
    )
    null_links = [read for read in found if detected_base and 0 in (read.link.source, read.link.target)]
    if null_links and format != "naacl":
        raise LexalignError(f"{path}, line {null_links[0].line}: word 0 in a file that counts from 1")
    skipped = set(null_links)
    kept = [read for read in found if read not in skipped] if skipped else found
    if lengths is not None:
        check_lengths(path, kept, detected_base, lengths)
    return AlignmentFile(
        sentences=_group(kept, detected_base, num_sentences),
        format=format,
        base=detected_base,
        reason=reason,
        null_links=len(null_links),
    )


def parse_span_line(text: str) -> list[SpanLink]:
    links = []
    for part in text.split():
        match = _SPANS.fullmatch(part)
        numbers = [int(number) for number in match.groups()] if match else []
        if not match or numbers[1] < numbers[0] or numbers[3] < numbers[2]:
            raise LexalignError(f"{part!r} is not a link of character spans; write it as 0:2-0:3")
        links.append(SpanLink((numbers[0], numbers[1] + 1), (numbers[2], numbers[3] + 1)))
    return links


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise LexalignError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LexalignError(f"{path} is not UTF-8 text; an alignment file was expected") from None
    # Words in JSON may hold characters that `splitlines` takes for line breaks.
    return text.removesuffix("\n").split("\n") if text else []


def _detect_format(lines: Sequence[str]) -> Format:
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith("{"):
        return "json"
    if _NAACL.fullmatch(first):
        return "naacl"
    return "talp" if any(mark in line for line in lines for mark in "pP?") else "pharaoh"


def _parse_lines(path: Path, lines: Sequence[str]) -> tuple[list[ParsedLink], int]:
    found: list[ParsedLink] = []
    for index, line in enumerate(lines):
        for part in line.split():
            match = _LINK.fullmatch(part)
            if match is None:
                raise LexalignError(
                    f"{path}, line {index + 1}: {part!r} is not a link; write 0-0, 0p0 or 0-0:0.9"
                )
            source, mark, target, number = match.groups()
            probability = None if number is None else _probability(path, index + 1, number)
            link = Link(int(source), int(target), probability, mark == "-")
            found.append(ParsedLink(index + 1, index, link))
    return found, len(lines)


def _parse_naacl(path: Path, lines: Sequence[str]) -> tuple[list[ParsedLink], int]:
    found: list[ParsedLink] = []
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        match = _NAACL.fullmatch(line.strip())
        if match is None:
            raise LexalignError(f"{path}, line {index + 1}: not `sentence source target [S|P]`")
        sentence, source, target, mark, number = match.groups()
        if int(sentence) == 0:
            raise LexalignError(f"{path}, line {index + 1}: sentence 0; sentences are counted from 1")
        probability = None if number is None else _probability(path, index + 1, number)
        link = Link(int(source), int(target), probability, mark != "P")
        found.append(ParsedLink(index + 1, int(sentence) - 1, link))
    return found, max((read.sentence + 1 for read in found), default=0)


def _parse_json(path: Path, lines: Sequence[str]) -> tuple[list[ParsedLink], int]:
    found: list[ParsedLink] = []
    for index, line in enumerate(lines):
        try:
            links = [_json_link(path, index + 1, entry) for entry in json.loads(line)["links"]]
        except (ValueError, KeyError, TypeError):
            raise LexalignError(
                f'{path}, line {index + 1}: not a JSON object with "links" of "source" and "target"'
            ) from None
        found.extend(ParsedLink(index + 1, index, link) for link in links)
    return found, len(lines)


def _json_link(path: Path, line: int, entry: dict[str, Any]) -> Link:
    source, target = entry["source"], entry["target"]
    if type(source) is not int or type(target) is not int or min(source, target) < 0:
        raise ValueError
    probability = entry.get("probability")
    parsed = None if probability is None else _probability(path, line, probability)
    return Link(source, target, parsed, entry.get("sure", True) is True)


def _probability(path: Path, line: int, number: str | float) -> float:
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise LexalignError(f"{path}, line {line}: {number} is not a probability between 0 and 1")
    return value


def _group(found: Sequence[ParsedLink], base: Base, num_sentences: int) -> tuple[tuple[Link, ...], ...]:
    """Links by sentence; duplicates become one, sure if any is, with the highest probability."""
    sentences: list[dict[tuple[int, int], Link]] = [{} for _ in range(num_sentences)]
    for read in found:
        link = replace(read.link, source=read.link.source - base, target=read.link.target - base)
        links, key = sentences[read.sentence], (link.source, link.target)
        links[key] = _merge(links[key], link) if key in links else link
    return tuple(tuple(links[key] for key in sorted(links)) for links in sentences)


def _merge(first: Link, second: Link) -> Link:
    known = [value for value in (first.probability, second.probability) if value is not None]
    return replace(first, probability=max(known, default=None), sure=first.sure or second.sure)
