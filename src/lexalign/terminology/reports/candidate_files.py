"""Candidates as files: JSON for programs, CSV for a spreadsheet, HTML for a browser; the suffix tells.

The spreadsheet has a column `decision`, which a person fills in, and `read_decisions` reads it back.
"""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import POLICIES, Entry, Place, join_alternatives, split_alternatives
from lexalign.storage import write_text
from lexalign.terminology.extraction.candidates import TermCandidate
from lexalign.terminology.extraction.entries import EntryOptions, to_entry
from lexalign.terminology.reports.candidate_page import render_page

COLUMNS = (
    "decision", "source", "target", "policy", "confidence", "count", "share", "lemma", "forms",
    "target forms", "other translations", "source example", "target example", "place", "other example",
)  # fmt: skip
Languages = tuple[str | None, str | None]  # of source and target
YES = frozenset({"yes", "y", "x", "1", "true", "ja", "ok"})


def write_candidates(
    path: Path, candidates: Sequence[TermCandidate], options: EntryOptions, languages: Languages
) -> None:
    """Write by the suffix; candidates that would become entries are decided for, and others left open."""
    check_suffix(path)
    write_text(path, _WRITERS[path.suffix.lower()](candidates, options, languages))


def check_suffix(path: Path) -> None:
    if path.suffix.lower() not in _WRITERS:
        raise LexalignError(f"{path}: candidates are written as {', '.join(_WRITERS)}")


def read_decisions(path: Path, languages: Languages) -> list[Entry]:
    """The entries of a spreadsheet of candidates that a person has decided for."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise LexalignError(f"{path} is not valid UTF-8; save it as UTF-8") from None
    first = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=max(",;\t", key=first.count))
    missing = {"decision", "source", "target", "policy"} - set(rows.fieldnames or ())
    if missing:
        raise LexalignError(
            f"{path} lacks the columns {', '.join(sorted(missing))}; is it a list of candidates?"
        )
    return [
        _entry(row, Place(str(path), number), languages)
        for number, row in enumerate(rows, start=2)
        if (row["decision"] or "").strip().lower() in YES
    ]


def _entry(row: dict[str, str], place: Place, languages: Languages) -> Entry:
    policy = (row["policy"] or "must").strip()
    try:
        if policy not in POLICIES:
            raise LexalignError(f"unknown policy {policy!r}")
        return Entry(
            source=row["source"].strip(),
            targets=() if policy == "keep" else split_alternatives(row["target"] or ""),
            policy=policy,
            source_language=languages[0],
            target_language=languages[1],
            place=place,
        )
    except LexalignError as error:
        raise LexalignError(f"{place}: {error}") from None


def _render_json(candidates: Sequence[TermCandidate], _options: EntryOptions, _languages: Languages) -> str:
    content = {
        "lexalign": __version__,
        "candidates": [{**asdict(one), "conflict": bool(one.conflicting)} for one in candidates],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _render_csv(candidates: Sequence[TermCandidate], options: EntryOptions, languages: Languages) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in candidates:
        example = one.best.examples[0] if one.best.examples else ("", "", "")
        other = next((two.examples[0] for two in one.conflicting if two.examples), ("", "", ""))
        writer.writerow(
            [
                "yes" if options.accepts(one) else "",
                one.source,
                join_alternatives(to_entry(one, options, languages).targets),
                one.policy,
                f"{one.confidence:.3f}",
                one.count,
                f"{one.best.share:.3f}",
                one.lemma,
                _counted(one.forms),
                _counted(one.best.forms),
                _counted({two.target: two.count for two in one.translations[1:]}),
                _safe(example[1]),
                _safe(example[2]),
                example[0],
                _safe(f"{other[1]} / {other[2]}" if other[0] else ""),
            ]
        )
    return written.getvalue()


def _counted(forms: dict[str, int]) -> str:
    return ", ".join(f"{form} ({count})" for form, count in list(forms.items())[:6])


def _safe(text: str) -> str:
    """Text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


_WRITERS: dict[str, Callable[[Sequence[TermCandidate], EntryOptions, Languages], str]] = {
    ".json": _render_json,
    ".csv": _render_csv,
    ".html": render_page,
}
