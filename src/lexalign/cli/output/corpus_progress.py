"""What a person sees of a corpus job: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import typer

if TYPE_CHECKING:
    from lexalign.corpus.job import Progress

_EVERY_S = 60.0  # lines in a log file


class CorpusProgress:
    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar = Progress(
            TextColumn("translating"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._bar.add_task("translating", total=None, speed="")
        self._said = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, progress: "Progress") -> None:
        done = progress.total.segments + progress.total.poisoned
        speed = f"{progress.run.segments / max(progress.seconds, 1e-9):,.1f} segments/s"
        self._bar.update(self._task, completed=done, total=progress.num_rows, speed=speed)
        if self._bar.disable and time.monotonic() - self._said > _EVERY_S:
            self._said = time.monotonic()
            typer.echo(f"{done:,} of {progress.num_rows:,} rows, {speed}", err=True)
