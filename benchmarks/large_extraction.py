"""Time and memory of an extraction with all its processes, and what it costs to be killed and to go on.

    python benchmarks/large_extraction.py memory.tsv --workers 12 --work work --output terms.csv \\
        --kill-at 80 --kill-files 'translations-*' --json measured.json

The memory is made by `experiments.corpora.large_memory`. Each second the memory of all processes is summed,
as Linux tells it: RSS counts pages that processes share for each of them, PSS divides them. With `--kill-at`
everything is killed as soon as so many files of the work folder have that name, and the command is run again.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lexalign import __version__
from lexalign.storage import write_text

_MIB = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    runs: list[dict[str, Any]] = []
    while True:
        runs.append(measure(_command(options), options, killable=options.kill_at > 0 and not runs))
        _show(runs[-1])
        if not runs[-1]["killed"]:
            break
    size = {"lexalign": __version__, "workers": options.workers, "bytes": options.memory.stat().st_size}
    if options.json:
        write_text(options.json, json.dumps({**size, "runs": runs}, indent=1) + "\n")
    return int(runs[-1]["exit_code"])


def measure(command: Sequence[str], options: argparse.Namespace, *, killable: bool) -> dict[str, Any]:
    """Run a command in a session of its own, and watch all of its processes."""
    start = time.perf_counter()
    cpu: dict[int, float] = {}
    samples: list[dict[str, float]] = []
    killed = False
    with subprocess.Popen(command, start_new_session=True) as process:
        while process.poll() is None:
            sample = _sample(process.pid, cpu)
            sample.update(seconds=time.perf_counter() - start, files=_count(options.work, options.kill_files))
            samples.append({name: round(value, 1) for name, value in sample.items()})
            if killable and sample["files"] >= options.kill_at:
                killed = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(options.interval)
    return {
        "seconds": round(time.perf_counter() - start, 1),
        "killed": killed,
        "exit_code": process.returncode,
        "cpu_seconds": round(sum(cpu.values()), 1),
        **{
            f"peak_{name}": _peak(samples, name)
            for name in ("rss_mib", "pss_mib", "largest_mib", "processes")
        },
        "samples": samples,
    }


def _sample(session: int, cpu: dict[int, float]) -> dict[str, float]:
    """The memory of the processes of a session now; `cpu` learns the CPU seconds of each."""
    rss, pss = [], 0.0
    for process in _processes(session):
        try:
            fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
            rss.append(int(fields[21]) * _PAGE / _MIB)
            cpu[int(process.name)] = (int(fields[11]) + int(fields[12])) / _TICKS
            pss += _pss(process)
        except (OSError, ValueError, IndexError):
            continue  # it has just ended
    return {
        "rss_mib": sum(rss),
        "pss_mib": pss,
        "largest_mib": max(rss, default=0),
        "processes": len(rss),
        "cpu_seconds": sum(cpu.values()),
    }


def _processes(session: int) -> Iterable[Path]:
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if os.getsid(int(process.name)) == session:
                    yield process
            except OSError:
                continue


def _pss(process: Path) -> float:
    lines = (process / "smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _count(folder: Path, pattern: str) -> int:
    return sum(1 for _ in folder.glob(pattern)) if folder.exists() else 0


def _peak(samples: Sequence[dict[str, float]], name: str) -> float:
    return max((sample[name] for sample in samples), default=0.0)


def _show(run: dict[str, Any]) -> None:
    print({name: value for name, value in run.items() if name != "samples"}, flush=True)


def _command(options: argparse.Namespace) -> list[str]:
    languages = ["--from", options.source_language, "--to", options.target_language]
    places = ["--work", options.work, "--output", options.output]
    candidates = ["--candidates", options.output.with_suffix(".json"), "--workers", options.workers]
    command = [sys.executable, "-m", "lexalign", "glossary", "extract", options.memory]
    command += [*languages, *places, *candidates]
    return [str(word) for word in command]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("memory", type=Path)
    parser.add_argument("--from", dest="source_language", default="en")
    parser.add_argument("--to", dest="target_language", default="de")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--work", type=Path, required=True, help="the work folder of the extraction")
    parser.add_argument("--output", type=Path, required=True, help="the glossary; candidates go beside it")
    parser.add_argument("--kill-at", type=int, default=0, help="kill it at so many files; 0 is never")
    parser.add_argument("--kill-files", default="translations-*", help="the files that are counted")
    parser.add_argument("--interval", type=float, default=1.0, help="seconds between two looks")
    parser.add_argument("--json", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
