"""What may be wrong is shown in the text, by colour and by shape, explained on hover and in a list."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.server.page.acting import add_term, final, first, translated, word

SOURCE = "Bitte senden Sie {name} bis 2031 das Haus."
TARGET = "Please send the house {name}."
# What a server says of a poor translation.
DOUBTS: dict[str, Any] = {
    "uncovered": [
        {"source": [0, 5], "probability": 0.9, "lost": True},
        {"source": [13, 16], "probability": 0.6, "lost": False},
    ],
    "missing_numbers": [[28, 32]],
    "protected": [{"text": "{name}", "source": [17, 23], "target": [22, 28], "placement": "position"}],
    "terms": [
        {"source": [37, 41], "targets": ["mansion"], "kind": "must", "met": False, "reason": "not preferred"}
    ],
    "complete": True,
}


@pytest.fixture
def doubtful(page: Page) -> Page:
    def answer(route: Route) -> None:
        body = json.dumps({"translations": [{"text": TARGET, **DOUBTS}]})
        route.fulfill(content_type="application/json", body=body)

    page.route("**/v1/translate", answer)
    translated(page, SOURCE)
    return page


@pytest.mark.usefixtures("doubtful")
def test_each_kind_has_its_shape_and_is_explained(page: Page) -> None:
    for kind, pane, marked, shape, message in (
        ("lost", "mirror", "Bitte", "wavy", "Nothing in the translation seems to come from “Bitte”."),
        ("number", "mirror", "2031", "double", "“2031” is missing in the translation."),
        ("missed", "mirror", "Haus", "dashed", "“Haus → mansion” is not in the translation: another word"),
        ("place", "target", "{name}", None, "“{name}” is kept, but where it belongs is a guess."),
    ):
        words = page.locator(f"#{pane} .word.{kind}")
        assert "".join(words.all_text_contents()) == marked
        name = "textDecorationStyle" if shape else "outlineStyle"
        assert words.first.evaluate("(one, name) => getComputedStyle(one)[name]", name) == (shape or "dotted")
        box = words.first.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(page.locator("#tooltip")).to_contain_text(message)


def test_the_list_leads_to_each_place(doubtful: Page) -> None:
    expect(doubtful.locator("#checks")).to_be_hidden()
    doubtful.get_by_role("button", name="Check 4 places").click()
    doubtful.get_by_role("button", name="“2031” is missing in the translation.").click()
    expect(doubtful.locator("#mirror .word.pointed")).to_have_text(["2031"])


def test_a_translation_without_a_doubt_has_nothing_to_check(page: Page) -> None:
    translated(page, "Das Haus ist groß.")
    expect(page.locator("#open-checks")).to_be_hidden()
    expect(page.locator("#checks")).to_be_hidden()


def test_results_never_move_the_field_that_is_typed_in(doubtful: Page) -> None:
    doubtful.click("#terms summary")
    field = doubtful.locator("form.add-term input").first
    before = field.bounding_box()
    doubtful.unroute("**/v1/translate")
    add_term(doubtful, "Haus", "mansion")
    final(doubtful)
    expect(doubtful.locator("#open-checks")).to_be_hidden()
    assert field.bounding_box() == before


def test_a_met_term_is_told_without_a_percentage_of_its_own(page: Page) -> None:
    add_term(page, "Hund", "mansion")
    translated(page, "Der kleine Hund läuft.")
    word(page, "mansion").hover()
    expect(page.locator("#tooltip div").first).to_have_text("Term: Hund → mansion")
    assert "✓" not in (page.text_content("main") or "")


@pytest.mark.usefixtures("doubtful")
def test_the_list_stays_open_while_its_sentence_is_typed_in(page: Page) -> None:
    page.click("#open-checks")
    held: list[Route] = []
    page.unroute("**/v1/translate")
    page.route("**/v1/translate", lambda route: held.append(route))
    page.locator("#source").press_sequentially(" Ja.")
    first(page, held)
    expect(page.locator("#checks")).to_be_visible()
    expect(page.locator("#open-checks")).to_have_text("Check 4 places")
