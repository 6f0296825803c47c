"""The report of a finished job."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lexalign.corpus.results import Counts
from lexalign.storage import write_text


@dataclass(frozen=True, kw_only=True)
class Report:
    """Figures of the whole job, and of its last run; a job that was stopped has several runs."""

    total: Counts
    worker_seconds: float  # of all runs, without loading models
    run: Counts
    seconds: float  # of the last run, from its start
    workers: int
    price: float | None = None  # of an hour of all workers together

    @property
    def segments_per_second(self) -> float:
        return self.run.segments / self.seconds if self.seconds else 0.0

    @property
    def tokens_per_second(self) -> float:
        return self.run.tokens / self.seconds if self.seconds else 0.0

    @property
    def cost_per_million(self) -> float | None:
        if self.price is None or not self.segments_per_second:
            return None
        return self.price / 3600 / self.segments_per_second * 1e6

    def write(self, path: Path) -> None:
        content: dict[str, Any] = {
            **asdict(self.total),
            "worker_seconds": round(self.worker_seconds, 3),
            "last_run": {
                **asdict(self.run),
                "seconds": round(self.seconds, 3),
                "workers": self.workers,
                "segments_per_second": round(self.segments_per_second, 3),
                "tokens_per_second": round(self.tokens_per_second, 3),
                "price_per_hour": self.price,
                "cost_per_million_segments": self.cost_per_million,
            },
        }
        write_text(path, json.dumps(content, indent=1) + "\n")

    def lines(self) -> list[str]:
        total, run = self.total, self.run
        before = total.segments - run.segments
        lines = [f"{total.segments:,} segments" + (f", {before:,} of them before" if before else "")]
        if run.segments:
            rates = f"{self.segments_per_second:,.1f} segments/s, {self.tokens_per_second:,.0f} tokens/s"
            crew = "1 worker" if self.workers == 1 else f"{self.workers} workers"
            lines.append(f"{self.seconds:,.1f} s on {crew}: {rates}")
        if total.terms:
            lines.append(f"terms: {total.met:,} of {total.terms:,} met")
        if total.missing_numbers:
            lines.append(f"{total.missing_numbers:,} numbers are missing in translations")
        if total.lost:
            lines.append(f"content is likely lost in {total.lost:,} segments; `uncovered` tells which words")
        if total.cut_off:
            lines.append(f"{total.cut_off:,} translations were cut off at the length limit")
        if total.poisoned:
            lines.append(f"{total.poisoned:,} rows could not be translated; poisoned.jsonl says why")
        if self.cost_per_million is not None:
            lines.append(
                f"cost: {self.cost_per_million:,.2f} for a million segments, at {self.price} an hour"
            )
        return lines
