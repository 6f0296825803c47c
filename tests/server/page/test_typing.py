"""Translation as it is typed, sentence by sentence; errors are seen, and Copy waits."""

import json
import re

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.server.page.acting import LETTER, add_term, final, first, translated, word
from tests.server.page.conftest import Open

PAIR = {"source_language": "de", "target_language": "en"}


@pytest.fixture
def asked(page: Page) -> list[str]:
    """The sentences that the page has asked to be translated."""
    found: list[str] = []

    def note(route: Route) -> None:
        found.extend(json.loads(route.request.post_data or "{}")["text"])
        route.continue_()

    page.route("**/v1/translate", note)
    return found


def test_a_text_is_translated_as_by_the_api(page: Page, client: httpx.Client) -> None:
    plain = client.post("/v1/translate", json={"text": LETTER, **PAIR}).json()["translations"][0]
    assert translated(page, LETTER) == plain["text"]
    spaced = "\n  Ja.\n\n\tDas Haus ist groß.  "
    plain = client.post("/v1/translate", json={"text": spaced, **PAIR}).json()["translations"][0]
    assert translated(page, spaced) == plain["text"]


def test_only_changed_sentences_are_translated_again(page: Page, asked: list[str]) -> None:
    translated(page, LETTER)
    assert len(asked) == 3
    asked.clear()
    changed = LETTER.replace("Hund", "Junge")
    text = translated(page, changed)
    assert asked == ["Der kleine Junge läuft über die Straße."]
    assert "boy" in text
    asked.clear()
    assert translated(page, LETTER) != text
    assert asked == []  # it was translated before


def test_stale_text_is_dimmed_at_once_and_the_rest_stays(page: Page) -> None:
    first = translated(page, LETTER)
    page.route("**/v1/sentences", lambda _route: None)  # no answer
    page.fill("#source", LETTER.replace("Hund", "Junge"))
    stale = page.locator("#target .stale")
    expect(stale).to_have_count(1)
    dimmed = stale.text_content() or ""
    assert dimmed in first
    assert "dog" in dimmed
    assert page.locator("#target .sentence:not(.stale)").count() == 2
    expect(page.locator("#target")).to_have_attribute("aria-busy", "true")


