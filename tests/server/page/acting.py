"""What a user does on the page."""

from playwright.sync_api import Locator, Page, Route, expect

LETTER = "Das Haus ist groß und sehr alt. Der kleine Hund läuft über die Straße. Wir fahren morgen."


def translated(page: Page, text: str) -> str:
    """Type a text, and wait for its final translation."""
    page.fill("#source", text)
    return final(page)


def final(page: Page) -> str:
    """The final translation; a change that was just made has been noticed."""
    expect(page.locator("#target")).to_have_attribute("data-status", "final")
    return page.text_content("#target") or ""


def add_term(page: Page, source: str, targets: str) -> None:
    if not page.locator("#terms").evaluate("element => element.open"):
        page.click("#terms summary")
    form = page.locator("form.add-term")
    form.get_by_label("Term", exact=True).fill(source)
    form.get_by_label("Its translation").fill(targets)
    form.get_by_role("button").click()


def word(page: Page, text: str, pane: str = "#target") -> Locator:
    return page.locator(f"{pane} .word", has_text=text).first


def drop(page: Page, place: str, name: str, content: str) -> None:
    """Drop a file."""
    data = page.evaluate_handle(
        "([name, content]) => { const data = new DataTransfer();"
        "data.items.add(new File([content], name)); return data; }",
        [name, content],
    )
    page.dispatch_event(place, "drop", {"dataTransfer": data})


def first(page: Page, held: list[Route]) -> Route:
    """The first request that a test holds, once there is one."""
    for _ in range(1_500):
        if held:
            return held[0]
        page.wait_for_timeout(20)
    raise AssertionError("nothing is asked of the server")
