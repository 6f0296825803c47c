"""What a person sees while a file is translated: a bar on a terminal, and warnings in any case."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lexalign.cli.failures import warn

if TYPE_CHECKING:
    from lexalign.translator.translation import Term


class TranslationProgress:
    """Counts lines; `total` is None where it is not known, and then there is no bar."""

    def __init__(self, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("translating"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=total is None or not sys.stderr.isatty(),
        )
        self._task = self._progress.add_task("translating", total=total, speed="")
        self._num_lines = self._num_cut = self._num_unmet = 0
        self._start = time.perf_counter()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
        if self._num_cut > 1:
            warn(f"{self._num_cut} translations were cut off at the length limit")
        if self._num_unmet > 1:
            warn(f"{self._num_unmet} constraints are not met")

    def translated(self, *, complete: bool) -> None:
        self._num_lines += 1
        speed = self._num_lines / (time.perf_counter() - self._start)
        self._progress.update(self._task, completed=self._num_lines, speed=f"{speed:,.0f} sentences/s")
        if not complete:
            self._num_cut += 1
            warn(f"line {self._num_lines}: the translation was cut off at the length limit")

    def unmet(self, term: "Term") -> None:
        """Of the line that was translated last."""
        self._num_unmet += 1
        reason = f" ({term.reason})" if term.reason else ""
        targets = " | ".join(term.constraint.targets)
        what = "contains what was to be avoided" if term.constraint.kind == "avoid" else "lacks"
        warn(f"line {self._num_lines}: the translation {what}: {targets}{reason}")
