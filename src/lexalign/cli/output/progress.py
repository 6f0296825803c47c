"""What a person sees while a file is translated: a bar on a terminal, and warnings in any case."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lexalign.cli.failures import warn

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from lexalign.translator.translation import TermResult, Translation


class TranslationProgress:
    """Counts lines. There is no bar for a single one, nor where `total` is None: not known."""

    def __init__(self, total: int | None) -> None:
        self._bar: Progress | None = None
        if total is not None and total > 1 and sys.stderr.isatty():
            self._bar, self._task = _make_bar(total)
        self._num_lines = self._num_cut = self._num_unmet = self._num_missing = 0
        self._start = time.perf_counter()

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._num_cut > 1:
            warn(f"{self._num_cut} translations were cut off at the length limit")
        if self._num_missing > 1:
            warn(f"{self._num_missing} numbers are missing in translations")
        if self._num_unmet > 1:
            warn(f"{self._num_unmet} constraints are not met")

    def translated(self, translation: "Translation | None" = None) -> None:
        """One more line; what should be looked at in it is told."""
        self._num_lines += 1
        if self._bar is not None:
            speed = self._num_lines / (time.perf_counter() - self._start)
            self._bar.update(self._task, completed=self._num_lines, speed=f"{speed:,.0f} sentences/s")
        if translation is None:
            return
        self._num_cut += not translation.complete
        self._num_missing += len(translation.missing_numbers)
        for warning in translation.warnings:
            warn(f"line {self._num_lines}: {warning}")

    def unmet(self, term: "TermResult") -> None:
        """Of the line that was translated last."""
        self._num_unmet += 1
        reason = f" ({term.reason})" if term.reason else ""
        targets = " | ".join(term.constraint.targets)
        what = "contains what was to be avoided" if term.constraint.kind == "avoid" else "lacks"
        warn(f"line {self._num_lines}: the translation {what}: {targets}{reason}")


def _make_bar(total: int) -> tuple["Progress", "TaskID"]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("translating"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    return bar, bar.add_task("translating", total=total, speed="")
