"""Options of a corpus job."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.inputs import FORMATS, InputFormat
from lexalign.corpus.results import OUTPUT_FORMATS, OutputFormat
from lexalign.corpus.rows import Columns
from lexalign.models.projection import Precision
from lexalign.text.subwords import Languages
from lexalign.translator.options import TranslateOptions

# In rows. A CPU's batches of 512 tokens find sentences of like length among a thousand; a GPU's need more. A
# worker that dies loses at most its shard, and at the end of a job all wait for the last one.
CPU_SHARD, GPU_SHARD = 1024, 8192


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """A model's folder, and the device and precision with which every worker loads it."""

    path: Path
    device: str = "cpu"  # cpu, cuda or cuda:1
    precision: Precision | None = None  # None is that of the stored model
    languages: Languages | None = None  # of a multilingual model

    @property
    def on_cpu(self) -> bool:
        return self.device == "cpu"


@dataclass(frozen=True, kw_only=True)
class CorpusOptions:
    """None is the default for the device, or the format that a file's name tells."""

    translate: TranslateOptions = field(default_factory=TranslateOptions)
    columns: Columns = field(default_factory=Columns)
    input_format: InputFormat | None = None
    output_format: OutputFormat = "jsonl"
    shard_size: int | None = None

    def __post_init__(self) -> None:
        if self.input_format is not None and self.input_format not in FORMATS:
            raise LexalignError(f"unknown format {self.input_format!r}; choose from {', '.join(FORMATS)}")
        if self.output_format not in OUTPUT_FORMATS:
            raise LexalignError(
                f"unknown format {self.output_format!r}; choose from {', '.join(OUTPUT_FORMATS)}"
            )
        if self.translate.n_best > 1:
            raise LexalignError("a corpus has one translation of each segment; leave n_best at 1")

    def rows_per_shard(self, model: ModelSpec) -> int:
        return self.shard_size or (CPU_SHARD if model.on_cpu else GPU_SHARD)

    def signature(self) -> dict[str, Any]:
        """All options that results depend on, by readable names."""
        values = asdict(self.translate)
        for name in ("workers", "window"):  # a shard is one window, of one worker
            del values[name]
        values |= {f"column of {name}": value for name, value in asdict(self.columns).items()}
        return {**values, "output format": self.output_format}
