"""Why work is not taken, or not done."""


class BusyError(Exception):
    """Too much waits already; `retry_after` is in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__()
        self.retry_after = retry_after


class TooLargeError(Exception):
    """More than could ever wait at a time."""


class UnavailableError(Exception):
    """The server is stopping, or a worker has died."""
