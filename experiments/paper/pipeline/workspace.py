"""Where the files of an experiment are, what its stages have found, and how they are signed.

DATA/de-en/{train,valid,gold}.{de,en}    parallel text; gold is split into words by spaces
DATA/de-en/gold.talp                     its alignment, in any format that `lexalign aer` reads
DATA/de-en/terms/*.jsonl                 sentences with terms, as Dinu et al. 2019 give them (may be missing)

WORK/de-en/STAGE.json                    what a stage has found, for the stages after it
WORK/de-en/log.jsonl                     time and memory of everything that was run
WORK/de-en/{forward,backward}/model      the models, with the heads beside them
RESULTS/de-en/STAGE.json                 what `experiments.paper.tables` makes docs/research/results.md from
"""

import json
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import torch

from experiments.corpora.subsample import subsample
from experiments.paper.pipeline.pairs import Direction, Pair
from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import ParallelText
from lexalign.storage import write_text

Result = dict[str, Any]
_EXPERIMENTS = Path(__file__).parents[2]
DATA, WORK, RESULTS = (_EXPERIMENTS / name for name in ("data", "runs", "results"))  # by default


@dataclass(frozen=True, kw_only=True)
class Workspace:
    pair: Pair
    data: Path  # of the pair
    folder: Path
    results: Path
    device: str
    only: Direction | None = None  # the one direction to work on; None: both
    beam: int | None = None  # the one beam to decode with; None: all
    say: Callable[[str], None] = lambda _: None

    def text(self, part: str, direction: Direction = "forward") -> ParallelText:
        source, target = self.pair.languages(direction)
        return ParallelText(self.data / f"{part}.{source}", self.data / f"{part}.{target}")

    def training_sample(self, wanted: int | None) -> Iterator[tuple[str, str]]:
        """So many pairs of the training text (None: all), at even distances."""
        total = self.result("prepare")["train_pairs"]
        return compress(self.text("train").read(), subsample(min(wanted or total, total), total))

    @property
    def tokenizer(self) -> Path:
        return self.folder / "tokenizer.model"

    def model(self, direction: Direction) -> Path:
        return self.folder / direction / "model"

    def found(self, stage: str) -> Result | None:
        """What a stage has written; None if it never ended."""
        path = self.folder / f"{stage}.json"
        if not path.exists():
            return None
        content: Result = json.loads(path.read_text(encoding="utf-8"))
        return content

    def result(self, stage: str) -> Any:
        """What a stage has found, for one that builds on it."""
        return self._needed(stage)["result"]

    def fingerprint(self, stage: str) -> str:
        return str(self._needed(stage)["fingerprint"])

    def finish(self, stage: str, content: Result) -> None:
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        write_text(self.folder / f"{stage}.json", text)
        write_text(self.results / f"{stage}.json", text)

    def log(self, entry: Result) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def logged(self) -> list[Result]:
        path = self.folder / "log.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def signature(self, data: str) -> Result:
        """What every number of this run depends on, beside the options of its stage."""
        return {
            "lexalign": __version__,
            "torch": torch.__version__,
            "device": device_name(self.device),
            "data": data if self.pair.synthetic is None else f"{data} (synthetic)",
            "seed": self.pair.setting.recipe.training.seed,
        }

    def _needed(self, stage: str) -> Result:
        content = self.found(stage)
        if content is None:
            raise LexalignError(
                f"{self.pair.name}: the stage {stage} comes first; run it with --stage {stage}"
            )
        return content


def device_name(device: str) -> str:
    if device.startswith("cuda"):
        return torch.cuda.get_device_name(torch.device(device))
    return f"CPU ({platform.machine()})"