def test_an_error_stands_beside_the_text_and_can_be_tried_again(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    translated(page, LETTER)
    refusal = {
        "status": 503,
        "content_type": "application/json",
        "body": '{"message": "the server is stopping"}',
    }
    page.route("**/v1/translate", lambda route: route.fulfill(**refusal))
    page.fill("#source", LETTER.replace("Hund", "Junge"))
    expect(page.locator(".pane.target #trouble")).to_contain_text("The server is stopping.")
    assert "dog" not in page.locator("#target .sentence:not(.stale)").all_text_contents()
    expect(page.locator("#target .stale")).to_contain_text("dog")  # it does not pass for the new one
    expect(page.locator("#copy")).to_be_disabled()
    page.unroute("**/v1/translate")
    page.get_by_role("button", name="Try again").click()
    assert "boy" in final(page)
    expect(page.locator("#trouble")).to_be_hidden()


def test_a_busy_server_is_asked_again(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    busy = {"status": 429, "headers": {"Retry-After": "1"}, "body": '{"message": "the queue is full"}'}
    page.route("**/v1/translate", lambda route: route.fulfill(**busy), times=1)
    page.fill("#source", "Das Haus ist groß.")
    expect(page.locator("#trouble")).to_contain_text("The queue is full. The page tries again by itself.")
    assert "house" in final(page)
    expect(page.locator("#trouble")).to_be_hidden()


def test_nothing_that_is_typed_is_markup(page: Page) -> None:
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    hostile = "<img src=x onerror=alert(1)> <script>alert(1)</script>"
    translated(page, hostile)
    add_term(page, hostile, hostile)
    word(page, "img").hover()
    assert page.locator("main img, main script").count() == 0


def test_a_server_that_is_gone_is_told(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    page.route("**/v1/*", lambda route: route.abort())
    page.fill("#source", "Das Haus.")
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")


def test_copy_waits_for_the_final_text(page: Page) -> None:
    old = translated(page, "Das Haus ist groß.")
    held: list[Route] = []
    page.route("**/v1/translate", lambda route: held.append(route))
    page.fill("#source", "Der kleine Hund läuft.")
    expect(page.locator("#target .stale")).to_have_count(1)
    page.click("#copy")
    expect(page.locator("#copy")).to_contain_text("when ready")
    first(page, held).continue_()
    expect(page.locator("#copy")).to_contain_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.text_content("#target") != old


def test_copy_of_a_text_that_never_comes_leaves_the_clipboard_as_it_is(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    before = translated(page, "Das Haus ist groß.")
    page.click("#copy")
    expect(page.locator("#copy")).to_contain_text("Copied")
    held: list[Route] = []
    page.route("**/v1/translate", lambda route: held.append(route))
    page.fill("#source", "Der kleine Hund läuft.")
    page.click("#copy")
    expect(page.locator("#copy")).to_contain_text("when ready")
    first(page, held).fulfill(status=503, json={"message": "the server is stopping"})
    expect(page.locator("#trouble")).to_be_visible()
    expect(page.locator("#copy")).to_have_text("Copy")
    assert page.evaluate("navigator.clipboard.readText()") == before


def test_copy_on_plain_http(open_page: Open) -> None:
    """Beyond localhost a page on plain HTTP has no navigator.clipboard."""
    page = open_page("#from=de&to=en")
    text = translated(page, "Das Haus ist groß.")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
    page.click("#copy")
    expect(page.locator("#copy")).to_contain_text("Copied")
    page.evaluate("delete navigator.clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == text
    page.evaluate("document.execCommand = () => false")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})")
    page.click("#copy")
    expect(page.locator("#toast")).to_contain_text("press Ctrl+C")
    assert page.evaluate("getSelection().toString()") == text


def test_the_text_outlives_a_reload_and_can_be_cleared(page: Page) -> None:
    before = translated(page, LETTER)
    expect(page.locator("#counter")).to_have_text(re.compile(rf"^{len(LETTER)} / 200,000$"))
    page.reload()
    assert final(page) == before
    page.click("#clear")
    expect(page.locator("#target")).to_have_text("")
    expect(page.locator("#source")).to_be_focused()
    expect(page.locator("#copy")).to_be_disabled()
    page.reload()
    expect(page.locator("#source")).to_have_value("")


def test_the_text_outlives_a_reload_without_the_server(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    translated(page, LETTER)
    word(page, "dog").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    page.route("**/v1/*", lambda route: route.abort())
    page.reload()
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")
    expect(page.locator("#source")).to_have_value(LETTER)
    expect(page.locator("#mirror")).to_have_text(LETTER)
    expect(page.locator("#target .own")).to_have_text("A wee dog runs.")
    assert page.locator("h2 select").evaluate_all("all => all.map((one) => one.selectedOptions[0].text)") == [
        "German",
        "English",
    ]
    page.locator("#source").press("End")
    page.keyboard.type(" Ja.")
    page.reload()
    expect(page.locator("#trouble")).to_contain_text("The server cannot be reached.")
    expect(page.locator("#source")).to_have_value(f"{LETTER} Ja.")
    page.unroute("**/v1/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#source-language")).to_have_value("de")
    text = final(page)
    assert "house" in text
    assert "A wee dog runs." in text
    assert text.endswith("Yes.")


def test_a_cleared_text_comes_back(page: Page, asked: list[str]) -> None:
    before = translated(page, LETTER)
    asked.clear()
    page.click("#clear")
    expect(page.locator("#target")).to_have_text("")
    page.keyboard.press("Control+z")
    expect(page.locator("#source")).to_have_value(LETTER)
    assert final(page) == before
    assert asked == []


def test_the_fields_own_undo_crosses_what_the_page_has_put_there(page: Page) -> None:
    source = page.locator("#source")
    source.press_sequentially("Das Haus.")
    english = final(page)
    page.click("#clear")
    page.keyboard.press("Control+z")
    expect(source).to_have_value("Das Haus.")
    assert final(page) == english
    page.click("#swap")
    expect(source).to_have_value(english)
    source.press("End")
    page.keyboard.type("!")
    for expected, language in ((english, "en"), ("Das Haus.", "de"), ("Das Haus", "de")):
        page.keyboard.press("Control+z")
        expect(source).to_have_value(expected)
        expect(page.locator("#source-language")).to_have_value(language)
    for expected, language in (("Das Haus.", "de"), (english, "en")):
        page.keyboard.press("Control+Shift+z")
        expect(source).to_have_value(expected)
        expect(page.locator("#source-language")).to_have_value(language)


def test_the_fields_own_undo_brings_wordings_back(page: Page) -> None:
    before = translated(page, LETTER)
    word(page, "dog").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    edited = final(page)
    assert edited != before
    page.click("#clear")
    page.keyboard.press("Control+z")
    assert final(page) == edited


def test_a_text_is_put_into_the_field_letter_by_letter_as_it_is(page: Page) -> None:
    text = "\n  Ja &amp; <b>nein</b>.\n\n\tDas  Haus\u00a0&\u00a0der Hund. \n"
    page.fill("#source", text)
    page.click("#clear")
    page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#source")).to_have_value(text)


def test_the_keys_undo_a_choice_of_languages_where_the_focus_is(page: Page) -> None:
    translated(page, LETTER)
    word(page, "dog").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    edited = final(page)
    page.select_option("#source-language", "en")
    page.focus("#source-language")
    page.keyboard.press("Control+z")
    expect(page.locator("#source-language")).to_have_value("de")
    assert final(page) == edited


def test_a_link_names_languages_and_glossaries_but_not_the_text(page: Page) -> None:
    translated(page, "Ein Geheimnis.")
    page.click("#share")
    expect(page.locator("#toast")).to_contain_text("not your text")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "from=de&to=en" in link
    assert "Geheimnis" not in link


def test_the_mirror_lies_under_the_text_field(page: Page) -> None:
    """Marks in the source are where its words are."""
    text = f"{LETTER * 8}\n\n"
    translated(page, text)
    assert page.evaluate("(({scrollHeight, clientHeight}) => scrollHeight <= clientHeight)(source)")
    boxes = page.evaluate(
        "['#source', '#mirror'].map((id) => { const box = document.querySelector(id).getBoundingClientRect();"
        "return [box.left, box.top, box.width, box.height].map(Math.round); })"
    )
    assert boxes[0] == boxes[1]
    assert page.text_content("#mirror") == text


def test_a_text_that_is_too_long_is_told(page: Page) -> None:
    page.fill("#source", "Das Haus. " * 25_000)
    expect(page.locator("#trouble")).to_contain_text("More than 200,000 characters are too many here.")
    expect(page.locator("#counter")).to_have_text("250,000 / 200,000")
    assert "house" in translated(page, "Das Haus ist groß.")
    expect(page.locator("#trouble")).to_be_hidden()


def test_an_error_stays_in_sight_until_it_is_gone(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    page.route("**/v1/sentences", lambda route: route.abort())
    page.fill("#source", "Das Haus")
    expect(page.locator("#trouble")).to_contain_text("The page tries again by itself.")
    page.evaluate(
        "() => { window.seen = 0; const box = document.querySelector('#trouble');"
        "new MutationObserver(() => window.seen++).observe(box, { attributes: true, childList: true }); }"
    )
    page.locator("#source").press_sequentially(" ist groß.", delay=80)
    page.wait_for_timeout(400)
    assert page.evaluate("window.seen") == 0
    page.unroute("**/v1/sentences")
    assert "house" in final(page)
    expect(page.locator("#trouble")).to_be_hidden()


def test_an_answer_of_a_proxy_is_explained(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    page.route("**/v1/sentences", lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>"))
    page.fill("#source", "Das Haus")
    expect(page.locator("#trouble")).to_contain_text("The server does not answer as it should (502")


def test_a_browser_that_keeps_nothing_breaks_nothing(page: Page) -> None:
    page.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage'])"
        "Object.defineProperty(window, name, { get() { throw new DOMException('', 'SecurityError'); } });"
    )
    page.reload()
    add_term(page, "Haus", "mansion")
    assert "mansion" in translated(page, "Das Haus ist groß.")
    page.click("#terms summary")
    page.click("#terms summary")  # the panel reads the terms again
    expect(page.locator("#term-list .virtual-rows .term-row")).to_have_count(1)
