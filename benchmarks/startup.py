"""How long a person waits for one sentence: `python benchmarks/startup.py`.

Every round starts a new process: the interpreter alone, torch's import, and the whole command, which imports,
reads the model and translates. They take turns, and the median of each is shown.
"""

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import torch

from harness.options import make_parser, write_json
from lexalign import __version__


def main() -> None:
    parser = make_parser(__doc__, quick="two rounds")
    parser.add_argument("--model", type=Path, help="by default the bundled one")
    parser.add_argument("--text", default="Das Haus ist groß.")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    model = ["--model", str(options.model)] if options.model else []
    commands = {
        "interpreter": ["-c", "pass"],
        "import torch": ["-c", "import torch"],
        "lexalign --help": ["-m", "lexalign", "--help"],
        "lexalign translate": ["-m", "lexalign", "translate", *model, "--device", "cpu", options.text],
    }
    rounds = 2 if options.quick else options.rounds
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds + 1):  # the first warms the disk's cache, and is left out
        for name, command in commands.items():
            measured[name].append(measure(command))
    rows = {name: summary(times[1:]) for name, times in measured.items()}
    for name, row in rows.items():
        print(f"{name:20} {row['seconds']:6.2f} s   {row['cpu_seconds']:6.2f} s of CPU")
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
    signature = f"lexalign {__version__}, torch {torch.__version__}, Python {platform.python_version()}"
    print(f"median of {rounds} rounds; {signature}; {machine}; model {options.model or 'bundled'}")
    content = {"rows": rows, "rounds": rounds, "signature": signature, "machine": machine}
    write_json(options.json, content)


def measure(command: list[str]) -> tuple[float, float]:
    """Seconds until the process has ended, and those of CPU that it took."""
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def summary(times: list[tuple[float, float]]) -> dict[str, float]:
    seconds, cpu_seconds = (statistics.median(column) for column in zip(*times, strict=True))
    return {"seconds": round(seconds, 3), "cpu_seconds": round(cpu_seconds, 3)}


if __name__ == "__main__":
    main()
