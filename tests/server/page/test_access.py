"""For everybody: no violations of axe, in light, in the dark and on phones, with fingers and by keys."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.server.page.acting import LETTER, add_term, translated, word
from tests.server.page.conftest import Open

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
}


@pytest.fixture(params=list(LOOKS))
def look(request: pytest.FixtureRequest) -> dict[str, Any]:
    return LOOKS[request.param]


def violations(page: Page) -> list[str]:
    axe: Any = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is missing"
    )
    found = axe.Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def states(page: Page) -> Iterator[str]:
    """The page in its states, by name."""
    yield "empty"
    add_term(page, "Haus", "mansion")
    translated(page, LETTER)
    yield "translated with a term"
    page.click("#matrix summary")
    yield "matrix"
    word(page, "dog").click()
    page.wait_for_selector("#alternatives .choice")
    yield "alternatives"
    page.keyboard.press("Escape")
    page.focus("#target")
    page.keyboard.press("F2")
    yield "editing"
    page.keyboard.press("Escape")
    page.click("#open-history")
    yield "history"
    page.locator("dialog[open]").get_by_label("Close").click()
    page.fill("#source", "The house is big, and the small dog runs across the long street.")
    page.wait_for_selector("#language-notice:visible")
    yield "another language"
    page.evaluate("document.querySelector('#clear').click()")
    yield "a way back"
    page.route("**/v1/sentences", lambda route: route.fulfill(status=503, json={"message": "busy"}))
    page.fill("#source", LETTER)
    page.wait_for_selector("#trouble:visible")
    yield "an error"
    page.click("#documents-tab")
    document = FilePayload(name="a.txt", mimeType="text/plain", buffer=LETTER.encode())
    page.set_input_files("#document-input", document)
    report = page.get_by_role("button", name="Report on a.txt").first
    report.wait_for()
    yield "documents"
    report.click()
    page.wait_for_selector("#report[open]")
    yield "a report"


def small_targets(page: Page) -> list[str]:
    """What could be touched, and is less than 44 pixels high or wide."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("button, a, select, input, summary, .button")]
        .filter((one) => one.type !== "checkbox" && one.checkVisibility() && !one.matches(".hidden"))
        .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
        .filter(([, box]) => box.width && (box.height < 44 || box.width < 44)).map(([name]) => name)"""
    )
    return found


def test_no_state_violates_axe_or_sticks_out_or_is_hard_to_touch(
    open_page: Open, look: dict[str, Any]
) -> None:
    # axe runs as a script of the page, and one of its states is an error
    page = open_page("#from=de&to=en", bypass_csp=True, expect_errors=True, **look)
    width = page.viewport_size["width"] if page.viewport_size else 0
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, color.removeprefix("rgb(").rstrip(")").split(","))) < 380) == (
        "dark" in look.values()
    )
    for state in states(page):
        assert violations(page) == [], state
        assert small_targets(page) == [], state
        assert page.evaluate("document.documentElement.scrollWidth") <= width, state


def test_copy_sticks_to_the_bottom_of_a_phone(open_page: Open) -> None:
    page = open_page("#from=de&to=en", **LOOKS["phone"])
    translated(page, LETTER * 12)
    page.evaluate("document.querySelector('#target').scrollIntoView()")
    expect(page.locator("#copy")).to_be_in_viewport(ratio=1)
    box = page.locator("#copy").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] > 780


def test_screen_readers_hear_what_happens(open_page: Open) -> None:
    page = open_page("#from=de&to=en")
    translated(page, LETTER)
    expect(page.locator("#announcer[role=status]")).to_have_text("Translated")
    tree = page.locator("body").aria_snapshot()
    for part in (
        'textbox "Text to translate"',
        'textbox "Translation"',
        'combobox "Translate from"',
        'tab "Text"',
    ):
        assert part in tree
