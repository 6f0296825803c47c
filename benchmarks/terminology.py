"""Speed and memory of extraction, for one and two workers, in CPU seconds for a million units.

    python benchmarks/terminology.py --source docs.en --target docs.de --units 100000 --json terms.json

Each run is a process of its own, so that its memory is its own; the CPU time is that of the process and of
its workers. `--quick` takes 4,000 units.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from lexalign import __version__
from lexalign.data.reader import read_lines
from lexalign.storage import write_text
from lexalign.terminology.extraction.job import extract_terms
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.extraction.workers import Processes, ThisProcess
from lexalign.terminology.reading import BilingualFile, Languages


def measure(
    source: Path, target: Path, languages: Languages, workers: int, shard_size: int
) -> dict[str, float]:
    """One extraction in this process, with its wall and CPU time and the most memory of a process."""
    start = time.perf_counter()
    stages: dict[str, float] = {}

    def progress(stage: str, done: int, total: int) -> None:
        stages[f"{stage} {done}/{total}"] = time.perf_counter() - start

    found = extract_terms(
        [BilingualFile(source, target)],
        languages,
        ExtractOptions(shard_size=shard_size),
        workers=ThisProcess() if workers == 1 else Processes(workers),
        on_progress=progress,
    )
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(one.ru_utime + one.ru_stime for one in (own, children))
    return {
        "workers": workers,
        "units": found.split.num_units,
        "candidates": len(found.candidates),
        "digest": float(sum(hash_of(one.source + one.best.target) for one in found.candidates) % 1_000_003),
        "wall_s": time.perf_counter() - start,
        "cpu_s": cpu,
        "cpu_s_per_million": cpu / found.split.num_units * 1e6,
        "driver_mib": own.ru_maxrss / 1024,
        "worker_mib": children.ru_maxrss / 1024,
    }


def hash_of(text: str) -> int:
    return int.from_bytes(text.encode()[-8:], "little")


def main() -> None:
    options = _parse()
    if options.workers:
        languages = Languages(*options.languages.split(":"))
        values = measure(options.source, options.target, languages, options.workers, options.shard_size)
        print(json.dumps(values))
        return
    units = 4_000 if options.quick else options.units
    results = []
    with tempfile.TemporaryDirectory() as name:
        paths = [Path(name) / path.name for path in (options.source, options.target)]
        for path, new in zip((options.source, options.target), paths, strict=True):
            write_text(new, "".join(f"{line}\n" for line in islice(read_lines(path), units)))
        for workers in (1, 2):
            command = [
                sys.executable,
                __file__,
                "--source",
                paths[0],
                "--target",
                paths[1],
                "--workers",
                workers,
                "--languages",
                options.languages,
                "--shard-size",
                1_000 if options.quick else options.shard_size,
            ]
            done = subprocess.run([*map(str, command)], check=True, capture_output=True, text=True)
            results.append(json.loads(done.stdout.splitlines()[-1]))
            print(
                f"lexalign {__version__}",
                {name: round(value, 1) for name, value in results[-1].items()},
                flush=True,
            )
    assert results[0]["digest"] == results[1]["digest"]
    if options.json:
        write_text(options.json, json.dumps(results, indent=1) + "\n")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--languages", default="en:de")
    parser.add_argument("--units", type=int, default=100_000)
    parser.add_argument("--shard-size", type=int, default=25_000)
    parser.add_argument(
        "--workers", type=int, default=0, help="measure in this process, with so many workers"
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
