"""Who translates a shard: one model on one device, in a process that may be anywhere."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.inputs import Input, RawRow
from lexalign.corpus.options import CorpusOptions, ModelPlace
from lexalign.corpus.results import Outcome, ResultWriter, ShardResult, count, poison_lines
from lexalign.corpus.rows import RowReader, Segment
from lexalign.corpus.shards import RawShard
from lexalign.glossary import Matcher
from lexalign.translator import TranslateOptions, Translation, Translator
from lexalign.translator.execution import keep_few_kernels, keep_freed_memory
from lexalign.translator.source_text import RefusedError


@dataclass(frozen=True, kw_only=True)
class WorkerPlan:
    """All that a worker must know, sent to it once."""

    place: ModelPlace
    options: CorpusOptions
    files: tuple[Input, ...]
    terms: Matcher | None = None  # a glossary, which asks for terms beside what rows ask for

    def start(self, device: str | None = None) -> "ShardTranslator":
        """Read the model, in a process that does nothing else; `device` is that of this worker."""
        place = self.place if device is None else replace(self.place, device=device)
        if place.on_cpu:
            import torch

            torch.set_num_threads(1)
            keep_freed_memory()
            keep_few_kernels()
        translator = Translator.load(
            place.path, device=place.device, precision=place.precision, languages=place.languages
        )
        return ShardTranslator(translator, self)


class ShardTranslator:
    """The same bytes for the same shard, whatever it has translated before."""

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
        outcomes = self._outcomes(raw, self._readers[file.format])
        return ShardResult(
            shard=raw.shard,
            content=self._writer.write(str(file.path), outcomes),
            poisoned=poison_lines(str(file.path), outcomes),
            counts=count(outcomes),
            seconds=time.perf_counter() - start,
        )

    def _outcomes(self, raw: RawShard, reader: RowReader) -> list[Outcome]:
        """Of every row, in order."""
        read = [_read(reader, row, number) for number, row in enumerate(raw.rows, start=raw.shard.first_row)]
        places = [place for place, outcome in enumerate(read) if outcome.segment is not None]
        segments = [one.segment for one in read if one.segment is not None]
        refused: dict[int, str] = {}
        found = self._translations(segments, refused)
        for index, (place, translation) in enumerate(zip(places, found, strict=True)):
            if index in refused:
                read[place] = _poisoned(read[place].row, refused[index], segments[index].text)
            else:
                read[place] = replace(read[place], translation=translation)
        return read

    def _translations(self, segments: Sequence[Segment], refused: dict[int, str]) -> list[Translation]:
        """One window: what is batched together depends on the shard and on nothing else."""
        try:
            return self._search(segments, refused)
        except (LexalignError, MemoryError):
            raise
        except Exception:
            # A fault of ours that some segment brings to light; it must not stop all others.
            found = [self._alone(index, segment, refused) for index, segment in enumerate(segments)]
            if len(refused) == len(segments):
                raise
            return found

    def _alone(self, index: int, segment: Segment, refused: dict[int, str]) -> Translation:
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


def _read(reader: RowReader, row: RawRow, number: int) -> Outcome:
    try:
        return Outcome(row=number, segment=reader.read(row, number))
    except LexalignError as error:
        return _poisoned(number, str(error), _shown(row))


def _poisoned(number: int, reason: str, excerpt: str) -> Outcome:
    return Outcome(row=number, reason=reason, excerpt=excerpt)


def _shown(row: RawRow) -> str:
    """As much of a row as can be shown; bytes that are no text as \\xff."""
    if isinstance(row, dict):
        return str(
            {name: _shown(value) if isinstance(value, bytes) else value for name, value in row.items()}
        )
    return row.decode("utf-8", errors="backslashreplace").rstrip("\r\n")
