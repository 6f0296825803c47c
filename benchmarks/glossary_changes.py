"""Changes of one glossary, sent all at a time to two servers that share a data folder: none may be lost.

    python benchmarks/glossary_changes.py --changes 1000 --json changes.json

Each change adds an entry by `PATCH /v3/glossaries/ID`; afterwards the entries are counted.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx

from machine import signature

PAIR = {"source_lang": "de", "target_lang": "en"}


@contextmanager
def server(data: str) -> Iterator[str]:
    command = [sys.executable, "-m", "lexalign", "serve", "--port", "0", "--data", data, "--device", "cpu"]
    process = subprocess.Popen([*command, "--workers", "1"], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        address = re.search(r"http://[\d.]+:\d+", process.stderr.readline())
        if address is None:
            raise SystemExit("the server did not start")
        wait_for(address[0])
        yield address[0]
    finally:
        process.kill()
        process.wait()


def wait_for(url: str) -> None:
    for _ in range(600):
        try:
            httpx.get(f"{url}/health").raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("the server does not answer")


def dictionary(entries: str) -> dict[str, object]:
    return {**PAIR, "entries": entries, "entries_format": "tsv"}


def change(url: str, identifier: str, number: int) -> int:
    body = {"dictionaries": [dictionary(f"Wort{number}\tword{number}")]}
    return httpx.patch(f"{url}/v3/glossaries/{identifier}", json=body, timeout=60).status_code


def measure(num_changes: int, threads: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as data, ExitStack() as stack:
        urls = [stack.enter_context(server(data)) for _ in range(2)]
        body = {"name": "changes", "dictionaries": [dictionary("Haus\thouse")]}
        made = httpx.post(f"{urls[0]}/v3/glossaries", json=body).raise_for_status()
        identifier = made.json()["glossary_id"]
        start = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            answers = Counter(
                pool.map(lambda number: change(urls[number % 2], identifier, number), range(num_changes))
            )
        seconds = time.perf_counter() - start
        found = [
            httpx.get(f"{url}/v3/glossaries/{identifier}").json()["dictionaries"][0]["entry_count"]
            for url in urls
        ]
    return {
        "changes": num_changes,
        "answers": {str(status): count for status, count in answers.items()},
        "entries": found,
        "seconds": round(seconds, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--changes", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=64, help="requests at a time")
    parser.add_argument("--quick", action="store_true", help="a hundred changes")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = measure(100 if arguments.quick else arguments.changes, arguments.threads)
    print(
        f"{report['changes']} changes in {report['seconds']} s: answers {report['answers']}, "
        f"entries seen by the two servers {report['entries']} (one was there before)"
    )
    if arguments.json:
        content = {"signature": signature("cpu"), "results": report}
        arguments.json.write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
