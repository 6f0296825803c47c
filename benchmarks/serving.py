"""A server under load: latency and throughput with 1, 8 and 64 clients, against the offline rate.

    python benchmarks/serving.py --model models/de-en --input news.de --seconds 300 --json serving.json

Starts `lexalign serve` itself. Every client sends one sentence after another, every third with terms of its
own; the offline rate is that of sentences and terms drawn alike, by the same model, precision and processes
in one stream. Refusals (429) are counted, and tried again after the time that the server asks for.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from lexalign import __version__
from lexalign.models.projection import Precision
from lexalign.translator import Constraint, TranslateOptions, Translator

_LOOKS = 10  # at the memory


@dataclass
class Load:
    """What came of some clients; latencies in seconds."""

    clients: int
    seconds: float = 0.0
    answered: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)  # MiB, of the server and its workers, over the time

    def summary(self, offline: float) -> dict[str, object]:
        ordered = sorted(self.latencies)
        rate = self.answered / self.seconds
        return {
            "clients": self.clients,
            "seconds": round(self.seconds, 1),
            "answered": self.answered,
            "statuses": dict(self.statuses),
            "p50_ms": round(1000 * statistics.median(ordered)),
            "p95_ms": round(1000 * ordered[int(0.95 * (len(ordered) - 1))]),
            "sentences_per_second": round(rate, 2),
            "of_offline": round(rate / offline, 3),
            "memory_mib": self.memory,
        }


def main() -> None:
    arguments = parse()
    sentences = read(arguments.input, 40 if arguments.quick else arguments.sentences)
    seconds = 5.0 if arguments.quick else arguments.seconds
    offline = offline_rate(arguments, sentences)
    print(f"offline      {offline:7.2f} sentences/s", flush=True)
    results = []
    with server(arguments) as (url, pid):
        for clients in arguments.clients:
            load = asyncio.run(run_clients(url, pid, sentences, clients, seconds, arguments))
            found = load.summary(offline)
            results.append(found)
            print(
                f"{clients:3d} clients  {found['sentences_per_second']:7} sentences/s  "
                f"{found['of_offline']:6} of offline  p50 {found['p50_ms']} ms  p95 {found['p95_ms']} ms  "
                f"{found['statuses']}  memory {found['memory_mib']} MiB",
                flush=True,
            )
    if arguments.json:
        signature = {"lexalign": __version__, "options": {k: str(v) for k, v in vars(arguments).items()}}
        report = {**signature, "cores": len(os.sched_getaffinity(0)), "offline": offline, "loads": results}
        arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--input", type=Path, required=True, help="sentences, one on each line")
    parser.add_argument("--languages", default="de-en")
    parser.add_argument("--sentences", type=int, default=600)
    parser.add_argument("--seconds", type=float, default=300.0, help="for each number of clients")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--align", action="store_true", help="also ask for alignments")
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--quick", action="store_true", help="a few seconds, to see that it works")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def read(path: Path, number: int) -> list[str]:
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line][:number]


def offline_rate(arguments: argparse.Namespace, sentences: list[str]) -> float:
    """Sentences a second of the command line's way, after a few to warm up."""
    precision: Precision = "float32" if arguments.float32 else "int8"
    translator = Translator.load(arguments.model, device="cpu", precision=precision)
    method = "post-aln" if arguments.align else None
    options = TranslateOptions(beam=arguments.beam, workers=arguments.workers, align=method)
    choose = random.Random(0)
    asked = [(text, constraints(text, choose)) for text in sentences]
    list(translator.translate_stream(asked[:40], options))
    started = time.perf_counter()
    list(translator.translate_stream(asked, options))
    return len(sentences) / (time.perf_counter() - started)


def constraints(text: str, choose: random.Random) -> list[Constraint]:
    word = kept_word(text, choose)
    if word is None:
        return []
    start = text.index(word)
    return [Constraint(targets=(word,), source=(start, start + len(word)))]


def kept_word(text: str, choose: random.Random) -> str | None:
    """Every third text has a word that is to be left as it is."""
    words = re.findall(r"\w{4,}", text)
    return choose.choice(words) if words and choose.random() < 1 / 3 else None


@contextlib.contextmanager
def server(arguments: argparse.Namespace) -> Iterator[tuple[str, int]]:
    model = f"{arguments.languages}={arguments.model}"
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "lexalign", "serve", "--model", model, "--port", "0", "--data", data]
        command += ["--device", "cpu", "--workers", str(arguments.workers)]
        process = subprocess.Popen(
            [*command, *(["--float32"] if arguments.float32 else [])], stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        address = re.search(r"http://\S+", process.stderr.readline())
        if address is None:
            raise SystemExit("the server did not start")
        try:
            yield address[0], process.pid
        finally:
            process.terminate()
            process.wait()


async def run_clients(
    url: str, pid: int, sentences: list[str], clients: int, seconds: float, arguments: argparse.Namespace
) -> Load:
    load = Load(clients)
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as client:
        await client.post("/v1/translate", json=body(sentences, random.Random(0), arguments))
        started = time.perf_counter()
        await asyncio.gather(
            watch(pid, seconds, load),
            *(
                ask(client, sentences, number, started + seconds, load, arguments)
                for number in range(clients)
            ),
        )
        load.seconds = time.perf_counter() - started
    return load


async def watch(pid: int, seconds: float, load: Load) -> None:
    for _ in range(_LOOKS):
        load.memory.append(memory(pid))
        await asyncio.sleep(seconds / _LOOKS)


async def ask(
    client: httpx.AsyncClient,
    sentences: list[str],
    number: int,
    until: float,
    load: Load,
    arguments: argparse.Namespace,
) -> None:
    choose = random.Random(number)
    while time.perf_counter() < until:
        started = time.perf_counter()
        found = await client.post("/v1/translate", json=body(sentences, choose, arguments))
        load.statuses[found.status_code] += 1
        if found.status_code == 200:
            load.answered += 1
            load.latencies.append(time.perf_counter() - started)
        elif found.status_code == 429:
            await asyncio.sleep(float(found.headers["retry-after"]))


def body(sentences: list[str], choose: random.Random, arguments: argparse.Namespace) -> dict[str, object]:
    text = choose.choice(sentences)
    source, target = arguments.languages.split("-")
    found: dict[str, object] = {
        "text": text,
        "source_language": source,
        "target_language": target,
        "beam": arguments.beam,
        "align": arguments.align,
        "split_sentences": False,
    }
    word = kept_word(text, choose)
    if word is not None:
        found["glossary"] = [{"source": word, "policy": "keep"}]
    return found


def memory(pid: int) -> int:
    """Of a process and its children, in MiB; what they share is counted once (PSS)."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    total = 0
    for one in [pid, *map(int, found.stdout.split())]:
        with contextlib.suppress(OSError):
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii")
            total += int(re.search(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)[1])  # type: ignore[index]
    return total // 1024


if __name__ == "__main__":
    main()
