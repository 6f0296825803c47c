"""One server with real models and one browser for all tests of the page."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

import lexalign.bundled
from lexalign.server.batching.dispatcher import QueueLimits
from lexalign.server.running import ServerOptions
from lexalign.server.translating.catalogue import ModelChoice
from tests.server.small_server import LiveServer, live_server

_BUNDLED = Path(lexalign.bundled.__file__).parent
_LONGEST_WAIT = 30_000  # milliseconds, for what happens at once on a machine with nothing else to do
expect.set_options(timeout=_LONGEST_WAIT)

# What the page shows for a few seconds stays for a minute: a loaded machine may look at it late.
_SLOW_TO_HIDE = """const set = window.setTimeout;
const late = (wait) => ([2000, 8000].includes(wait) ? 60_000 : wait);
window.setTimeout = (call, wait, ...given) => set(call, late(wait), ...given);"""


def chromium() -> str | None:
    named = os.environ.get("LEXALIGN_CHROMIUM")
    return named or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


@pytest.fixture(scope="package")
def server(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """German and English by the bundled models, and Arabic, for its script, by one that knows nothing."""
    options = ServerOptions(
        models=(
            ModelChoice(source="de", target="en", folder=_BUNDLED / "de-en"),
            ModelChoice(source="en", target="de", folder=_BUNDLED / "en-de"),
            ModelChoice(source="en", target="ar", folder=model_folder),
        ),
        data=tmp_path_factory.mktemp("page-data"),
        port=0,
        device="cpu",
        workers=1,
        queue=QueueLimits(timeout=60),
    )
    with live_server(options) as live:
        yield live


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if chromium() is None:
        pytest.skip("no Chromium is installed (apt-get install chromium, or set LEXALIGN_CHROMIUM)")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield started
        started.close()


class Open(Protocol):
    def __call__(self, fragment: str = ..., *, expect_errors: bool = ..., **context: Any) -> Page: ...


@pytest.fixture
def open_page(browser: Browser, server: LiveServer) -> Iterator[Open]:
    """Opens the page in a context of its own; an error in it, or a request elsewhere, is a failure."""
    contexts, troubles = [], list[str]()

    def open_(fragment: str = "", *, expect_errors: bool = False, **context: Any) -> Page:
        options = {"viewport": {"width": 1200, "height": 900}, "permissions": ["clipboard-read"], **context}
        contexts.append(browser.new_context(**options))
        contexts[-1].add_init_script(_SLOW_TO_HIDE)
        contexts[-1].set_default_timeout(_LONGEST_WAIT)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda request: _check(request.url, server.url, troubles))
        if not expect_errors:
            page.on("console", lambda said: _note(said, troubles))
        page.goto(f"{server.url}/{fragment}")
        page.wait_for_selector("#source-language option", state="attached")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert troubles == []


def _note(said: ConsoleMessage, troubles: list[str]) -> None:
    if said.type == "error":
        troubles.append(f"{said.text} {said.location.get('url', '')}")


def _check(url: str, server: str, troubles: list[str]) -> None:
    if not url.startswith((server, "blob:", "data:")):
        troubles.append(url)


@pytest.fixture
def page(open_page: Open) -> Page:
    """The page from German into English."""
    return open_page("#from=de&to=en")
