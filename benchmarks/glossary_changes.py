"""Changes of one glossary, sent in parallel to two servers that share a data folder: none may be lost.

    python benchmarks/glossary_changes.py --changes 1000 --json changes.json

Each change adds an entry by `PATCH /v3/glossaries/ID`; afterwards the entries are counted.
"""

import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.serving.server import running_server

PAIR = {"source_lang": "de", "target_lang": "en"}


def dictionary(entries: str) -> dict[str, object]:
    return {**PAIR, "entries": entries, "entries_format": "tsv"}


def change(url: str, identifier: str, number: int) -> int:
    body = {"dictionaries": [dictionary(f"Wort{number}\tword{number}")]}
    return httpx.patch(f"{url}/v3/glossaries/{identifier}", json=body, timeout=60).status_code


def measure(num_changes: int, threads: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as data, ExitStack() as stack:
        urls = [stack.enter_context(running_server("--workers", "1", data=data)).url for _ in range(2)]
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
    parser = make_parser(__doc__, quick="a hundred changes")
    parser.add_argument("--changes", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=64, help="requests at a time")
    arguments = parser.parse_args()
    report = measure(100 if arguments.quick else arguments.changes, arguments.threads)
    print(
        f"{report['changes']} changes in {report['seconds']} s: answers {report['answers']}, "
        f"entries seen by the two servers {report['entries']} (one was there before)"
    )
    write_json(arguments.json, {"signature": signature("cpu"), "results": report})


if __name__ == "__main__":
    main()
