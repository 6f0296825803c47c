"""A server under load, against the offline rate: throughput, latency with 1, 8 and 64 clients, memory.

    python benchmarks/serving.py --quick
    python benchmarks/serving.py --model models/de-en --input news.de captions.de --json serving.json

Starts `lexalign serve` itself. Every client sends one sentence after another, every third with a term of its
own, and has it translated and aligned. Offline, the same sentences with the same terms are translated and
aligned by the same model, precision and number of processes, again and again, in one stream; and once more
with those that have terms in a stream of their own, and the same with results that do not depend on their
batch, as a server has them. That is done before and after the server's turn, each time for as long as
`--offline-seconds` says, and both times count together: a machine may change its pace.

Refusals (429) are counted, and tried again after the time that the server asks for. At the end come the
tables of docs/guides/serving.md; memory is looked at every five seconds.
"""

import argparse
import asyncio
import json
import os
import random
import re
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.samples import read_sentences
from harness.serving.load_clients import Load, encode, run_clients
from harness.serving.server import running_server
from harness.serving.tables import tables
from lexalign.bundled import find_model
from lexalign.models.projection import Precision
from lexalign.translator import Constraint, TranslateOptions, Translator
from lexalign.translator.options import OnlineMethod

Texts = list[tuple[str, list[Constraint]]]
_TERM_SHARE = 1 / 3


@dataclass(frozen=True)
class Asked:
    """A sentence, and a word of it that is to be left as it is."""

    text: str
    kept: str | None

    @property
    def constrained(self) -> tuple[str, list[Constraint]]:
        if self.kept is None:
            return self.text, []
        start = self.text.index(self.kept)
        return self.text, [Constraint(targets=(self.kept,), source=(start, start + len(self.kept)))]

    def body(self, languages: str, beam: int) -> bytes:
        source, target = languages.split("-")
        found: dict[str, object] = {
            "text": self.text,
            "source_language": source,
            "target_language": target,
            "beam": beam,
            "split_sentences": False,
        }
        if self.kept is not None:
            found["glossary"] = [{"source": self.kept, "policy": "keep"}]
        return json.dumps(found).encode()


@dataclass(frozen=True)
class Offline:
    """So many sentences took so long, and kept cores busy for so long."""

    name: str
    sentences: int
    seconds: float
    core_seconds: float

    def __add__(self, later: "Offline") -> "Offline":
        return Offline(
            self.name,
            self.sentences + later.sentences,
            self.seconds + later.seconds,
            self.core_seconds + later.core_seconds,
        )

    @property
    def rate(self) -> float:
        return self.sentences / self.seconds

    @property
    def core_ms(self) -> float:
        return 1000 * self.core_seconds / self.sentences


def main() -> None:
    arguments = parse()
    asked = draw(arguments.input, 16 if arguments.quick else arguments.sentences)
    before = offline_rates(arguments, asked)
    loads = []
    with running_server(*server_options(arguments)) as server:
        host, port, pid = server.host, server.port, server.pid
        requests = [
            encode(host, port, "/v1/translate", one.body(arguments.languages, arguments.beam))
            for one in asked
        ]
        asyncio.run(run_clients(host, port, pid, requests, 2, 2.0))  # to warm up
        for clients in arguments.clients:
            load = asyncio.run(run_clients(host, port, pid, requests, clients, seconds(arguments, clients)))
            loads.append(load)
            show(load)
    after = offline_rates(arguments, asked)
    offline = [first + second for first, second in zip(before, after, strict=True)]
    print("\n" + tables(offline, loads))
    write_json(arguments.json, report(arguments, len(asked), offline, loads))
    if any(load.failures for load in loads):
        raise SystemExit("some requests failed")


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="few sentences, and seconds of each")
    parser.add_argument(
        "--model", type=Path, default=find_model("de", "en"), help="by default the bundled one"
    )
    parser.add_argument("--input", type=Path, nargs="+", default=[], help="sentences, one on each line")
    parser.add_argument("--languages", default="de-en")
    parser.add_argument("--sentences", type=int, default=200, help="of each input")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 64])
    parser.add_argument("--seconds", type=float, default=300.0, help="with the most clients")
    parser.add_argument("--fewer-seconds", type=float, default=30.0, help="with fewer clients")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--float32", action="store_true")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--batch-tokens", type=int, help="of the server, instead of its own choice")
    parser.add_argument("--no-offline", action="store_true", help="leave out the offline rate")
    parser.add_argument("--offline-seconds", type=float, default=50.0, help="for each way, before and after")
    arguments = parser.parse_args()
    if not arguments.input and not arguments.quick:
        parser.error("give --input FILE, or --quick")
    return arguments


