"""Translation of a document, a few sentences at a time, so that short requests pass between them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lexalign.contracts.errors import LexalignError
from lexalign.documents.job import DocumentJob
from lexalign.documents.xliff_notes import annotate_xliff
from lexalign.glossary import Glossary
from lexalign.markup import FORMATS, Document, DocumentOptions, FormatName, guess_format, read_document
from lexalign.report import FileReport, Report
from lexalign.report.formats.json_object import as_json
from lexalign.server.batching.errors import BusyError, UnavailableError
from lexalign.server.translating.catalogue import LoadedModel
from lexalign.server.translating.markup import with_links
from lexalign.server.translating.requests import TranslationRequest
from lexalign.server.translating.service import TranslationService
from lexalign.translator import AlignedSentences

_SENTENCES, _CHARACTERS = 48, 6_000  # of a window, at most
_DETECTED_FROM = 2_000  # characters
_MAX_TRIES = 5
T = TypeVar("T")
Progress = Callable[[int, int], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class DocumentAsked:
    name: str
    format: FormatName
    source: str | None
    target: str | None
    glossaries: tuple[Glossary, ...]


@dataclass(frozen=True, kw_only=True)
class TranslatedDocument:
    content: bytes
    report: FileReport
    model: LoadedModel
    characters: int

    def report_json(self) -> str:
        return as_json(Report(files=(self.report,)))


def format_of(name: str, content: bytes) -> FormatName:
    """The format that a file's name, and its content, tell."""
    try:
        return guess_format(Path(name), content)
    except LexalignError as error:
        reason = str(error).partition("; give --format")[0]
        raise LexalignError(f"{reason}; choose from {', '.join(FORMATS)}") from None


class DocumentTranslator:
    """Reads and writes documents in a thread of its own, since that may take longer than a request may."""

    def __init__(self, service: TranslationService) -> None:
        self.service = service
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lexalign-documents")

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def translate(self, content: bytes, asked: DocumentAsked, progress: Progress) -> TranslatedDocument:
        options = DocumentOptions(source_language=asked.source, target_language=asked.target)
        document = await self._run(lambda: read_document(content, asked.format, options))
        sample = await self._run(lambda: _beginning(document))
        model = await self.service.find_model(asked.source, asked.target, [sample])
        if asked.target is None or asked.source is None:  # which some formats write into the document
            named = DocumentOptions(source_language=model.choice.source, target_language=model.choice.target)
            document = await self._run(lambda: read_document(content, asked.format, named))
        request = TranslationRequest(
            texts=(), stored=asked.glossaries, align=not self.service.has_back(model), sentences=False
        )
        job = await self._run(lambda: self._job(document, asked, model, request))
        await self._translate(job, model, request, progress)
        return await self._run(lambda: _finished(job, asked, content, model))

    def _job(
        self, document: Document, asked: DocumentAsked, model: LoadedModel, request: TranslationRequest
    ) -> DocumentJob:
        sentences = AlignedSentences(
            translator=model.translator,
            options=self.service.options(model, request),
            glossary=self.service.matcher(model, request),
        )
        return DocumentJob(name=asked.name, document=document, sentences=sentences)

    async def _translate(
        self, job: DocumentJob, model: LoadedModel, request: TranslationRequest, progress: Progress
    ) -> None:
        missing = await self._run(lambda: sorted(job.work.missing, key=len, reverse=True))
        tagged = await self._run(lambda: job.work.tagged_sentences)
        total, done = len(missing), 0
        await progress(done, total)
        for window in _windows(missing):
            found = await _patiently(lambda part=window: self.service.search(model, request, part))  # type: ignore[misc]
            pairs = [
                (source, one.text) for source, one in zip(window, found, strict=True) if source in tagged
            ]
            links = await _patiently(lambda marked=pairs: self.service.mutual_links(model, marked))  # type: ignore[misc]
            for source, one in zip(window, found, strict=True):
                job.add(one, with_links(source, one, links.get(source)))
            done += len(window)
            await progress(done, total)

    async def _run(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _windows(sentences: Sequence[str]) -> Iterator[list[str]]:
    window: list[str] = []
    size = 0
    for sentence in sentences:
        if window and (len(window) == _SENTENCES or size + len(sentence) > _CHARACTERS):
            yield window
            window, size = [], 0
        window.append(sentence)
        size += len(sentence)
    if window:
        yield window


async def _patiently(work: Callable[[], Awaitable[T]]) -> T:
    """A document can wait: for room in the queue, and for a worker in place of one that has died."""
    failures = 0
    while True:
        try:
            return await work()
        except BusyError as error:
            await asyncio.sleep(min(error.retry_after, 5))
        except (UnavailableError, TimeoutError):
            failures += 1
            if failures == _MAX_TRIES:
                raise
            await asyncio.sleep(failures)


def _beginning(document: Document) -> str:
    found, size = [], 0
    for segment in document.segments:
        found.append(segment.text.text)
        size += len(found[-1])
        if size > _DETECTED_FROM:
            break
    return "\n".join(found)


def _finished(
    job: DocumentJob, asked: DocumentAsked, content: bytes, model: LoadedModel
) -> TranslatedDocument:
    finished = job.finish()
    translated = job.document.write(finished.translations)
    if asked.format in ("xliff1", "xliff2"):
        translated = annotate_xliff(asked.format, content, translated, finished.segments)
    return TranslatedDocument(
        content=translated,
        report=finished.report,
        model=model,
        characters=sum(len(segment.text.text) for segment in job.document.segments),
    )
