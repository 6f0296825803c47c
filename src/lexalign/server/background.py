"""What the server does beside its requests: it follows the database, and throws away what has expired."""

import asyncio
import time

from lexalign.server.http.logs import RareWarning
from lexalign.server.http.services import Services
from lexalign.server.storage.errors import StorageError

_SECONDS_PER_LOOK = 0.5  # so that what another server has written is known within a second
_SECONDS_PER_PURGE = 60.0


async def follow_database(services: Services) -> None:
    """Read keys and usage, and write usage, for as long as the server runs; requests wait for none of it."""
    unreachable = RareWarning("the database cannot be used; known keys are accepted meanwhile")
    purged = time.monotonic()
    while True:
        try:
            await asyncio.to_thread(_synchronize, services)
            if time.monotonic() - purged > _SECONDS_PER_PURGE:
                await asyncio.to_thread(_purge, services)
                purged = time.monotonic()
        except StorageError as error:
            services.metrics.database(False)
            unreachable(reason=str(error))
        else:
            services.metrics.database(True)
        await asyncio.sleep(_SECONDS_PER_LOOK)


async def stop_following(task: "asyncio.Task[None]", services: Services) -> None:
    """Write the usage of the last requests."""
    task.cancel()
    try:
        await asyncio.to_thread(services.usage.flush)
    except StorageError as error:
        RareWarning("usage could not be written")(reason=str(error))


def _synchronize(services: Services) -> None:
    services.keys.reload()
    services.usage.flush()


def _purge(services: Services) -> None:
    services.blobs.purge()
    services.replies.purge()
    services.jobs.store.purge()
