"""Progress of translations on standard error: a bar on a terminal, and warnings in any case."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from lexalign.cli.messages import say, warn

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from lexalign.corpus.job import Progress as CorpusState
    from lexalign.translator import TermResult, Translation

_LOG_INTERVAL_S = 60.0


class TranslationProgress:
    """Counts lines. There is no bar for a single line, nor where the `total` is not known."""

    def __init__(self, total: int | None) -> None:
        self._bar: Progress | None = None
        if total is not None and total > 1 and sys.stderr.isatty():
            self._bar = _make_bar()
            self._task = self._bar.add_task("translating", total=total, speed="")
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
        """One more line is translated; its warnings are printed."""
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
        """The line that was translated last does not meet this constraint."""
        self._num_unmet += 1
        reason = f" ({term.reason})" if term.reason else ""
        targets = " | ".join(term.constraint.targets)
        what = "contains what was to be avoided" if term.constraint.kind == "avoid" else "lacks"
        warn(f"line {self._num_lines}: the translation {what}: {targets}{reason}")


class CorpusProgress:
    """A bar on a terminal; elsewhere, such as in a log file, a line every minute."""

    def __init__(self) -> None:
        self._bar = _make_bar(disable=not sys.stderr.isatty(), elapsed_when_finished=True)
        self._task = self._bar.add_task("translating", total=None, speed="")
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, progress: "CorpusState") -> None:
        done = progress.total.segments + progress.total.poisoned
        speed = f"{progress.run.segments / max(progress.seconds, 1e-9):,.1f} segments/s"
        self._bar.update(self._task, completed=done, total=progress.num_rows, speed=speed)
        if self._bar.disable and time.monotonic() - self._last_line > _LOG_INTERVAL_S:
            self._last_line = time.monotonic()
            say(f"{done:,} of {progress.num_rows:,} rows, {speed}")


def _make_bar(*, disable: bool = False, elapsed_when_finished: bool = False) -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("translating"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(elapsed_when_finished=elapsed_when_finished),
        console=Console(stderr=True),
        transient=True,
        disable=disable,
    )


class DownloadProgress:
    """A bar for each file on a terminal, and nothing elsewhere."""

    def __init__(self) -> None:
        self._bar: Progress | None = _make_download_bar() if sys.stderr.isatty() else None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, name: str, have: int, total: int | None) -> None:
        if self._bar is None:
            return
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task(name, total=total)
        self._bar.update(self._tasks[name], completed=have)


def _make_download_bar() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    return Progress(*columns, console=Console(stderr=True))
