"""Rows of terms under somebody's hands: what is being typed in them stays, and so do focus and order."""

import httpx
from playwright.sync_api import Locator, Page, Route, expect

from tests.server.page.acting import add_term, drop, first
from tests.server.page.conftest import Open

WORDS = ("Haus\tmansion", "Hund\thound", "Straße\troad")

# Pairs of boxes in a row that lie on each other.
_OVERLAPS = """rows => rows.flatMap((row) => {
  const boxes = [...row.children].map((one) => one.getBoundingClientRect());
  const meet = (one, two) => one.left < two.right - 1 && two.left < one.right - 1 &&
    one.top < two.bottom - 1 && two.top < one.bottom - 1;
  return boxes.flatMap((one, index) => boxes.slice(index + 1).filter((two) => meet(one, two)));
})"""


def row(page: Page, term: str) -> Locator:
    return page.locator(".virtual-rows .term-row").filter(has=page.get_by_label(f"Take out {term}"))


def sources(page: Page) -> list[str]:
    found: list[str] = page.locator(".virtual-rows .term-row").evaluate_all(
        "rows => rows.sort((one, two) => one.ariaPosInSet - two.ariaPosInSet)"
        ".map((row) => row.querySelector('input').value)"
    )
    return found


def with_terms(page: Page) -> Page:
    page.click("#terms summary")
    drop(page, "#terms", "words.tsv", "source\ttarget\n" + "\n".join(WORDS) + "\n")
    expect(page.locator(".virtual-rows .term-row")).to_have_count(3)
    return page


def test_rows_are_edited_one_after_another_by_the_keyboard(page: Page) -> None:
    with_terms(page)
    row(page, "Hund").get_by_label("Term", exact=True).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("Katze")
    page.keyboard.press("Tab")  # the row is drawn anew
    expect(page.locator("#toast")).to_contain_text("Katze was changed.")
    expect(row(page, "Katze").get_by_label("Its translation")).to_be_focused()
    assert sources(page) == ["Haus", "Katze", "Straße"]
    row(page, "Katze").get_by_label("Take out Katze").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Take out Straße")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(row(page, "Katze")).to_have_count(1)


def test_what_is_typed_in_one_row_survives_the_change_of_another(
    open_page: Open, client: httpx.Client
) -> None:
    pair = {"source_language": "de", "target_language": "en"}
    terms = [{"source": one, "targets": [one], **pair} for one in ("Haus", "Hund")]
    stored = client.post("/v1/glossaries", json={"name": "Slow", "terms": terms}).json()["id"]
    page = open_page(f"#from=de&to=en&glossaries={stored}")
    page.click("#terms summary")
    page.locator(".chip", has_text="Slow").get_by_role("button").click()
    held: list[Route] = []
    page.route(f"**/v1/glossaries/{stored}", lambda route: held.append(route))
    row(page, "Hund").get_by_label("Its translation").fill("hound")
    other = row(page, "Haus").get_by_label("Its translation")
    other.focus()
    other.press("End")
    page.keyboard.type("es")
    first(page, held).continue_()
    expect(page.locator("#toast")).to_contain_text("Hund was changed.")
    expect(other).to_have_value("Hauses")
    expect(other).to_be_focused()
    page.unroute(f"**/v1/glossaries/{stored}")
    assert sources(page) == ["Haus", "Hund"]  # a term stays in its place
    client.delete(f"/v1/glossaries/{stored}")


def test_a_row_with_the_focus_is_drawn_once_however_far_one_scrolls(page: Page) -> None:
    page.click("#terms summary")
    lines = "".join(f"Fachwort{number:03}\tterm {number}\n" for number in range(300))
    drop(page, "#terms", "many.tsv", f"source\ttarget\n{lines}")
    expect(page.locator("#term-list")).to_contain_text("300 terms")
    page.get_by_label("Take out Fachwort001").focus()
    for top in (9_000, 0, 9_000, 0):
        page.locator(".virtual-list").evaluate("(list, top) => (list.scrollTop = top)", top)
        page.wait_for_timeout(50)
    expect(page.get_by_label("Take out Fachwort001")).to_have_count(1)
    page.focus("#source")
    page.locator(".virtual-list").evaluate("list => (list.scrollTop = 9000)")
    expect(page.get_by_label("Take out Fachwort001")).to_have_count(0)


def test_delete_is_not_where_store_was(page: Page) -> None:
    add_term(page, "Haus", "mansion")
    store = page.locator("#store").bounding_box()
    page.click("#store")
    page.fill("#name", "A client's")
    page.keyboard.press("Enter")
    expect(page.locator("#delete")).to_be_visible()
    delete = page.locator("#delete").bounding_box()
    assert store is not None
    assert delete is not None
    assert delete["x"] > store["x"] + store["width"]
    page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(row(page, "Haus")).to_have_count(1)


def test_nothing_in_a_row_covers_another_thing_on_a_phone(open_page: Open) -> None:
    page = open_page("#from=de&to=en", viewport={"width": 390, "height": 844}, has_touch=True)
    add_term(page, "Haus", "mansion")
    add_term(page, "haus", "a building of the client's own")
    expect(page.locator(".conflict")).to_have_count(2)
    overlaps = page.locator(".virtual-rows .term-row").evaluate_all(_OVERLAPS)
    assert overlaps == []


def test_a_row_without_a_translation_is_told_and_stays_as_it_was(page: Page) -> None:
    with_terms(page)
    row(page, "Hund").get_by_label("Its translation").fill("")
    row(page, "Hund").get_by_label("Its translation").press("Enter")
    expect(page.locator("#toast")).to_contain_text("A term needs words in both languages.")
    expect(row(page, "Hund").get_by_label("Its translation")).to_have_value("hound")
