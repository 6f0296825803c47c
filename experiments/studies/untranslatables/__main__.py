"""The tables of docs/research/documents.md.

python -m experiments.studies.untranslatables --strings
python -m experiments.studies.untranslatables --quality docs.en docs.de
python -m experiments.studies.untranslatables --spans ui-terms.dev.jsonl
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import sacrebleu

from experiments.studies.untranslatables.interfaces import Interfaces, Post
from experiments.studies.untranslatables.strings import UNTRANSLATABLES, tricky_strings
from lexalign import __version__
from lexalign.bundled import find_model
from lexalign.markup.protection import find_untranslatables
from lexalign.translator import TranslateOptions, Translator

PORT = 8931


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="experiments.studies.untranslatables", description=__doc__)
    parser.add_argument("--strings", action="store_true", help="Kept strings, by kind and by interface.")
    parser.add_argument("--quality", nargs=2, type=Path, help="Parallel text: BLEU with and without.")
    parser.add_argument("--spans", type=Path, help="JSON lines with source_markdown: spans that are kept.")
    parser.add_argument("--from", dest="source", default="en")
    parser.add_argument("--to", dest="target", default="de")
    parser.add_argument("--beam", type=int, default=5)
    asked = parser.parse_args(arguments)
    print(f"lexalign {__version__}, bundled {asked.source}-{asked.target}, int8, beam {asked.beam}, CPU")
    if asked.strings:
        _strings(asked)
    if asked.quality:
        _quality(asked, *asked.quality)
    if asked.spans:
        _spans(asked, asked.spans)
    return 0


def _strings(asked: argparse.Namespace) -> None:
    """Print how many of each kind are kept by each interface."""
    strings = tricky_strings(asked.source)
    kinds = [kind for kind, spans in UNTRANSLATABLES.items() for _ in spans for _ in range(2)]
    with tempfile.TemporaryDirectory() as folder, _server() as post:
        model, languages = find_model(asked.source, asked.target), (asked.source, asked.target)
        interfaces = Interfaces(
            model=model, languages=languages, folder=Path(folder), beam=asked.beam, post=post
        ).all()
        print(f"| {len(strings)} strings | {' | '.join(interfaces)} |")
        found = {name: translate([text for text, _ in strings]) for name, translate in interfaces.items()}
    for kind in UNTRANSLATABLES:
        places = [place for place, one in enumerate(kinds) if one == kind]
        cells = []
        for name, texts in found.items():
            kept = sum(is_kept(texts[place], strings[place][1]) for place in places)
            cells.append(f"{kept} of {len(places)}")
            for place in places:
                if not is_kept(texts[place], strings[place][1]):
                    print(f"  {name}: {strings[place][0]!r} → {texts[place]!r}", file=sys.stderr)
        print(f"| {kind} | {' | '.join(cells)} |")


def is_kept(text: str, spans: Sequence[str]) -> bool:
    """Whether each of the spans stands in a text as often as it should."""
    return all(text.count(span) == spans.count(span) for span in spans)


def _quality(asked: argparse.Namespace, source: Path, target: Path) -> None:
    """Print BLEU and chrF on the lines whose untranslatables stand in the reference, too."""
    pairs = zip(_lines(source), _lines(target), strict=True)
    chosen = [(text, reference) for text, reference in pairs if _has_shared(text, reference)]
    translator = Translator.load(find_model(asked.source, asked.target), device="cpu")
    references = [reference for _, reference in chosen]
    print(f"{len(chosen)} lines of {source.name} with untranslatables that the reference has, too")
    for name, protect in (("as they are", False), ("protected", True)):
        options = TranslateOptions(beam=asked.beam, sentences=False, protect=protect)
        texts = [one.text for one in translator.translate([text for text, _ in chosen], options)]
        bleu, chrf = sacrebleu.metrics.BLEU(), sacrebleu.metrics.CHRF()
        scores = bleu.corpus_score(texts, [references]), chrf.corpus_score(texts, [references])
        kept = [
            is_kept(text, _shared(line, reference))
            for text, (line, reference) in zip(texts, chosen, strict=True)
        ]
        print(f"{name}: BLEU {scores[0].score:.1f}, chrF {scores[1].score:.1f}, kept in {sum(kept)}")
        print(f"  {bleu.get_signature()}")


def _has_shared(text: str, reference: str) -> bool:
    found = find_untranslatables(text)
    return bool(found) and len(_shared(text, reference)) == len(found)


def _shared(text: str, reference: str) -> list[str]:
    spans = [text[one.start : one.end] for one in find_untranslatables(text)]
    return [span for span in spans if reference.count(span) == text.count(span)]


def _spans(asked: argparse.Namespace, path: Path) -> None:
    """Print how often code and the addresses of links are kept in texts with Markdown."""
    rows = [json.loads(line) for line in _lines(path)]
    texts = [row["source_markdown"] for row in rows]
    translator = Translator.load(find_model(asked.source, asked.target), device="cpu")
    translations = translator.translate(texts, TranslateOptions(beam=asked.beam))
    wanted = [[*re.findall(r"`[^`]+`", text), *re.findall(r"\]\([^)\s]+\)", text)] for text in texts]
    kept = [is_kept(found.text, spans) for found, spans in zip(translations, wanted, strict=True)]
    num_spans = sum(map(len, wanted))
    with_spans = sum(map(bool, wanted))
    print(
        f"{sum(kept)} of {len(texts)} texts keep all; {num_spans} code and link spans in {with_spans} texts"
    )
    for text, found, good in zip(texts, translations, kept, strict=True):
        if not good:
            print(f"  {text!r} → {found.text!r}", file=sys.stderr)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


@contextmanager
def _server() -> Iterator[Post]:
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "lexalign", "serve", "--port", str(PORT), "--data", data]
        process = subprocess.Popen([*command, "--device", "cpu"], stderr=subprocess.DEVNULL)
        try:
            _wait()
            yield _post
        finally:
            process.terminate()
            process.wait()


def _wait() -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health", timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the server does not start")


def _post(path: str, body: dict[str, object]) -> dict[str, object]:
    content = json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", content, headers)
    with urllib.request.urlopen(request, timeout=600) as answer:
        found: dict[str, object] = json.load(answer)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
