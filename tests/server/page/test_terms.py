"""Terms: of one's own and of stored glossaries, long ones too, without a question and with a way back."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.server.page.acting import add_term, drop, final, translated, word
from tests.server.page.conftest import Open
from tests.server.waiting import wait_until

TEXT = "Das Haus ist groß und der Hund ist klein."
GERMAN = {"source_language": "de", "target_language": "en"}


@pytest.fixture
def stored(client: httpx.Client) -> str:
    """The id of a glossary that the server stores."""
    terms = [{"source": "Haus", "targets": ["mansion"], **GERMAN}]
    made = client.post("/v1/glossaries", json={"name": "Client", "terms": terms}).json()
    return str(made["id"])


def rows(page: Page) -> list[list[str]]:
    """The terms that are drawn."""
    found: list[list[str]] = page.locator("#term-list .virtual-rows .term-row").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('input')].map((one) => one.value))"
    )
    return found


def entries(client: httpx.Client, identifier: str) -> list[tuple[str, list[str]]]:
    found = client.get(f"/v1/glossaries/{identifier}").json()["entries"]
    return [(one["source"], one["targets"]) for one in found]


def processor_time(browser: CDPSession) -> float:
    """The seconds that the page has had of a processor, whatever else runs on the machine."""
    metrics = browser.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def undo(page: Page) -> None:
    page.locator("#toast").get_by_role("button", name="Undo").click()


def test_a_term_of_ones_own_is_met_and_marked_on_the_text(page: Page) -> None:
    translated(page, TEXT)
    add_term(page, "Haus", "mansion")
    expect(page.locator("#target .word.term")).to_have_text(["mansion"])
    expect(page.locator("#mirror .word.term")).to_have_text(["Haus"])
    expect(page.locator("#term-summary")).to_contain_text("1 of 1 in this text is met")
    word(page, "mansion").hover()
    expect(page.locator("#tooltip")).to_contain_text("Term: Haus → mansion")
    undo(page)
    assert "house" in final(page)
    expect(page.locator("#term-list")).to_contain_text("No terms yet.")


def test_own_terms_are_changed_taken_out_and_kept(page: Page) -> None:
    add_term(page, "Haus", "mansion")
    add_term(page, "Hund", "hound")
    expect(page.locator("#term-list .virtual-rows .term-row")).to_have_count(2)
    page.reload()
    page.click("#terms summary")
    expect(page.locator("#term-list .virtual-rows .term-row")).to_have_count(2)
    row = page.locator(".virtual-rows .term-row").filter(has=page.get_by_label("Take out Hund"))
    row.get_by_label("Its translation").fill("mutt | cur")
    row.get_by_label("Its translation").press("Enter")
    expect(page.locator("#toast")).to_contain_text("Hund was changed.")
    assert any(one in translated(page, TEXT) for one in ("mutt", "cur"))
    page.get_by_label("Take out Hund").click()
    expect(page.locator("#toast")).to_contain_text("Hund was taken out.")
    assert rows(page) == [["Haus", "mansion"]]
    undo(page)
    expect(page.locator("#term-list .virtual-rows .term-row")).to_have_count(2)


def test_a_stored_glossary_is_used_by_its_id_beside_own_terms(stored: str, page: Page) -> None:
    bodies: list[dict[str, Any]] = []
    page.on(
        "request",
        lambda request: (
            bodies.append(json.loads(request.post_data or "{}")) if "v1/translate" in request.url else None
        ),
    )
    add_term(page, "Hund", "hound")
    translated(page, TEXT)
    page.get_by_label("Use Client").first.check()
    text = final(page)
    assert "mansion" in text
    assert "hound" in text
    assert bodies[-1]["glossary_ids"] == [stored]
    assert [one["source"] for one in bodies[-1]["glossary"]] == ["Hund"]
    assert stored in page.url
    page.reload()
    assert final(page) == text
    page.click("#terms summary")
    page.get_by_label("Use Client").first.uncheck()
    expect(page.locator("#target")).to_contain_text("house")


def test_own_terms_come_before_a_glossary_and_the_conflict_is_shown(open_page: Open, stored: str) -> None:
    page = open_page(f"#from=de&to=en&glossaries={stored}")
    assert "mansion" in translated(page, TEXT)
    add_term(page, "Haus", "building")
    expect(page.locator("#target .word.term")).to_have_text(["building"])
    expect(page.locator(".conflict")).to_have_text("≠ mansion (Client)")
    expect(page.locator("#term-list")).to_contain_text("1 term1 in conflict")


def test_terms_of_a_stored_glossary_are_changed_on_the_server(
    open_page: Open, stored: str, client: httpx.Client
) -> None:
    page = open_page(f"#from=de&to=en&glossaries={stored}")
    translated(page, TEXT)
    page.click("#terms summary")
    page.locator(".chip", has=page.locator("input:checked")).get_by_role("button").click()
    expect(page.locator("#term-list .virtual-rows .term-row")).to_have_count(1)
    add_term(page, "Hund", "hound")
    expect(page.locator("#target .word.term")).to_have_text(["mansion", "hound"])
    assert entries(client, stored) == [("Haus", ["mansion"]), ("Hund", ["hound"])]
    page.get_by_label("Take out Haus").click()
    expect(page.locator("#toast")).to_contain_text("Haus was taken out.")
    assert entries(client, stored) == [("Hund", ["hound"])]
    undo(page)
    expect(page.locator("#term-list .virtual-rows .term-row")).to_have_count(2)
    assert sorted(entries(client, stored)) == [("Haus", ["mansion"]), ("Hund", ["hound"])]


def test_a_glossary_is_stored_renamed_and_deleted_with_a_way_back(page: Page, client: httpx.Client) -> None:
    add_term(page, "Haus", "mansion")
    page.click("#store")
    page.fill("#name", "From the page")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("stored as “From the page”")
    made = [one for one in client.get("/v1/glossaries").json() if one["name"] == "From the page"]
    assert [one["directions"] for one in made] == [[{**GERMAN, "terms": 1}]]
    page.get_by_role("button", name="Rename").click()
    page.fill("#name", "Houses")
    page.keyboard.press("Enter")
    expect(page.locator("#glossary-chips")).to_contain_text("Houses")
    page.click("#delete")
    expect(page.locator("#glossary-chips")).not_to_contain_text("Houses")
    undo(page)
    expect(page.locator("#glossary-chips")).to_contain_text("Houses")
    assert client.get(f"/v1/glossaries/{made[0]['id']}").json()["name"] == "Houses"
    page.locator(".chip", has_text="Houses").get_by_role("button").click()
    page.click("#delete")
    page.reload()  # nobody can undo it any more
    page.wait_for_selector("#source-language option", state="attached")
    expect(page.locator("#glossary-chips")).to_contain_text("My terms")
    # The page that went has sent it, and may be overtaken by the one that came.
    wait_until(lambda: client.get(f"/v1/glossaries/{made[0]['id']}").status_code == 404)


def test_files_are_dropped_and_exported(page: Page) -> None:
    page.click("#terms summary")
    drop(page, "#terms", "words.tsv", "source\ttarget\nHaus\tmansion\nHund\thound|mutt\n")
    expect(page.locator("#toast")).to_contain_text("2 terms of words.tsv were added.")
    assert rows(page) == [["Haus", "mansion"], ["Hund", "hound | mutt"]]
    with page.expect_download() as download:
        page.click("#export")
    exported = Path(download.value.path()).read_text(encoding="utf-8")
    assert "Haus" in exported
    assert "hound|mutt" in exported
    undo(page)
    expect(page.locator("#term-list")).to_contain_text("No terms yet.")


def test_more_terms_than_a_request_may_carry_are_used(page: Page) -> None:
    lines = "".join(f"Fachwort{number:04}\tterm {number}\n" for number in range(1_500))
    drop(page, "#terms", "client.tsv", f"source\ttarget\n{lines}Haus\tmansion\n")
    expect(page.locator("#toast")).to_contain_text("1,501 terms are stored as “client”")
    assert "mansion" in translated(page, TEXT)
    page.get_by_role("button", name="My terms").click()
    add_term(page, "Hund", "hound")
    expect(page.locator("#target")).to_contain_text("hound")


def test_a_list_of_50000_terms_stays_quick(page: Page, client: httpx.Client) -> None:
    lines = "".join(f"Fachwort{number:05}\tterm {number}\n" for number in range(50_000))
    content = f"source\ttarget\n{lines}".encode()
    parameters = {"format": "tsv", "name": "large", **GERMAN}
    made = client.post("/v1/glossaries/import", params=parameters, content=content).json()
    page.click("#terms summary")
    page.locator(".chip", has_text="large").get_by_role("button").click()
    expect(page.locator("#term-list")).to_contain_text("50,000 terms")
    assert page.locator("#term-list .virtual-rows .term-row").count() < 30
    assert page.evaluate("document.documentElement.scrollHeight") < 2_000
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = processor_time(browser)
    page.evaluate(
        """async () => { const list = document.querySelector(".virtual-list");
        for (let step = 1; step <= 30; step++) {
          list.scrollTop = step * 80_000; await new Promise(requestAnimationFrame); } }"""
    )
    assert processor_time(browser) - before < 30 * 0.05
    page.get_by_placeholder("Find a term").fill("Fachwort4999")
    expect(page.locator("#term-list")).to_contain_text("10 of 50,000 terms")
    client.delete(f"/v1/glossaries/{made['id']}")


def test_undo_is_for_the_direction_that_the_term_was_added_in(page: Page) -> None:
    translated(page, TEXT)
    page.click("#swap")
    add_term(page, "house", "Gebäude")
    final(page)
    page.select_option("#source-language", "de")
    undo(page)
    expect(page.locator("#glossary-chips")).to_contain_text("My terms 0")
    page.select_option("#source-language", "en")
    expect(page.locator("#glossary-chips")).to_contain_text("My terms 0")


def test_terms_of_another_tab_hold_in_this_one(page: Page) -> None:
    translated(page, TEXT)
    other = page.context.new_page()
    other.goto(page.url)
    add_term(other, "Haus", "mansion")
    expect(page.locator("#target .word.term")).to_have_text(["mansion"])
    add_term(page, "Hund", "hound")  # neither tab forgets the other's
    expect(other.locator("#term-list .virtual-rows .term-row")).to_have_count(2)


def test_conflicts_are_looked_at_alone(page: Page) -> None:
    page.click("#terms summary")
    lines = "".join(f"Wort{number}\tterm {number}\n" for number in range(300))
    drop(page, "#terms", "many.tsv", f"source\ttarget\n{lines}Haus\thouse\nhaus\tmansion\n")
    page.get_by_role("button", name="2 in conflict").click()
    assert sorted(rows(page)) == [["Haus", "house"], ["haus", "mansion"]]
    expect(page.locator("#term-list")).to_contain_text("2 of 302 terms")
    page.get_by_label("Take out haus", exact=True).click()
    expect(page.locator(".doubtful")).to_be_hidden()
    expect(page.locator("#term-list")).to_contain_text("301 terms")
