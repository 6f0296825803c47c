"""The output folder of a job, with the journal of its finished shards.

    manifest.json       the description of the job; in the end also its shards, with a digest of each
    journal.jsonl       while it runs: a line for each finished shard
    part-000000.jsonl   the shards; a job that writes text joins them to translations.txt
    poisoned.jsonl      the rows that could not be translated, each with its reason
    report.json         time, speed, cost, and how many terms are met

A shard is finished when its line is in the journal, and the line is written after its files. So files that a
kill leaves behind without a line are written again, with the same bytes. One process at a time holds the
lock of the folder.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.results import SUFFIXES, Counts, OutputFormat, ShardResult
from lexalign.corpus.shards import Shard
from lexalign.storage import new_file, write_text

VERSION = 1
Job = dict[str, Any]
_TOO_LONG = ("inputs", "model", "glossary")  # values that are not shown in errors


@dataclass(frozen=True, kw_only=True)
class FinishedShard:
    """A line of the journal."""

    number: int
    num_bytes: int
    digest: str
    counts: Counts
    seconds: float


class Ledger:
    def __init__(self, folder: Path, format: OutputFormat) -> None:
        self.folder, self._format = folder, format
        self._manifest, self._journal = folder / "manifest.json", folder / "journal.jsonl"
        self.finished: dict[int, FinishedShard] = {}
        self.total = Counts()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder against other processes; the system unlocks it when this one dies."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / ".lock").open("w") as file:
            try:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:  # Windows, where it is not checked
                pass
            except OSError:
                raise LexalignError(f"{self.folder}: another process is writing there") from None
            yield

    def open_job(self, job: Job) -> bool:
        """Start or resume the job; returns whether it is complete already."""
        known = self._read_manifest()
        if known is None:
            self._refuse_other_files()
            write_text(self._manifest, _json({"version": VERSION, "job": job}))
        else:
            _refuse_other_job(known["job"], job, self.folder)
        for leftover in self.folder.glob(".*.*"):  # files that were being written
            leftover.unlink()
        if known is not None and "shards" in known:
            self.total = sum((_counts(shard) for shard in known["shards"]), Counts())
            self._remove_joined()
            return True
        self._resume()
        return False

    def put(self, result: ShardResult) -> None:
        """Write the files of a shard, and then its line in the journal."""
        name = self._part_path(result.shard.number)
        for path, content in (
            (name, result.content),
            (self._poisoned_path(result.shard.number), result.poisoned),
        ):
            if content or path == name:
                with new_file(path) as temporary:
                    temporary.write_bytes(content)
        entry = FinishedShard(
            number=result.shard.number,
            num_bytes=len(result.content),
            digest=hashlib.sha256(result.content).hexdigest(),
            counts=result.counts,
            seconds=round(result.seconds, 3),
        )
        with self._journal.open("ab") as file:
            file.write(json.dumps(asdict(entry)).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._add(entry)

    def finish(self, job: Job, shards: Sequence[Shard]) -> None:
        """Join the parts, and complete the manifest; it can be repeated after a kill."""
        self._join([self._poisoned_path(shard.number) for shard in shards], self.folder / "poisoned.jsonl")
        if self._format == "text":
            self._join([self._part_path(shard.number) for shard in shards], self.folder / "translations.txt")
        listed = [self._manifest_entry(shard) for shard in shards]
        write_text(self._manifest, _json({"version": VERSION, "job": job, "shards": listed}))
        self._remove_joined()

    def _remove_joined(self) -> None:
        """Remove the parts of a complete job that have been joined; a kill may have prevented it before."""
        joined = ("*.poisoned", f"*{SUFFIXES['text']}") if self._format == "text" else ("*.poisoned",)
        for pattern in joined:
            for path in self.folder.glob(f"part-{pattern}"):
                path.unlink()
        self._journal.unlink(missing_ok=True)

    def _manifest_entry(self, shard: Shard) -> dict[str, Any]:
        entry = self.finished[shard.number]
        location = {"file": shard.file_index, "first_row": shard.first_row, "rows": shard.num_rows}
        return {**location, "bytes": entry.num_bytes, "sha256": entry.digest, **asdict(entry.counts)}

    def _part_path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}{SUFFIXES[self._format]}"

    def _poisoned_path(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.poisoned"

    def _join(self, parts: Sequence[Path], path: Path) -> None:
        with new_file(path) as temporary, temporary.open("wb") as file:
            for part in parts:
                if part.exists():
                    file.write(part.read_bytes())

    def _read_manifest(self) -> dict[str, Any] | None:
        try:
            content: dict[str, Any] = json.loads(self._manifest.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError:
            raise LexalignError(f"{self._manifest}: not a manifest; use another folder") from None
        return content

    def _refuse_other_files(self) -> None:
        if any(path.name[0] != "." for path in self.folder.iterdir()):
            raise LexalignError(f"{self.folder} holds other files; use a new or empty folder")

    def _resume(self) -> None:
        """Read the whole lines of the journal; a shard counts only if its file has the right size."""
        lines = self._journal.read_bytes().split(b"\n")[:-1] if self._journal.exists() else []
        for line in lines:
            values = json.loads(line)
            entry = FinishedShard(**{**values, "counts": _counts(values["counts"])})
            path = self._part_path(entry.number)
            if path.exists() and path.stat().st_size == entry.num_bytes:
                self._add(entry)
        kept = [json.dumps(asdict(entry)) + "\n" for entry in self.finished.values()]
        write_text(self._journal, "".join(kept))

    def _add(self, entry: FinishedShard) -> None:
        if entry.number not in self.finished:
            self.finished[entry.number] = entry
            self.total += entry.counts


def _counts(values: dict[str, Any]) -> Counts:
    return Counts(**{field.name: values[field.name] for field in fields(Counts)})


def _refuse_other_job(known: Job, job: Job, folder: Path) -> None:
    for name in {**known, **job}:
        if known.get(name) != job.get(name):
            values = f" ({known.get(name)} there, {job.get(name)} here)" if name not in _TOO_LONG else ""
            raise LexalignError(
                f"{folder} belongs to another job: {name} differs{values}; use another folder"
            )


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
