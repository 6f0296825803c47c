"""Requests that are made to cost a server as much as they can, within all of its limits."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle

CHARACTERS = 200_000
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_PAIR = {"source_language": "de", "target_language": "en"}


@dataclass(frozen=True)
class HostileRequest:
    name: str
    path: str
    body: bytes
    method: str = "POST"

    def encode(self, host: str, port: int) -> bytes:
        head = (
            f"{self.method} {self.path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
        )
        return f"{head}Content-Length: {len(self.body)}\r\n\r\n".encode() + self.body


def hostile_texts(characters: int = CHARACTERS) -> dict[str, str]:
    return {
        "dots": "." * characters,
        "brackets": "([" * (characters // 2),
        "one letter": "a" * characters,
        "no spaces": "Haus" * (characters // 4),
        "combining marks": "a" + "\u0316\u0301" * (characters // 2 - 1),
        "spaces": " " * (characters - 1) + "a",
        "short sentences": "Ja. " * (characters // 4),
        "line breaks": "a\n" * (characters // 2),
        "quotation marks": ".”" * (characters // 2),
        "tags": "<b>" * (characters // 3),
    }


def hostile_requests(characters: int = CHARACTERS) -> list[HostileRequest]:
    """Each text by each front, and bodies of other kinds that take long to read."""
    found = []
    for name, text in hostile_texts(characters).items():
        found += [
            _request(name, "/v1/translate", {"text": text, **_PAIR}),
            _request(name, "/v1/translate", {"text": text, "target_language": "en"}),
            _request(name, "/v1/stream", {"text": text, **_PAIR}),
            _request(name, "/v1/align", {"pairs": [{"source": text, "target": text}], **_PAIR}),
            _request(name, "/v2/translate", {"text": [text], "source_lang": "DE", "target_lang": "EN-US"}),
            _request(name, "/translate", {"q": text, "source": "de", "target": "en", "format": "html"}),
            _request(name, "/detect", {"q": text}),
        ]
    return found + _bodies(characters)


def _bodies(characters: int) -> list[HostileRequest]:
    number = characters // 4
    terms = [{"source": f"Wort{place}", "targets": ["word"]} for place in range(number)]
    entries = "\n".join(f"Wort{place},word" for place in range(number))
    dictionary = {"source_lang": "de", "target_lang": "en", "entries": entries, "entries_format": "csv"}
    return [
        _request("terms", "/v1/translate", {"text": "Ja.", "glossary": terms[:1_000], **_PAIR}),
        _request("too many terms", "/v1/translate", {"text": "Ja.", "glossary": terms, **_PAIR}),
        _request("glossary file", "/v1/glossary-files/write?format=csv", {"name": "x", "terms": terms}),
        _request("entries", "/v2/glossaries", {"name": "x", **dictionary}),
        _request("unknown fields", "/v1/translate", {f"field{place}": 1 for place in range(number)}),
        HostileRequest("nested", "/v1/translate", b"[" * 10 * characters),
        _request("texts", "/v1/translate", {"text": ["Ja."] * 1_000, **_PAIR}),
    ]


def _request(name: str, path: str, body: object) -> HostileRequest:
    return HostileRequest(name, path, json.dumps(body, ensure_ascii=False).encode())


def attack(host: str, port: int, seconds: float, clients: int) -> dict[str, int]:
    """Send all requests again and again from so many clients; how often each status was answered."""
    statuses: Counter[str] = Counter()
    following = cycle([request.encode(host, port) for request in hostile_requests()])

    async def all_of_them() -> None:
        until = time.perf_counter() + seconds
        await asyncio.gather(*(_attack(host, port, following, until, statuses) for _ in range(clients)))

    asyncio.run(all_of_them())
    return dict(statuses)


async def _attack(
    host: str, port: int, following: Iterator[bytes], until: float, statuses: Counter[str]
) -> None:
    """A connection for each; one that is not answered in time is closed."""
    while (left := until - time.perf_counter()) > 0:
        try:
            async with asyncio.timeout(min(left, 10.0)):
                statuses[await _send(host, port, next(following))] += 1
        except TimeoutError:
            statuses["left"] += 1
        except (OSError, asyncio.IncompleteReadError):
            statuses["lost"] += 1


async def _send(host: str, port: int, request: bytes) -> str:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        await reader.readexactly(int(length[1]) if length else 1)  # of a stream, the first event
        return head[9:12].decode()
    finally:
        writer.close()
