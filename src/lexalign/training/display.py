"""What a person sees of a training run."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from lexalign.training.log import Entry


class Display:
    """A progress bar on a terminal, lines elsewhere; nothing on ranks other than the first."""

    def __init__(self, updates: int, start: int, visible: bool) -> None:
        self._console = Console(stderr=True, quiet=not visible, highlight=False)
        self._progress = Progress(
            TextColumn("training"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self._console,
            disable=not (visible and self._console.is_terminal),
        )
        self._task = self._progress.add_task("training", total=updates, completed=start, state="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def advance(self, update: int) -> None:
        self._progress.update(self._task, completed=update)

    def trained(self, entry: Entry) -> None:
        state = f"loss {entry['nll']:.3f}  {entry['tokens_per_second'] / 1000:,.1f}k tokens/s"
        self._progress.update(self._task, state=state)
        if not self._console.is_terminal:
            self.say(f"update {entry['update']:>6}  {state}")

    def validated(self, entry: Entry) -> None:
        quality = "" if entry["bleu"] is None else f"  BLEU {entry['bleu']:.1f}"
        self.say(f"update {entry['update']:>6}  validation loss {entry['loss']:.3f}{quality}")

    def say(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)
