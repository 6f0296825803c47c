"""A translator's work from end to end: in light, in the dark, on a phone, and by the keyboard alone."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.page.acting import add_term, drop, final, translated, word
from tests.server.page.conftest import Open

TEXT = "Wir fahren morgen. Der kleine Hund läuft über die lange Straße nach München."
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@pytest.mark.parametrize("look", LOOKS)
def test_by_mouse_or_finger(open_page: Open, look: str) -> None:
    page = open_page(**LOOKS[look])
    press = "tap" if look == "phone" else "click"
    translated(page, TEXT)
    expect(page.locator("#source-language option").first).to_have_text("German (detected)")
    getattr(word(page, "small"), press)()
    expect(page.locator("#mirror .word.lit")).to_have_text(["kleine"])
    choice = page.locator("#alternatives .choice").first
    picked = choice.evaluate("one => one.firstChild.textContent")
    getattr(choice, press)()
    expect(page.locator("#target .own")).to_contain_text(f"The {picked} dog")
    add_term(page, "Straße", "road")
    expect(page.locator("#mirror .word.term")).to_have_count(0)  # a sentence of the user's own stays
    getattr(page.locator("#toast button"), press)()
    getattr(page.locator("#matrix summary"), press)()
    expect(page.locator("#matrix-drawing svg")).to_be_visible()
    getattr(page.locator("#copy"), press)()
    expect(page.locator("#copy")).to_contain_text("Copied")
    assert picked in page.evaluate("navigator.clipboard.readText()")
    getattr(page.locator("#open-history"), press)()
    expect(page.locator(".history-item")).to_have_count(1)
    getattr(page.locator("dialog[open]").get_by_label("Close"), press)()
    drop(page, "#source", "notes.md", "# Das Haus\n")
    job = page.locator(".job", has_text="notes.md").first
    expect(job.get_by_role("button", name="Download")).to_be_visible(timeout=20_000)


def tab_to(page: Page, name: str) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({name!r})"):
            return
    raise AssertionError(name)


def test_by_the_keyboard_alone(open_page: Open) -> None:
    page = open_page("#from=de&to=en")
    page.keyboard.type(TEXT)
    final(page)
    tab_to(page, "#target")
    while page.locator("#target .chosen").text_content() != "small":
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#alternatives .choice").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#target .own")).to_have_count(1)
    expect(page.locator("#target")).to_be_focused()
    page.keyboard.press("F2")
    page.keyboard.press("Control+a")
    page.keyboard.type("A wee dog runs.")
    page.keyboard.press("Enter")
    expect(page.locator("#target .own")).to_have_text("A wee dog runs.")
    tab_to(page, "#copy")
    page.keyboard.press("Enter")
    expect(page.locator("#copy")).to_contain_text("Copied")
    tab_to(page, "#terms summary")
    page.keyboard.press("Enter")
    tab_to(page, "form.add-term input")
    page.keyboard.type("fahren")
    page.keyboard.press("Tab")
    page.keyboard.type("travel")
    page.keyboard.press("Enter")
    expect(page.locator("#target .word.term")).to_have_text(["travel"])
    tab_to(page, "#matrix summary")
    page.keyboard.press("Enter")
    expect(page.locator("#matrix-drawing svg")).to_be_visible()
    tab_to(page, "#text-tab")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#documents-view")).to_be_visible()
