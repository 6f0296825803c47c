"""Models loaded again without a lost request.

New workers are started first; then new requests go to them, and the old ones end with their last request.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from lexalign.server.batching.dispatcher import Dispatcher
from lexalign.server.http.logs import log
from lexalign.server.http.services import Generations, Services
from lexalign.server.translating.catalogue import Catalogue
from lexalign.server.translating.service import TranslationService
from lexalign.translator.execution import give_back_memory

LoadModels = Callable[[], tuple[Catalogue, Dispatcher]]  # called in a thread


class ModelReloader:
    def __init__(self, generations: Generations, load: LoadModels) -> None:
        self._generations, self._load = generations, load
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()

    async def reload(self) -> list[str]:
        """The names of the models; where they cannot be loaded, those of before stay."""
        async with self._lock:
            started, old = time.monotonic(), self._generations.current
            catalogue, dispatcher = await asyncio.to_thread(self._load)
            await dispatcher.ready()
            dispatcher.start()
            translation = TranslationService(catalogue, dispatcher, old.threads)
            self._generations.replace(
                replace(old, catalogue=catalogue, dispatcher=dispatcher, translation=translation)
            )
            old.documents.translation = translation
        self._begin(self._retire(old))
        names, seconds = sorted(catalogue.models), round(time.monotonic() - started, 1)
        log.warning("models are loaded again", extra={"fields": {"models": names, "seconds": seconds}})
        return names

    def reload_soon(self) -> None:
        """For a signal: errors are logged."""
        self._begin(self.reload())

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _retire(self, services: Services) -> None:
        try:
            await self._generations.until_unused(services)
            while services.documents.uses(services.translation):
                await asyncio.sleep(0.5)
        finally:
            await services.dispatcher.stop()
            services.catalogue.models.clear()  # the first services are known for as long as the server runs
            await asyncio.to_thread(give_back_memory)

    def _begin(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("models could not be loaded again; those of before stay (%s)", error)
