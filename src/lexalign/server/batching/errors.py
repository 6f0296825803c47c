"""Errors of the queue and of the workers."""


class BusyError(Exception):
    """The queue is full; `retry_after` is in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__()
        self.retry_after = retry_after


class TooLargeError(Exception):
    """The request is larger than the whole queue may be."""


class UnavailableError(Exception):
    """The server is stopping, or a worker has died."""


class WorkerDiedError(Exception):
    """A worker process has died, and its batch is lost."""


class AbandonedError(Exception):
    """The work was cancelled because no client waits for it."""
