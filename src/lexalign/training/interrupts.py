"""Stopping a run politely."""

import signal
import threading
from contextlib import AbstractContextManager
from types import FrameType


class Interrupts(AbstractContextManager[None]):
    """Ctrl-C and a polite kill end the run after the update at hand, with a checkpoint."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._previous: dict[int, object] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._request)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def _request(self, _number: int, _frame: FrameType | None) -> None:
        self._stop.set()
