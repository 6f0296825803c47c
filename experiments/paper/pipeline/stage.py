"""A stage of an experiment: done once, skipped when its options and all that it builds on are the same."""

import hashlib
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from experiments.paper.pipeline.workspace import Result, Workspace
from lexalign.contracts.errors import LexalignError
from lexalign.storage import write_text

_GIB = 2**30
_MADE_WITH = "made-with.txt"
Place = TypeVar("Place", bound=Workspace)


class UnavailableError(LexalignError):
    """A stage that cannot be run here, and without which the others go on."""


@dataclass(frozen=True, kw_only=True)
class Stage(Generic[Place]):
    """`options` is all that its result depends on, beside the results of the stages it `needs`.

    `run` is given the stage's fingerprint, for files of its own that another time must not mix up.
    """

    name: str
    run: Callable[[Place, str], Result]
    options: Callable[[Place], Any]
    needs: tuple[str, ...] = ()


def run_stage(stage: Stage[Place], workspace: Place, *, again: bool = False) -> bool:
    """Run a stage unless it is done; False where it cannot be run here."""
    if is_done(stage, workspace) and not again:
        workspace.say(f"{stage.name}: done before")
        return True
    fingerprint = _fingerprint(stage, workspace)
    workspace.say(f"{stage.name}: started")
    try:
        with _logged(stage.name, fingerprint, workspace):
            result = stage.run(workspace, fingerprint)
    except UnavailableError as error:
        workspace.say(f"{stage.name}: left out: {error}")
        return False
    cost = _cost(stage.name, fingerprint, workspace)
    content = {
        "stage": stage.name,
        "pair": workspace.pair.name,
        "fingerprint": fingerprint,
        # The first stage is the one that finds out what the data is.
        "signature": workspace.signature(result.get("data") or workspace.result("prepare")["data"]),
        "cost": cost,
        "result": result,
    }
    workspace.finish(stage.name, content)
    workspace.say(f"{stage.name}: {cost['seconds']:.0f} s")
    return True


def is_done(stage: Stage[Place], workspace: Place) -> bool:
    """Whether a stage is done with the present options and the present results that it builds on."""
    before = workspace.found(stage.name)
    return before is not None and before["fingerprint"] == _fingerprint(stage, workspace)


def digest(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()[:16]


def made_with(folder: Path, depends_on: Any) -> None:
    """Write down what a folder's content was made with."""
    write_text(folder / _MADE_WITH, digest(depends_on) + "\n")


def check_made_with(folder: Path, depends_on: Any) -> None:
    """Refuse the content of a folder that says that it was made with other options."""
    path = folder / _MADE_WITH
    if path.exists() and path.read_text(encoding="utf-8").strip() != digest(depends_on):
        raise LexalignError(
            f"{folder} was made with other options or data; move it away, or use another --work"
        )


def _fingerprint(stage: Stage[Place], workspace: Place) -> str:
    needs = {name: workspace.fingerprint(name) for name in stage.needs}
    return digest([stage.name, stage.options(workspace), needs])


@contextmanager
def _logged(name: str, fingerprint: str, workspace: Workspace) -> Iterator[None]:
    """Log time and memory, also of a stage that is stopped: one that goes on later has cost that too."""
    on_gpu = workspace.device.startswith("cuda")
    if on_gpu:
        # Without that there is nothing to reset.
        torch.cuda.init()  # type: ignore[no-untyped-call]
        torch.cuda.reset_peak_memory_stats(workspace.device)
    started, clock = datetime.now(UTC), time.perf_counter()
    finished = False
    try:
        yield
        finished = True
    finally:
        gpu_peak = torch.cuda.max_memory_allocated(workspace.device) / _GIB if on_gpu else None
        workspace.log(
            {
                "stage": name,
                "fingerprint": fingerprint,
                "started": started.isoformat(timespec="seconds"),
                "finished": finished,
                "seconds": round(time.perf_counter() - clock, 2),
                "gpu_peak_gib": gpu_peak and round(gpu_peak, 2),
                "host_peak_gib": round(_host_peak() / _GIB, 2),
                "device": workspace.device,
            }
        )


def _host_peak() -> int:
    """Bytes that this process ever held; macOS counts in bytes, Linux in KiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _cost(name: str, fingerprint: str, workspace: Workspace) -> Result:
    """The time of all attempts at this stage, and the largest memory of any."""
    entries = [
        entry
        for entry in workspace.logged()
        if entry["stage"] == name and entry["fingerprint"] == fingerprint
    ]
    gpu_peaks = [entry["gpu_peak_gib"] for entry in entries if entry["gpu_peak_gib"] is not None]
    return {
        "seconds": round(sum(entry["seconds"] for entry in entries), 2),
        "gpu_peak_gib": max(gpu_peaks, default=None),
        "host_peak_gib": max(entry["host_peak_gib"] for entry in entries),
    }
