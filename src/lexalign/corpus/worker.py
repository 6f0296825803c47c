"""The worker of a corpus job: one model on one device, in a process on any machine."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.inputs import InputFile, RawRow
from lexalign.corpus.options import CorpusOptions, ModelSpec
from lexalign.corpus.results import ResultWriter, RowResult, ShardResult, count, poison_lines
from lexalign.corpus.rows import RowReader, Segment
from lexalign.corpus.shards import RawShard
from lexalign.glossary import Matcher
from lexalign.translator import TranslateOptions, Translation, Translator
from lexalign.translator.execution import keep_few_kernels, keep_freed_memory
from lexalign.translator.source_text import RefusedError


@dataclass(frozen=True, kw_only=True)
class WorkerPlan:
    """Everything that a worker needs, sent to it once."""

    model: ModelSpec
    options: CorpusOptions
    files: tuple[InputFile, ...]
    terms: Matcher | None = None  # a glossary, in addition to the constraints of rows

    def start(self, device: str | None = None) -> "ShardTranslator":
        """Load the model, in a process that does nothing else; `device` is that of this worker."""
        model = self.model if device is None else replace(self.model, device=device)
        if model.on_cpu:
            import torch

            torch.set_num_threads(1)
            keep_freed_memory()
            keep_few_kernels()
        translator = Translator.load(
            model.path, device=model.device, precision=model.precision, languages=model.languages
        )
        return ShardTranslator(translator, self)


class ShardTranslator:
    """A translator of shards: the same shard gives the same bytes, whatever was translated before."""

    def __init__(self, translator: Translator, plan: WorkerPlan) -> None:
        self._translator, self._files = translator, plan.files
        self._options: TranslateOptions = replace(plan.options.translate, workers=1)
        self._writer = ResultWriter(
            format=plan.options.output_format, align=plan.options.translate.align is not None
        )
        self._terms = plan.terms
        self._readers = {file.format: RowReader(file.format, plan.options.columns) for file in plan.files}

    def translate(self, raw: RawShard) -> ShardResult:
        start = time.perf_counter()
        file = self._files[raw.shard.file_index]
        results = self._results(raw, self._readers[file.format])
        return ShardResult(
            shard=raw.shard,
            content=self._writer.write(str(file.path), results),
            poisoned=poison_lines(str(file.path), results),
            counts=count(results),
            seconds=time.perf_counter() - start,
        )

    def _results(self, raw: RawShard, reader: RowReader) -> list[RowResult]:
        """The results of all rows, in order."""
        results = [
            _read_row(reader, row, number) for number, row in enumerate(raw.rows, start=raw.shard.first_row)
        ]
        indices = [index for index, result in enumerate(results) if result.segment is not None]
        segments = [one.segment for one in results if one.segment is not None]
        refused: dict[int, str] = {}
        found = self._translations(segments, refused)
        for number, (index, translation) in enumerate(zip(indices, found, strict=True)):
            if number in refused:
                results[index] = _poisoned(results[index].row, refused[number], segments[number].text)
            else:
                results[index] = replace(results[index], translation=translation)
        return results

    def _translations(self, segments: Sequence[Segment], refused: dict[int, str]) -> list[Translation]:
        """Translate all segments in one window, so that batches depend on nothing but the shard."""
        try:
            return self._search(segments, refused)
        except (LexalignError, MemoryError):
            raise
        except Exception:
            # A bug that some segment triggers must not stop all others.
            found = [self._translate_alone(index, segment, refused) for index, segment in enumerate(segments)]
            if len(refused) == len(segments):
                raise
            return found

    def _translate_alone(self, index: int, segment: Segment, refused: dict[int, str]) -> Translation:
        reasons: dict[int, str] = {}
        try:
            (found,) = self._search([segment], reasons)
        except Exception as error:
            found, reasons = Translation(text=""), {0: f"broke the search: {error!r}"}
        if 0 in reasons:
            refused[index] = reasons[0]
        return found

    def _search(self, segments: Sequence[Segment], refused: dict[int, str]) -> list[Translation]:
        def refuse(index: int, refusal: RefusedError) -> None:
            refused[index] = refusal.reason

        window = [(segment.text, segment.constraints) for segment in segments]
        found = self._translator.translate_windows(
            [window], self._options, glossary=self._terms, refuse=refuse
        )
        return list(found)


def _read_row(reader: RowReader, row: RawRow, number: int) -> RowResult:
    try:
        return RowResult(row=number, segment=reader.read(row, number))
    except LexalignError as error:
        return _poisoned(number, str(error), _as_text(row))


def _poisoned(number: int, reason: str, excerpt: str) -> RowResult:
    return RowResult(row=number, reason=reason, excerpt=excerpt)


def _as_text(row: RawRow) -> str:
    """The row as text, with invalid bytes as \\xff."""
    if isinstance(row, dict):
        return str(
            {name: _as_text(value) if isinstance(value, bytes) else value for name, value in row.items()}
        )
    return row.decode("utf-8", errors="backslashreplace").rstrip("\r\n")
