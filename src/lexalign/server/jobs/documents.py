"""Documents in translation. They run beside the requests of the server, by the same workers.

A job is in the database: one that is running when the server stops or dies is begun again by any server.
"""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar, cast

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.markup import FormatName
from lexalign.server.batching.errors import BusyError, UnavailableError
from lexalign.server.storage.blobs import UnknownBlobError
from lexalign.server.storage.documents import KIND, DocumentRequest, DocumentStore, StoredDocument
from lexalign.server.storage.errors import StorageError, StorageFullError
from lexalign.server.storage.glossaries import GlossaryStore, UnknownGlossaryError
from lexalign.server.storage.jobs import HOLD_SECONDS, JobKind, UnknownJobError
from lexalign.server.storage.usage import UsageStore
from lexalign.server.translating.documents import DocumentAsked, DocumentTranslator, TranslatedDocument
from lexalign.server.translating.service import TranslationService

_log = logging.getLogger("lexalign.server")
_AT_A_TIME = 2
_MAX_WAITING, _RETRY_AFTER = 100, 30
_MAX_WAITING_OF_ONE = 50  # key
_SECONDS_PER_LOOK = 2.0  # for jobs that other servers have taken, or left behind
_SECONDS_PER_NOTE = 0.5  # of progress
_SECONDS_PER_TRY = 1.0  # where the database cannot be used
_KINDS: tuple[JobKind, ...] = (KIND,)
T = TypeVar("T")


class _CancelledError(Exception):
    """The job was cancelled or deleted, or belongs to another server by now."""


class DocumentRunner:
    """`translation` may be replaced while documents are translated; those under way keep theirs."""

    def __init__(
        self,
        store: DocumentStore,
        glossaries: GlossaryStore,
        translation: TranslationService,
        usage: UsageStore,
    ) -> None:
        self.store, self._glossaries, self._usage = store, glossaries, usage
        self.translation = translation
        self._in_use: Counter[TranslationService] = Counter()
        self._submitted = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._loops = [asyncio.create_task(self._run()) for _ in range(_AT_A_TIME)]

    async def stop(self) -> None:
        """Leave what is under way to the next server: its jobs are queued again by `JobStore.requeue`."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)

    def submit(self, content: bytes, request: DocumentRequest, owner: str) -> StoredDocument:
        """To be called in a thread; `wake` then has it begun at once."""
        waiting = self.store.jobs.num_waiting
        if waiting(_KINDS) >= _MAX_WAITING or (owner and waiting(_KINDS, owner=owner) >= _MAX_WAITING_OF_ONE):
            raise BusyError(_RETRY_AFTER)
        return self.store.add(content, request, owner=owner)

    def wake(self) -> None:
        self._submitted.set()

    async def _run(self) -> None:
        while True:
            claimed = await self._claim()
            if claimed is not None:
                try:
                    await self._perform(*claimed)
                except Exception:  # it is begun again when it is held no more
                    _log.exception("the document %s is left as it is", claimed[0])
                continue
            try:
                async with asyncio.timeout(_SECONDS_PER_LOOK):
                    await self._submitted.wait()
            except TimeoutError:
                continue
            self._submitted.clear()

    async def _claim(self) -> tuple[str, DocumentRequest] | None:
        jobs = self.store.jobs
        try:
            if not await asyncio.to_thread(jobs.num_waiting, _KINDS):
                return None
            claimed = await asyncio.to_thread(jobs.claim, _KINDS)
        except StorageError:
            return None
        return None if claimed is None else (claimed[0], DocumentRequest(**json.loads(claimed[2])))

    def uses(self, translation: TranslationService) -> bool:
        """Whether documents under way have it."""
        return self._in_use[translation] > 0

    async def _perform(self, identifier: str, request: DocumentRequest) -> None:
        translation = self.translation
        self._in_use[translation] += 1
        translator = DocumentTranslator(translation)
        holding = asyncio.create_task(self._hold(identifier))
        work = asyncio.create_task(self._translate(identifier, request, translator))
        try:
            await asyncio.wait({holding, work}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                await self._finish(identifier, request, work)
        finally:
            for task in (holding, work):
                task.cancel()
            await asyncio.gather(holding, work, return_exceptions=True)
            translator.close()
            self._in_use[translation] -= 1

    async def _hold(self, identifier: str) -> None:
        """Returns when the job is to be ended."""
        while await self._is_ours(identifier):
            await asyncio.sleep(min(1.0, HOLD_SECONDS / 3))

    async def _is_ours(self, identifier: str, **progress: int) -> bool:
        try:
            return await asyncio.to_thread(self.store.jobs.hold, identifier, **progress)
        except StorageError:
            return True  # another server may begin it again, and only one of them can finish it

    async def _translate(
        self, identifier: str, request: DocumentRequest, translator: DocumentTranslator
    ) -> TranslatedDocument:
        noted = 0.0

        async def progress(done: int, total: int) -> None:
            nonlocal noted
            if time.monotonic() - noted < _SECONDS_PER_NOTE and 0 < done < total:
                return
            noted = time.monotonic()
            if not await self._is_ours(identifier, done=done, total=total):
                raise _CancelledError

        content = await self._patiently(identifier, lambda: self.store.content(request))
        asked = await self._patiently(identifier, lambda: self._asked(request))
        return await translator.translate(content, asked, progress)

    def _asked(self, request: DocumentRequest) -> DocumentAsked:
        stored = [self._glossaries.get(one) for one in request.glossary_ids]
        inline = Glossary(
            tuple(
                Entry(**cast(dict[str, Any], {**one, "targets": tuple(one["targets"])}))
                for one in request.terms
            )
        )
        return DocumentAsked(
            name=request.name,
            format=cast(FormatName, request.format),
            source=request.source,
            target=request.target,
            glossaries=(inline, *stored),
        )

    async def _finish(
        self, identifier: str, request: DocumentRequest, work: "asyncio.Task[TranslatedDocument]"
    ) -> None:
        try:
            found = work.result()
        except _CancelledError:
            return
        except (LexalignError, UnknownGlossaryError, UnknownBlobError) as error:
            await self._fail(identifier, " ".join(str(error).split()))
            return
        except (UnavailableError, TimeoutError):
            await self._fail(identifier, "the workers had no time for it, or died of it; send it again later")
            return
        except Exception:
            _log.exception("the document %s failed", identifier)
            await self._fail(identifier, "the job has failed in the server")
            return
        try:
            await self._patiently(identifier, lambda: self._store(identifier, request, found))
        except StorageFullError as error:
            await self._fail(identifier, str(error))
        except UnknownJobError:  # it was deleted meanwhile
            return

    async def _fail(self, identifier: str, message: str) -> None:
        await self._patiently(identifier, lambda: self.store.jobs.finish(identifier, message=message))

    async def _patiently(self, identifier: str, work: Callable[[], T]) -> T:
        """What needs the database, once it can be used: what is translated is not translated again."""
        while True:
            try:
                return await asyncio.to_thread(work)
            except StorageFullError:
                raise
            except StorageError as error:
                _log.warning("the document %s waits for the database: %s", identifier, error)
                await asyncio.sleep(_SECONDS_PER_TRY)

    def _store(self, identifier: str, request: DocumentRequest, found: TranslatedDocument) -> None:
        owner = self.store.get(identifier, None).job.owner
        facts = {
            "source": found.model.choice.source,
            "target": found.model.choice.target,
            "characters": found.characters,
            "counts": {name: value for name, value in vars(found.report.counts).items() if value},
        }
        self.store.finish(identifier, owner, request.name, found.content, found.report_json(), facts)
        self._usage.count(owner, characters=found.characters)
