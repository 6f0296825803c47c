"""What stays on this device: the history, the installed page, and a key until the tab is closed."""

import time
from pathlib import Path

import httpx
from playwright.sync_api import Browser, Page, expect

from lexalign.server.storage.database import Database
from lexalign.server.storage.keys import KeyStore
from tests.server.page.acting import LETTER, final, translated
from tests.server.page.conftest import Open
from tests.server.small_server import LiveServer


def test_everything_that_the_page_names_is_there(client: httpx.Client) -> None:
    folder = Path(__file__).parents[3] / "src" / "lexalign" / "server" / "page"
    for page in ("/", "/docs"):
        found = client.get(page)
        assert found.status_code == 200
        assert "default-src 'self'" in found.headers["content-security-policy"]
        assert "http" not in found.text.replace("http-equiv", "")
    for path in folder.rglob("*.*"):
        assert client.get(f"/page/{path.relative_to(folder).as_posix()}").content == path.read_bytes()


def test_modules_stay_small_and_load_nothing_from_elsewhere() -> None:
    folder = Path(__file__).parents[3] / "src" / "lexalign" / "server" / "page"
    for path in folder.rglob("*.js"):
        content = path.read_text(encoding="utf-8")
        assert content.count("\n") < 200, path
        assert "innerHTML" not in content, path
        assert "://" not in content.replace("http://www.w3.org/2000/svg", ""), path


def test_the_history_is_kept_here_alone_and_can_be_cleared(page: Page) -> None:
    before = translated(page, LETTER)
    page.click("#open-history")
    expect(page.locator("#history-list li")).to_have_count(1)
    page.locator("dialog[open]").get_by_label("Close").click()
    page.click("#clear")
    page.click("#open-history")
    page.locator(".history-item").click()
    assert final(page) == before
    page.click("#open-history")
    page.click("#clear-history")
    expect(page.locator("#toast")).to_contain_text("The history is empty.")
    page.click("#open-history")
    page.get_by_label("Keep a history").uncheck()
    expect(page.locator("#history-list")).to_have_text("Nothing yet.")
    assert page.evaluate("localStorage.getItem('lexalign-history')") is None


def test_the_page_is_installed_and_opens_without_its_server(open_page: Open, client: httpx.Client) -> None:
    manifest = client.get("/page/manifest.webmanifest")
    assert manifest.headers["content-type"].startswith("application/manifest+json")
    assert manifest.json()["display"] == "standalone"
    page = open_page(expect_errors=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()  # now through the worker, which keeps what it sees
    page.wait_for_selector("#source-language option", state="attached")
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    assert "house" in translated(page, "Das Haus ist groß und sehr alt.")


def test_the_key_dialog_explains_itself(browser: Browser, server: LiveServer) -> None:
    keys = KeyStore(Database(server.options.data / "server.sqlite"))
    key = keys.add("anna")
    try:
        wait_for(server, 401)
        page = browser.new_page()
        page.goto(server.url)
        dialog = page.locator("#key-dialog")
        expect(dialog).to_contain_text("lexalign serve keys add", timeout=10_000)
        page.get_by_label("Key", exact=True).fill("wrong")
        page.keyboard.press("Enter")
        expect(dialog).to_contain_text("does not know this key")
        page.get_by_label("Key", exact=True).fill(key)
        page.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        assert "house" in translated(page, "Das Haus ist groß und sehr alt.")
        page.close()
    finally:
        keys.remove("anna")
        wait_for(server, 200)


def wait_for(server: LiveServer, status: int) -> None:
    """A server sees a change of its keys within seconds."""
    while server.client.get("/v1/models").status_code != status:
        time.sleep(0.1)
