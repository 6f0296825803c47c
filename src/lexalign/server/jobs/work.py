"""The process of a job: the request as JSON on standard input, the result as JSON on standard output.

python -m lexalign.server.jobs.work extract 1234 < request.json

It ends with the process of the given id, its server, since another server then begins the job again.
"""

import json
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.glossary.entries import Place
from lexalign.terminology.checking import CheckOptions, check_units
from lexalign.terminology.extraction.entries import EntryOptions, KnownTerms, new_entries
from lexalign.terminology.extraction.job import UnitSource, extract_terms
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.reading import Languages, list_inputs
from lexalign.terminology.reports.report_values import finding_values
from lexalign.terminology.units import Read, Unit

Request = dict[str, Any]
_MAX_NAME_BYTES = 200
_SECONDS_PER_LOOK = 1.0


class GivenUnits:
    """The units of a request."""

    paths: tuple[Path, ...] = ()

    def __init__(self, units: list[dict[str, str]]) -> None:
        self._units = units

    def read(self, _languages: Languages) -> Iterator[Read]:
        for number, one in enumerate(self._units, start=1):
            yield Unit(one["source"], one["target"], Place("units", number), one.get("id") or "")


def perform(kind: str, request: Request) -> dict[str, Any]:
    """The result of a job."""
    work: dict[str, Callable[[Request, list[UnitSource]], dict[str, Any]]] = {
        "extract": _extract,
        "check": _check,
    }
    with tempfile.TemporaryDirectory(prefix="lexalign-") as folder:
        sources: list[UnitSource] = [GivenUnits(request["units"])] if request["units"] else []
        paths = []
        for number, file in enumerate(request["files"]):
            path = Path(folder) / f"{number}-{_file_name(file['name'])}"
            path.write_text(file["content"], encoding="utf-8")
            paths.append(path)
        try:
            sources += list_inputs(paths) if paths else []
            result = json.dumps(work[kind](request, sources))
        except LexalignError as error:
            raise LexalignError(str(error).replace(f"{folder}{os.sep}", "")) from None
        # Places and examples name the files of the request, not where they lie here.
        found: dict[str, Any] = json.loads(result.replace(json.dumps(f"{folder}{os.sep}")[1:-1], ""))
        return found


def _file_name(given: str) -> str:
    """A client's name, which is for messages alone, as a name that every system of files has."""
    plain = re.sub(r"[^\w. -]", "_", Path(given).name)
    return plain.encode()[-_MAX_NAME_BYTES:].decode(errors="ignore")


def _extract(request: Request, sources: list[UnitSource]) -> dict[str, Any]:
    options = ExtractOptions(max_terms=request["max_terms"], min_count=request["min_count"])
    known = _glossary(request)
    found = extract_terms(sources, _languages(request), options, glossary=known)
    codes = found.split.source_language, found.split.target_language
    terms = KnownTerms(known, *codes)
    entries = new_entries(
        found.candidates, terms, EntryOptions(min_confidence=request["min_confidence"]), codes
    )
    return {
        "source_language": codes[0],
        "target_language": codes[1],
        "num_units": found.split.num_units,
        "left_out": found.split.left_out,
        "warnings": list(found.split.warnings),
        "terms": [_entry_values(entry) for entry in entries],
        "candidates": [{**asdict(one), "conflict": bool(one.conflicting)} for one in found.candidates],
        "contradictions": [
            {
                "source": one.entry.source,
                "targets": list(one.entry.targets),
                "memory": one.candidate.best.target,
            }
            for one in terms.contradictions(found.candidates)
        ],
    }


def _check(request: Request, sources: list[UnitSource]) -> dict[str, Any]:
    languages = _languages(request)
    reads = (read for source in sources for read in source.read(languages))
    options = CheckOptions(min_confidence=request["min_confidence"])
    result = check_units(reads, _glossary(request), languages, options)
    return {
        "num_units": result.num_units,
        "aligner": result.aligner,
        "counts": result.counts,
        "findings": [finding_values(one, new=True) for one in result.findings],
    }


def _languages(request: Request) -> Languages:
    return Languages(request["source_language"], request["target_language"])


def _glossary(request: Request) -> Glossary:
    return Glossary(tuple(Entry(**{**one, "targets": tuple(one["targets"])}) for one in request["glossary"]))


def _entry_values(entry: Entry) -> dict[str, Any]:
    return {
        "source": entry.source,
        "targets": list(entry.targets),
        "policy": entry.policy,
        "note": entry.note,
    }


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_PER_LOOK)
    os._exit(1)


def main() -> None:
    threading.Thread(target=_end_with, args=(int(sys.argv[2]),), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(10)  # requests come first
    try:
        result = perform(sys.argv[1], json.load(sys.stdin))
    except LexalignError as error:
        sys.stderr.write(" ".join(str(error).split()) + "\n")
        sys.exit(2)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
