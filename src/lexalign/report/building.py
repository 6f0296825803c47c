"""Building the report of a file, segment by segment."""

from collections.abc import Iterable
from dataclasses import replace

from lexalign.report.consistency import inconsistent_terms
from lexalign.report.values import Counts, FileReport, Inconsistency, SegmentReport, count


class FileReportBuilder:
    """Counts all segments, and keeps those of which there is something to say, unless only counts matter."""

    def __init__(self, name: str, *, keep: bool = True) -> None:
        self._name, self._keep, self._counts = name, keep, Counts()
        self._segments: list[SegmentReport] = []

    def add(self, segment: SegmentReport) -> None:
        self._counts += count([segment])
        if self._keep and segment.is_told:
            self._segments.append(segment)

    def build(self, names: Iterable[Inconsistency] = ()) -> FileReport:
        """`names` that have several translations are found by the caller, who has the links."""
        inconsistencies = (*inconsistent_terms(self._segments), *names)
        return FileReport(
            name=self._name,
            counts=replace(self._counts, inconsistent=len(inconsistencies)),
            segments=tuple(self._segments),
            inconsistencies=inconsistencies,
        )
