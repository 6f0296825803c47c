"""The results of a shard, and the formats in which they are written.

jsonl     a JSON object for each segment
parquet   the same fields as columns
text      a line for each row, in order; empty for a poisoned one, so that lines keep their numbers
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from lexalign.corpus.rows import Segment
from lexalign.corpus.shards import Shard

if TYPE_CHECKING:
    from lexalign.translator import TermResult, Translation

OutputFormat = Literal["jsonl", "parquet", "text"]
OUTPUT_FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)
SUFFIXES: dict[OutputFormat, str] = {"jsonl": ".jsonl", "parquet": ".parquet", "text": ".txt"}
_DIGITS = 6  # of scores; further ones are noise
_MAX_EXCERPT = 1000  # characters of a poisoned row

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Counts over segments."""

    segments: int = 0
    poisoned: int = 0
    tokens: int = 0  # of translations, each with its end of sentence
    cut_off: int = 0  # translations that the length limit cut off
    terms: int = 0
    met: int = 0
    missing_numbers: int = 0  # of sources, missing in their translations

    def __add__(self, other: "Counts") -> "Counts":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(**dict(zip(_COUNT_NAMES, (one + more for one, more in pairs), strict=True)))

    def __sub__(self, other: "Counts") -> "Counts":
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Counts(**dict(zip(_COUNT_NAMES, (one - less for one, less in pairs), strict=True)))


_COUNT_NAMES = tuple(one.name for one in fields(Counts))


@dataclass(frozen=True, kw_only=True)
class ShardResult:
    shard: Shard
    content: bytes
    poisoned: bytes  # JSON lines
    counts: Counts
    seconds: float  # of one worker


@dataclass(frozen=True, kw_only=True)
class RowResult:
    """A row's segment and its translation, or the reason why there is none."""

    row: int
    segment: Segment | None = None
    translation: "Translation | None" = None
    reason: str | None = None
    excerpt: str = ""


@dataclass(frozen=True, kw_only=True)
class ResultWriter:
    """Writes the results of a shard; `file` is the name of the file that they are from."""

    format: OutputFormat
    align: bool

    def write(self, file: str, results: Sequence[RowResult]) -> bytes:
        if self.format == "text":
            return b"".join(_line(one.translation) for one in results)
        records = self.records(file, results)
        if self.format == "jsonl":
            return _json_lines(records)
        from lexalign.corpus.parquet import write_table

        return write_table(records, align=self.align)

    def records(self, file: str, results: Sequence[RowResult]) -> list[Record]:
        return [
            self._record(file, one.row, one.segment, one.translation)
            for one in results
            if one.segment is not None and one.translation is not None
        ]

    def _record(self, file: str, row: int, segment: Segment, translation: "Translation") -> Record:
        record: Record = {"file": file, "row": row}
        if segment.id is not None:
            record["id"] = segment.id
        record |= {
            "source": segment.text,
            "translation": translation.text,
            "score": round(translation.score, _DIGITS),
            "log_probability": round(translation.log_probability, _DIGITS),
            "complete": translation.complete,
            "terms": [_term(term) for term in translation.terms],
            "protected": [asdict(one) for one in translation.protected],
            "missing_numbers": list(translation.missing_numbers),
        }
        if self.align:
            record["alignment"] = [
                {"source": link.source, "target": link.target, "probability": _rounded(link.probability)}
                for link in translation.links
            ]
        return record


def poison_lines(file: str, results: Sequence[RowResult]) -> bytes:
    """JSON lines of the rows that could not be translated."""
    records = [
        {"file": file, "row": one.row, "reason": one.reason, "excerpt": one.excerpt[:_MAX_EXCERPT]}
        for one in results
        if one.reason is not None
    ]
    return _json_lines(records)


def count(results: Sequence[RowResult]) -> Counts:
    translations = [one.translation for one in results if one.translation is not None]
    terms = [term for one in translations for term in one.terms]
    return Counts(
        segments=len(translations),
        poisoned=len(results) - len(translations),
        tokens=sum(len(one.tokens) + 1 for one in translations),
        cut_off=sum(not one.complete for one in translations),
        terms=len(terms),
        met=sum(term.met for term in terms),
        missing_numbers=sum(len(one.missing_numbers) for one in translations),
    )


def _term(term: "TermResult") -> Record:
    """A term's result: its characters in the translation, or the reason why it is not met."""
    constraint = term.constraint
    record: Record = {"targets": list(constraint.targets), "kind": constraint.kind, "met": term.met}
    optional = {
        "source": constraint.source,
        "target": term.target,
        "part_of": term.part_of,
        "reason": term.reason,
    }
    return record | {name: value for name, value in optional.items() if value is not None}


def _rounded(probability: float | None) -> float:
    return round(probability or 0.0, _DIGITS)


def _line(translation: "Translation | None") -> bytes:
    """A line of text; a line break that a model generates must not shift the lines that follow."""
    text = "" if translation is None else translation.text
    return text.replace("\r", " ").replace("\n", " ").replace("\0", " ").encode("utf-8") + b"\n"


def _json_lines(records: Sequence[Record]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode("utf-8") + b"\n" for one in records)
