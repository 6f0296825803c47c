"""Engines that take turns, round by round, each in processes that wait while another one works."""

import contextlib
import os
import statistics
import time
import warnings
from collections.abc import Iterator

from rich.console import Console

from harness.engines.engines import Setting
from harness.engines.report import Result
from harness.engines.workers import Workers
from harness.engines.workload import Case

# Threads of OpenMP go on spinning for a while after their work, and would disturb the next engine.
_PAUSE_S = 0.25


def quieten() -> None:
    """Turn off progress bars and advice of transformers, before it is imported."""
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    warnings.filterwarnings("ignore", module="transformers")


def settings(device: str, which: str) -> list[Setting]:
    """One worker with all cores, and one for each core, which is most engines' best."""
    cores = len(os.sched_getaffinity(0))
    if device != "cpu" or cores == 1:
        return [Setting(workers=1, threads=1)]
    one_each = Setting(workers=cores, threads=1)
    return [one_each] if which == "workers" else [Setting(workers=1, threads=cores), one_each]


@contextlib.contextmanager
def open_workers(workers: Workers) -> Iterator[Workers]:
    try:
        yield workers
    finally:
        workers.close()


def measure(workers: list[Workers], cases: list[Case], rounds: int, console: Console) -> list[Result]:
    """The median of each engine in each case; the first turn warms up, and is left out."""
    seconds: dict[tuple[int, Case], list[float]] = {}
    with console.status("") as status:
        for turn in range(rounds + 1):
            for case in cases:
                for index, engine in enumerate(workers):
                    status.update(f"round {turn} of {rounds}, {case}: {engine.engine.name}")
                    time.sleep(_PAUSE_S)
                    warm_up = turn == 0
                    elapsed = engine.seconds(case, limit=engine.num_warm_ups if warm_up else None)
                    if not warm_up:
                        seconds.setdefault((index, case), []).append(elapsed)
    return [
        Result(
            engine=workers[index].engine.name,
            precision=workers[index].engine.precision,
            setting=workers[index].engine.setting,
            case=case,
            sentences_per_second=workers[index].num_sentences(case) / statistics.median(times),
            seconds=times,
        )
        for (index, case), times in seconds.items()
    ]
