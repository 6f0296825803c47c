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

# Whether all files that the page has loaded can be had without the server.
_IS_KEPT = """async () => { const cache = await caches.open("lexalign-page");
  const files = performance.getEntriesByType("resource").map((one) => one.name);
  const names = [location.href.split("#")[0], ...files.filter((name) => name.includes("/page/"))];
  return (await Promise.all(names.map((name) => cache.match(name)))).every(Boolean); }"""


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


def test_a_history_that_is_switched_off_can_be_had_back(page: Page) -> None:
    translated(page, LETTER)
    page.click("#open-history")
    page.get_by_label("Keep a history").uncheck()
    expect(page.locator("#history-list")).to_have_text("Nothing yet.")
    page.keyboard.press("Escape")
    page.locator("#toast").get_by_role("button", name="Undo").click()
    page.click("#open-history")
    expect(page.get_by_label("Keep a history")).to_be_checked()
    expect(page.locator(".history-item")).to_have_count(1)


def test_a_text_of_the_history_is_shown_with_its_wordings_wherever_one_is(page: Page) -> None:
    translated(page, LETTER)
    page.locator("#target .word", has_text="dog").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    before = final(page)
    assert "wee" in before
    page.click("#open-history")
    page.locator("dialog[open]").get_by_label("Close").click()
    page.fill("#source", "")
    page.click("#documents-tab")
    page.click("#open-history")
    page.locator(".history-item").click()
    expect(page.locator("#source")).to_be_focused()
    assert final(page) == before


def test_the_page_opens_without_its_server_after_one_visit(open_page: Open) -> None:
    page = open_page(expect_errors=True)
    for _ in range(600):
        if page.evaluate(_IS_KEPT):
            break
        page.wait_for_timeout(50)
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")


def test_a_text_of_the_history_is_opened_before_the_server_answers(open_page: Open) -> None:
    page = open_page(expect_errors=True)  # the language is detected
    translated(page, LETTER)
    page.click("#open-history")
    page.locator("dialog[open]").get_by_label("Close").click()
    page.click("#clear")
    page.select_option("#target-language", "ar")
    page.route("**/v1/*", lambda route: route.abort())
    page.reload()
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")
    page.click("#open-history")
    page.locator(".history-item").click()
    expect(page.locator("#source")).to_have_value(LETTER)
    page.wait_for_timeout(400)  # as long as the page waits for another key
    page.unroute("**/v1/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#target-language")).to_have_value("en")
    assert "house" in final(page)


def test_terms_wait_for_their_languages(open_page: Open) -> None:
    page = open_page(expect_errors=True)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    page.wait_for_selector("#source-language option", state="attached")
    page.context.set_offline(True)
    page.evaluate("sessionStorage.clear()")  # as a new tab
    page.reload()
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")
    assert page.locator("#terms").evaluate("one => one.inert")
    page.context.set_offline(False)
    expect(page.locator("#trouble")).to_be_hidden()
    assert not page.locator("#terms").evaluate("one => one.inert")


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
    page.context.set_offline(False)  # the page notices by itself
    expect(page.locator("#trouble")).to_be_hidden()
    assert "house" in translated(page, "Das Haus ist groß und sehr alt.")


def test_the_key_dialog_explains_itself(browser: Browser, server: LiveServer) -> None:
    keys = KeyStore(Database(server.options.data / "server.sqlite"))
    key = keys.add("anna")
    try:
        wait_for(server, 401)
        page = browser.new_page()
        page.goto(server.url)
        dialog = page.locator("#key-dialog")
        expect(dialog).to_contain_text("lexalign serve keys add")
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
