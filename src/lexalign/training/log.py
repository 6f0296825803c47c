"""The log of a run: one JSON object a line, cut back to the checkpoint when a run is resumed."""

import json
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text

Entry = dict[str, Any]


class TrainingLog:
    """Entries have an `update`, and are of `kind` train or valid."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, entry: Entry) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def cut(self, update: int) -> None:
        """Forget what came after an update: it will come again."""
        if self.path.exists():
            kept = [entry for entry in read_log(self.path) if entry["update"] <= update]
            write_text(self.path, "".join(json.dumps(entry) + "\n" for entry in kept))


def read_log(path: Path) -> list[Entry]:
    """All whole entries; a last line that a kill cut short is left out."""
    entries = []
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines[:-1], start=1):
        try:
            entries.append(json.loads(line))
        except ValueError:
            if number < len(lines) - 1:
                raise LexalignError(f"{path}, line {number}: not JSON; remove the line") from None
    return entries
