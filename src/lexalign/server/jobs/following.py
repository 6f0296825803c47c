"""Those who follow a document look at the database together, however many they are."""

import asyncio
from collections.abc import Awaitable, Callable

from lexalign.server.batching.errors import BusyError
from lexalign.server.storage.documents import StoredDocument
from lexalign.server.storage.errors import StorageError

_SECONDS_PER_LOOK = 0.3
Read = Callable[[str, str], Awaitable[StoredDocument]]


class Followers:
    """`read` gives the document of an identifier and an owner as it is now."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self.stopped = False
        self._looks: dict[tuple[str, str], asyncio.Task[StoredDocument]] = {}

    def stop(self) -> None:
        """The server is stopping: nobody is to wait for the end of a document."""
        self.stopped = True

    async def next_look(self, identifier: str, owner: str) -> StoredDocument:
        """The document in a moment; while it cannot be read, its job goes on, and followers need not know."""
        key = identifier, owner
        look = self._looks.get(key)
        if look is None or look.done():  # its callback has not been called yet
            look = self._looks[key] = asyncio.create_task(self._look(*key))
            look.add_done_callback(lambda done: self._end(key, done))
        return await asyncio.shield(look)  # others follow on when one leaves

    async def _look(self, identifier: str, owner: str) -> StoredDocument:
        while True:
            await asyncio.sleep(_SECONDS_PER_LOOK)
            try:
                return await self._read(identifier, owner)
            except (BusyError, StorageError, TimeoutError):
                continue

    def _end(self, key: tuple[str, str], look: "asyncio.Task[StoredDocument]") -> None:
        if self._looks.get(key) is look:
            del self._looks[key]
        if not look.cancelled():
            look.exception()  # everybody may have left