def seconds(arguments: argparse.Namespace, clients: int) -> float:
    if arguments.quick:
        return 5.0
    most: float = arguments.seconds
    fewer: float = arguments.fewer_seconds
    return most if clients == max(arguments.clients) else fewer


def draw(paths: list[Path], number: int) -> list[Asked]:
    """As many of each file, or sample sentences, in an order that mixes lengths."""
    choose = random.Random(1)
    chosen: list[Path | None] = [*paths] or [None]
    lines = [line for path in chosen for line in read_sentences(path)[:number]]
    choose.shuffle(lines)
    return [Asked(line, kept_word(line, choose)) for line in lines]


def kept_word(text: str, choose: random.Random) -> str | None:
    words = re.findall(r"\w{4,}", text)
    return choose.choice(words) if words and choose.random() < _TERM_SHARE else None


def offline_rates(arguments: argparse.Namespace, asked: list[Asked]) -> list[Offline]:
    """The rates of the offline translator, after a few sentences to warm up."""
    if arguments.no_offline:
        return []
    precision: Precision = "float32" if arguments.float32 else "int8"
    translator = Translator.load(arguments.model, device="cpu", precision=precision)
    method: OnlineMethod | None = "post-aln" if translator.has_aligner("post-aln") else None
    options = TranslateOptions(beam=arguments.beam, workers=arguments.workers, align=method).verbatim()
    texts = [one.constrained for one in asked]
    apart = [[one for one in texts if not one[1]], [one for one in texts if one[1]]]
    list(translator.translate_stream(texts[:16], options))
    long = 2.0 if arguments.quick else arguments.offline_seconds
    rates = [
        offline("one stream", translator, [texts], options, long),
        offline("terms apart", translator, apart, options, long),
    ]
    if arguments.float32:
        return rates
    shared = Translator.load(arguments.model, device="cpu", precision="int8-shared")
    return [*rates, offline("shared scales", shared, apart, options, long)]


def offline(
    name: str, translator: Translator, streams: list[Texts], options: TranslateOptions, long: float
) -> Offline:
    """Translate the streams again and again for so long."""
    started, used, sentences = time.perf_counter(), core_seconds(), 0
    while time.perf_counter() - started < long:
        for texts in streams:
            sentences += sum(1 for _ in translator.translate_stream(texts, options))
    found = Offline(name, sentences, time.perf_counter() - started, core_seconds() - used)
    print(f"offline, {name:12} {found.rate:7.2f} sentences/s  {found.core_ms:.1f} core-ms each", flush=True)
    return found


def core_seconds() -> float:
    """The CPU time of this process, and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def server_options(arguments: argparse.Namespace) -> list[str]:
    options = ["--model", f"{arguments.languages}={arguments.model}", "--workers", str(arguments.workers)]
    options += ["--float32"] if arguments.float32 else []
    return options + (["--batch-tokens", str(arguments.batch_tokens)] if arguments.batch_tokens else [])


def show(load: Load) -> None:
    print(
        f"{load.clients:3d} clients  {load.rate:7.2f} sentences/s  p50 {load.percentile(0.5)} ms  "
        f"p95 {load.percentile(0.95)} ms  statuses {dict(load.statuses)}\n"
        f"  {load.core_ms:.1f} core-ms each; cores used {load.busy}",
        flush=True,
    )


def report(
    arguments: argparse.Namespace, num_sentences: int, offline: list[Offline], loads: list[Load]
) -> dict[str, object]:
    settings = {
        "model": arguments.model.name,
        "input": [path.name for path in arguments.input],
        "sentences": num_sentences,
        "beam": arguments.beam,
        "precision": "float32" if arguments.float32 else "int8",
        "workers": arguments.workers,
        "cores": len(os.sched_getaffinity(0)),
        "quick": arguments.quick,
    }
    summaries = [
        load.summary() | {"of_offline": {one.name: round(load.rate / one.rate, 3) for one in offline}}
        for load in loads
    ]
    return {
        **signature("cpu", **settings),
        "offline": [asdict(one) | {"rate": one.rate} for one in offline],
        "loads": summaries,
    }


if __name__ == "__main__":
    main()
