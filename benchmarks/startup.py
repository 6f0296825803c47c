"""How long a person waits for one sentence: `python benchmarks/startup.py`.

Every round starts new processes: the interpreter alone, torch's import, the whole command, which imports,
reads the model and translates, and the same with a helper that has both in memory (`lexalign daemon`). Then
it sends the sentence to a server that runs already. They take turns, and the median of each is shown. What a
helper and a server take of the CPU is not counted.
"""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from harness.options import make_parser, write_json
from harness.serving.server import Server, running_server
from lexalign import __version__

WITH_DAEMON, IN_SERVER = "with lexalign daemon", "in a running server"


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
    names = (*commands, WITH_DAEMON, IN_SERVER)
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    translate = commands["lexalign translate"]
    with TemporaryDirectory() as runtime, running_server("--workers", "1", *model) as server:
        with_helper = {"XDG_RUNTIME_DIR": runtime}
        measure(["-m", "lexalign", "daemon"], with_helper)
        for _ in range(rounds + 1):  # the first warms the disk's cache, and is left out
            for name, command in commands.items():
                measured[name].append(measure(command, {"XDG_RUNTIME_DIR": f"{runtime}/none"}))
            measured[WITH_DAEMON].append(measure(translate, with_helper))
            measured[IN_SERVER].append(request(server, options.text))
        measure(["-m", "lexalign", "daemon", "stop"], with_helper)
    rows = {name: summary(times[1:]) for name, times in measured.items()}
    for name, row in rows.items():
        print(f"{name:20} {row['seconds']:6.2f} s   {row['cpu_seconds']:6.2f} s of CPU")
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
    signature = f"lexalign {__version__}, torch {torch.__version__}, Python {platform.python_version()}"
    print(f"median of {rounds} rounds; {signature}; {machine}; model {options.model or 'bundled'}")
    content = {"rows": rows, "rounds": rounds, "signature": signature, "machine": machine}
    write_json(options.json, content)


def measure(command: list[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds until the process has ended, and those of CPU that it took."""
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    # As installed: with compiled modules.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment}
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=environment)
    seconds, after = time.perf_counter() - clock, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def request(server: Server, text: str) -> tuple[float, float]:
    """Seconds until the answer is there."""
    body = json.dumps({"text": text, "source_language": "de", "target_language": "en"})
    clock = time.perf_counter()
    connection = HTTPConnection(server.host, server.port, timeout=60)
    connection.request("POST", "/v1/translate", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    seconds = time.perf_counter() - clock
    connection.close()
    if answer.status != 200:
        raise SystemExit(content.decode())
    return seconds, 0.0


def summary(times: list[tuple[float, float]]) -> dict[str, float]:
    seconds, cpu_seconds = (statistics.median(column) for column in zip(*times, strict=True))
    return {"seconds": round(seconds, 3), "cpu_seconds": round(cpu_seconds, 3)}


if __name__ == "__main__":
    main()
