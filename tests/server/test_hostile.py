"""Malicious requests delay no others, and the server can be stopped during them."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from lexalign.server.api import entries
from lexalign.server.compatibility import deepl_glossaries, libretranslate
from lexalign.server.http import bodies, json_responses
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.translating import matcher_cache, service
from lexalign.translator import Translator
from tests.server.small_server import WORDS, LiveServer, live_server
from tests.server.test_serve_command import started

WAIT = 120  # seconds after which something hangs, even on a machine with much other work
SENTENCE = " ".join(WORDS) + ". "
LONG = (SENTENCE * 8).title()  # longer than what is tiny, and still soon translated
PAIR = {"source_language": "de", "target_language": "en"}
TRANSLATE = ("/v1/translate", {"text": LONG, "beam": 1, **PAIR})
STREAM = ("/v1/stream", {"text": LONG, "beam": 1, **PAIR})
GUESSED = ("/v1/translate", {"text": LONG, "beam": 1})
DEEPL = ("/v2/translate", {"text": [LONG], "source_lang": "DE", "target_lang": "EN-US"})
LIBRE = ("/translate", {"q": LONG, "source": "auto", "target": "en"})
HTML = ("/translate", {"q": f"<p>{LONG}</p>", "source": "de", "target": "en", "format": "html"})
ALIGN = ("/v1/align", {"pairs": [{"source": SENTENCE, "target": SENTENCE}] * 8, "matrix": True, **PAIR})
TERMS = [{"source": f"Wort {place}", "targets": ["Haus"]} for place in range(200)]
WITH_TERMS = ("/v1/translate", {"text": "das Haus", "beam": 1, "glossary": TERMS, **PAIR})
KEPT = ("/v1/glossaries", {"name": "x", "terms": TERMS})
ENTRIES = {"entries": "\n".join(f"Wort {place}\tx" for place in range(200)), "entries_format": "tsv"}
DICTIONARY = ("/v2/glossaries", {"name": "x", "source_lang": "de", "target_lang": "en", **ENTRIES})


class Gate:
    """A function that signals its call, and waits until it is opened."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.reached, self.opened = threading.Event(), threading.Event()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.reached.set()
        assert self.opened.wait(WAIT), "nobody opens the gate"
        return self._function(*args, **kwargs)

    def __get__(self, owner: object, _kind: type) -> Callable[..., Any]:
        return lambda *args, **kwargs: self(owner, *args, **kwargs)


@pytest.mark.parametrize(
    ("place", "name", "asked"),
    [
        (bodies, "parse_json", TRANSLATE),
        (bodies, "parse_json", DEEPL),
        (bodies, "_validate", KEPT),
        (entries, "check_conflicts", WITH_TERMS),
        (service, "detect_language", GUESSED),
        (service, "TaggedTexts", HTML),
        (matcher_cache, "Matcher", WITH_TERMS),
        (Translator, "prepare", TRANSLATE),
        (Translator, "prepare", STREAM),
        (Translator, "prepare", DEEPL),
        (Translator, "num_tokens", ALIGN),
        (Translator, "finish", TRANSLATE),
        (Translator, "finish", LIBRE),
        (libretranslate, "rank_languages", LIBRE),
        (json_responses, "render", TRANSLATE),
        (json_responses, "render", ALIGN),
        (deepl_glossaries, "parse_entries", DICTIONARY),
        (GlossaryStore, "add", KEPT),
    ],
)
def test_no_stage_holds_up_others(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch, place: Any, name: str, asked: tuple[str, Any]
) -> None:
    """While a stage of a long request hangs, /health is answered."""
    gate = Gate(getattr(place, name))
    monkeypatch.setattr(place, name, gate)
    with ThreadPoolExecutor(1) as pool, httpx.Client(base_url=server.url, timeout=WAIT) as other:
        answer = pool.submit(server.client.post, asked[0], json=asked[1])
        try:
            assert gate.reached.wait(WAIT)
            assert other.get("/health").status_code == 200
            assert not answer.done()
        finally:
            gate.opened.set()
        assert answer.result().is_success, answer.result().text


def hostile_texts(length: int) -> dict[str, str]:
    return {
        "dots": "." * length,
        "brackets": "([" * (length // 2),
        "one letter": "a" * length,
        "no spaces": "Haus" * (length // 4),
        "combining marks": "a" + "\u0316\u0301" * (length // 2 - 1),
        "short sentences": "Ja. " * (length // 4),
    }


@pytest.fixture(scope="module")
def hostile(server: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """A server with a short queue, so that hostile texts are not translated for long."""
    queue = replace(server.options.queue, waiting_tokens=500, timeout=WAIT)
    data = tmp_path_factory.mktemp("hostile")
    with live_server(replace(server.options, data=data, queue=queue)) as live:
        yield live


@pytest.mark.parametrize("name", hostile_texts(8))
def test_hostile_texts_are_answered(hostile: LiveServer, name: str) -> None:
    """Each API answers with an error of one line or with a translation, and /health is answered meanwhile."""
    text = hostile_texts(200_000)[name]
    asked = [
        ("/v1/translate", {"text": text, "target_language": "en"}),
        ("/v1/stream", {"text": text, **PAIR}),
        ("/v1/align", {"pairs": [{"source": text, "target": "das Haus"}], **PAIR}),
        ("/v2/translate", {"text": [text], "source_lang": "DE", "target_lang": "EN-US"}),
        ("/translate", {"q": text, "source": "de", "target": "en", "format": "html"}),
        ("/detect", {"q": text}),
    ]
    with ThreadPoolExecutor(len(asked)) as pool, httpx.Client(base_url=hostile.url, timeout=WAIT) as other:
        found = [pool.submit(hostile.client.post, path, json=body) for path, body in asked]
        num_healthy = 0
        while not all(answer.done() for answer in found) or not num_healthy:
            num_healthy += other.get("/health").status_code == 200
            time.sleep(0.02)  # the server is in this process, and would hardly have a turn
        for answer in found:
            assert answer.result().status_code in (200, 400, 413, 429), answer.result().text


def test_a_signal_stops_a_server_that_is_sent_hostile_texts(model_folder: Path, tmp_path: Path) -> None:
    with started(model_folder, tmp_path, "--timeout", "5") as (process, client):
        leave = threading.Event()

        def attack(text: str) -> None:
            with httpx.Client(base_url=client.base_url, timeout=WAIT) as own:
                while not leave.is_set():
                    try:
                        own.post("/v1/translate", json={"text": text, "beam": 1, **PAIR})
                    except httpx.HTTPError:
                        return

        attackers = [
            threading.Thread(target=attack, args=(text,)) for text in hostile_texts(200_000).values()
        ]
        for attacker in attackers:
            attacker.start()
        time.sleep(0.5)
        assert client.get("/health").status_code == 200
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(timeout=2 * WAIT) in (0, -signal.SIGTERM)
        finally:
            leave.set()
        for attacker in attackers:
            attacker.join()
