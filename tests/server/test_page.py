"""The page in a real browser: typing, hovering, keyboard control, and no requests to other servers."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.server.small_server import LiveServer

TEXT = "der kleine Hund läuft über die lange Straße"


def chromium() -> str | None:
    named = os.environ.get("LEXALIGN_CHROMIUM")
    return named or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )


needs_browser = pytest.mark.skipif(
    chromium() is None, reason="no Chromium is installed (apt-get install chromium, or set LEXALIGN_CHROMIUM)"
)


def test_everything_that_the_page_names_is_there(client: httpx.Client) -> None:
    for page in ("/", "/docs"):
        found = client.get(page)
        assert found.status_code == 200
        assert "default-src 'self'" in found.headers["content-security-policy"]
        assert "http" not in found.text.replace("http-equiv", "")
    folder = Path(__file__).parents[2] / "src" / "lexalign" / "server" / "page"
    for path in folder.iterdir():
        assert client.get(f"/page/{path.name}").content == path.read_bytes()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, server: LiveServer) -> Iterator[Page]:
    """The page; an error in it, or a request to another server, is a failure."""
    context = browser.new_context(accept_downloads=True)
    found = context.new_page()
    found.set_default_timeout(15_000)
    troubles: list[str] = []
    found.on("pageerror", lambda error: troubles.append(str(error)))
    found.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    found.on(
        "request",
        lambda request: (
            None if request.url.startswith((server.url, "blob:")) else troubles.append(request.url)
        ),
    )
    found.goto(server.url)
    found.wait_for_selector("#model option", state="attached")
    yield found
    context.close()
    assert troubles == []


def translated(page: Page, text: str) -> str:
    """Type a text, and wait for its final translation."""
    forget_time(page)
    page.fill("#source", text)
    wait_for_time(page)
    return page.text_content("#target") or ""


def add_term(page: Page, source: str, targets: str) -> None:
    page.click("#add-term")
    row = page.locator("#term-rows tr").last
    row.locator("[name=source]").fill(source)
    forget_time(page)
    row.locator("[name=targets]").fill(targets)
    wait_for_time(page)


def forget_time(page: Page) -> None:
    page.evaluate("document.querySelector('#status').textContent = ''")


def wait_for_time(page: Page) -> None:
    """Wait for the time in the status line, which shows that a translation is finished."""
    expect(page.locator("#status")).to_have_text(re.compile(r"^[\d.]+ s$"), timeout=15_000)


@needs_browser
def test_type_add_a_term_and_see_it_in_its_place(page: Page, client: httpx.Client) -> None:
    pair = {"source_language": "de", "target_language": "en"}
    plain = client.post("/v1/translate", json={"text": TEXT, **pair}).json()["translations"][0]
    assert translated(page, TEXT) == plain["text"]
    add_term(page, "Hund", "München")
    terms = [{"source": "Hund", "targets": ["München"]}]
    expected = client.post("/v1/translate", json={"text": TEXT, "glossary": terms, **pair}).json()
    (found,) = expected["translations"]
    expect(page.locator("#target")).to_have_text(found["text"])
    (result,) = page.locator("#term-results li").all_text_contents()
    assert result.startswith("✓ Hund → München")
    marked = page.locator("#target .word.term")
    assert "".join(marked.all_text_contents()) == "München"
    start = page.evaluate(
        """() => { const range = document.createRange(), word = document.querySelector("#target .term");
        range.setStart(document.querySelector("#target"), 0); range.setEndBefore(word);
        return [...range.toString()].length; }"""
    )
    assert start == found["terms"][0]["target"][0]
    assert page.locator("#mirror .word.term").all_text_contents() == ["Hund"]


@needs_browser
def test_partners_light_up_both_ways_and_by_keyboard(page: Page) -> None:
    translated(page, TEXT)
    target = page.locator("#target .word").first
    target.hover()
    lit = page.locator("#mirror .word.lit")
    assert lit.count() >= 1
    partner = lit.first.text_content()
    assert partner is not None
    assert partner in TEXT
    assert f"{partner} " in (page.text_content("#status") or "")
    assert "%" in (page.text_content("#status") or "")
    share = float(lit.first.evaluate("element => element.style.getPropertyValue('--probability')"))
    assert 0 < share <= 1
    box = lit.first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert target.evaluate("element => element.classList.contains('lit')")
    page.mouse.move(0, 0)
    assert page.locator(".word.lit").count() == 0
    page.focus("#source")
    for _ in range(8):  # from the text, by Tab alone, into the translation
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('word')"):
            break
    first = page.locator("#target .word.chosen").text_content()
    page.keyboard.press("ArrowRight")
    assert page.locator("#target .word.chosen").count() == 1
    assert page.evaluate("document.activeElement.dataset.index") != "0", first


@needs_browser
def test_alternatives_and_matrix(page: Page) -> None:
    best = translated(page, "das Haus ist groß")
    page.click("#alternatives summary")
    buttons = page.locator("#alternative-list button")
    assert buttons.count() == 5
    assert buttons.first.text_content() == best
    buttons.nth(1).click()
    assert page.text_content("#target") == buttons.nth(1).text_content()
    page.click("#matrix summary")
    page.wait_for_selector("#matrix td")
    assert page.locator("#matrix thead th").all_text_contents() == ["", "das", "Haus", "ist", "groß"]


@needs_browser
def test_terms_are_imported_exported_and_kept(page: Page, client: httpx.Client) -> None:
    translated(page, TEXT)
    content = "source\ttarget\nHund\tMünchen\nHaus\tgroß|lange\n".encode()
    page.set_input_files("#import", {"name": "x.tsv", "mimeType": "text/plain", "buffer": content})
    expect(page.locator("#term-rows tr")).to_have_count(2)
    page.wait_for_selector("#term-results li")
    with page.expect_download() as download:
        page.click("#export")
    exported = Path(download.value.path()).read_text(encoding="utf-8")
    assert "Hund" in exported
    assert "groß|lange" in exported
    page.once("dialog", lambda dialog: dialog.accept("Von der Seite"))
    page.click("#store")
    page.wait_for_selector("#delete:visible")
    kept = [one for one in client.get("/v1/glossaries").json() if one["name"] == "Von der Seite"]
    assert [one["terms"] for one in kept] == [2]
    page.reload()
    expect(page.locator("#term-rows tr")).to_have_count(2)
    page.select_option("#stored", kept[0]["id"])
    page.click("#delete")
    page.wait_for_selector("#delete", state="hidden")
    assert kept[0]["id"] not in [one["id"] for one in client.get("/v1/glossaries").json()]


@needs_browser
def test_errors_are_told(page: Page) -> None:
    translated(page, TEXT)
    page.fill("#source", "Haus " * 40_000)  # more tokens than may wait
    page.wait_for_selector("#status.error")
    assert "send it in parts" in (page.text_content("#status") or "")


@needs_browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 360)])
def test_nothing_sticks_out(
    browser: Browser, server: LiveServer, scheme: Literal["light", "dark"], width: int
) -> None:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = context.new_page()
    for path in ("/", "/docs"):
        page.goto(server.url + path)
        page.wait_for_selector("#model option, #operations details", state="attached")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        light = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, light.removeprefix("rgb(").rstrip(")").split(","))) > 380) == (scheme == "light")
    context.close()


@needs_browser
def test_the_documentation_can_be_tried(page: Page, server: LiveServer) -> None:
    page.goto(f"{server.url}/docs")
    page.wait_for_selector("#operations details")
    names = page.locator("#operations summary code").all_text_contents()
    assert {"/v1/translate", "/v2/translate", "/translate", "/metrics"} <= set(names)
    page.locator("#operations summary", has_text="/v1/translate").click()
    page.locator("#operations details[open] button", has_text="Try it").click()
    page.wait_for_selector("#operations details[open] .try pre:visible")
    assert (page.text_content("#operations details[open] .try pre") or "").startswith("200")
