"""Errors of the database that a client can do something about: wait, or tell the operator."""


class StorageError(Exception):
    """The database cannot do what it was asked for now; nothing was changed."""


class StorageBusyError(StorageError):
    """Another process holds the lock of the database for too long."""

    def __init__(self) -> None:
        super().__init__("the server's database is locked by another process; try again later")


class StorageUnavailableError(StorageError):
    """The database cannot be reached, or cannot be written to."""

    def __init__(self) -> None:
        super().__init__("the server's database cannot be reached; try again later")


class StorageFullError(StorageError):
    """There is no room left, on the disk or of what the server may use of it."""

    def __init__(
        self, message: str = "the disk of the server's database is full; nothing was stored"
    ) -> None:
        super().__init__(message)
