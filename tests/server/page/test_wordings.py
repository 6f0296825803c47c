"""Other wordings: picked in a popover, typed by the user, held while the rest follows, and made terms."""

import httpx
import pytest
from playwright.sync_api import Page, Route, expect

from tests.server.page.acting import add_term, final, first, translated, word
from tests.server.page.conftest import Open

TEXT = "Wir fahren morgen. Der kleine Hund läuft über die lange Straße nach München."
PAIR = {"source_language": "de", "target_language": "en"}


@pytest.fixture
def translation(page: Page) -> str:
    return translated(page, TEXT)


def choices(page: Page) -> list[str]:
    page.wait_for_selector("#alternatives .choice")
    found = page.locator("#alternatives .choice").evaluate_all(
        "all => all.map((one) => one.firstChild.textContent)"
    )
    return list(found)


def test_a_click_on_a_word_lights_up_its_source_and_offers_others(
    page: Page, translation: str, client: httpx.Client
) -> None:
    word(page, "small").click()
    expect(page.locator("#mirror .word.lit")).to_have_text(["kleine"])
    sentence = translation.split(". ")[1]
    start = sentence.index("small")
    body = {
        "source": TEXT.split(". ")[1],
        "target": sentence,
        "span": [start, start + len("small")],
        **PAIR,
    }
    expected = client.post("/v1/alternatives", json=body).json()["alternatives"]
    replacements = [one["replacement"] for one in expected]
    assert choices(page) == [one for one in replacements if one.lower() != "small"]
    page.mouse.move(5, 5)
    expect(page.locator("#mirror .word.lit")).to_have_text(["kleine"])  # as long as the popover is open
    page.locator("#alternatives .choice").first.click()
    expect(page.locator("#target")).to_have_text(f"{translation.split('. ')[0]}. {expected[0]['text']}")
    expect(page.locator("#target .sentence.own")).to_have_count(1)
    page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#target")).to_have_text(translation)


@pytest.mark.usefixtures("translation")
def test_a_phrase_is_chosen_with_shift(page: Page) -> None:
    word(page, "small").click()
    page.keyboard.press("Escape")
    word(page, "dog").click(modifiers=["Shift"])
    expect(page.locator("#alternatives strong")).to_have_text("small dog")
    expect(page.locator("#mirror .word.lit")).to_have_text(["kleine", "Hund"])


@pytest.mark.usefixtures("translation")
def test_a_phrase_with_a_term_in_it_stays_the_phrase(page: Page) -> None:
    add_term(page, "Hund", "hound")
    word(page, "hound").click()
    expect(page.locator("#alternatives strong")).to_have_text("hound")
    page.keyboard.press("Escape")
    word(page, "small").click()
    page.keyboard.press("Escape")
    word(page, "hound").click(modifiers=["Shift"])
    expect(page.locator("#alternatives strong")).to_have_text("small hound")
    assert page.evaluate("getSelection().isCollapsed")


@pytest.mark.usefixtures("translation")
def test_each_wording_is_offered_once(page: Page) -> None:
    def answer(route: Route) -> None:
        parts: dict[str, list[str]] = {"terms": [], "protected": [], "missing_numbers": [], "uncovered": []}
        found = [
            {
                "text": f"The {one} dog.",
                "replacement": one,
                "span": [4, 4 + len(one)],
                "complete": True,
                **parts,
            }
            for one in ("small", "wee", "Wee", "tiny")
        ]
        route.fulfill(json={"alternatives": found})

    page.route("**/v1/alternatives", answer)
    word(page, "small").click()
    assert choices(page) == ["wee", "tiny"]


@pytest.mark.parametrize("height", [420, 560, 760])
def test_the_popover_never_covers_its_word(page: Page, height: int) -> None:
    page.set_viewport_size({"width": 1200, "height": height})
    translated(page, f"Ja.\n\nNein.\n\n{TEXT}")
    word(page, "small").click()
    choices(page)
    page.wait_for_timeout(100)
    small, popover = word(page, "small").bounding_box(), page.locator("#alternatives").bounding_box()
    assert small is not None
    assert popover is not None
    assert popover["y"] >= small["y"] + small["height"] or popover["y"] + popover["height"] <= small["y"]
    assert popover["y"] >= 0
    assert popover["y"] + popover["height"] <= height


def test_a_passage_can_be_selected_and_copied(page: Page, translation: str) -> None:
    first, last = page.locator("#target .word").first.bounding_box(), word(page, "dog").bounding_box()
    assert first is not None
    assert last is not None
    page.mouse.move(first["x"] + 1, first["y"] + 10)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 2, last["y"] + 10, steps=5)
    page.mouse.up()
    expect(page.locator("#alternatives")).to_be_hidden()
    assert page.evaluate("getSelection().toString()").startswith(translation.split(". ")[0])
    page.keyboard.press("Control+a")
    assert page.evaluate("getSelection().toString()") == translation


@pytest.mark.usefixtures("translation")
def test_a_typed_word_is_held_and_the_rest_follows(page: Page) -> None:
    word(page, "small").click()
    page.get_by_label("Another wording").fill("young")
    page.keyboard.press("Enter")
    expect(page.locator("#target")).to_contain_text("The young dog")
    assert (page.text_content("#target") or "").endswith(".")


@pytest.mark.usefixtures("translation")
def test_always_so_makes_a_term(page: Page) -> None:
    word(page, "small").click()
    other = choices(page)[0]
    page.get_by_label(f"Always translate “kleine” by “{other}”").click()
    expect(page.locator("#target .word.term")).to_have_text([other])
    expect(page.locator("#toast")).to_contain_text(f"kleine → {other}")
    page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#target .word.term")).to_have_count(0)


@pytest.mark.usefixtures("translation")
def test_a_typed_wording_is_made_a_term_everywhere(page: Page) -> None:
    translated(page, "Der kleine Hund läuft. Ein kleine Hund bellt.")
    word(page, "small").click()
    page.get_by_label("Another wording").fill("young")
    page.get_by_role("button", name="Always translate it so").click()
    expect(page.locator("#target .word.term")).to_have_text(["young", "young"])


@pytest.mark.usefixtures("translation")
def test_whoever_is_quicker_than_the_alignment_makes_a_term_too(page: Page) -> None:
    held: list[Route] = []
    page.route("**/v1/align", lambda route: held.append(route))
    page.reload()  # no alignment is known
    final(page)
    word(page, "small").click()
    page.get_by_label("Another wording").fill("young")
    page.get_by_role("button", name="Always translate it so").click()
    first(page, held).continue_()
    expect(page.locator("#target .word.term")).to_have_text(["young"])
    expect(page.locator("#toast")).to_contain_text("kleine → young is among your terms.")


def test_a_term_of_unknown_words_is_not_made_and_that_is_told(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    translated(page, TEXT)
    page.route("**/v1/align", lambda route: route.fulfill(status=400, json={"message": "too long"}))
    word(page, "small").click()
    page.get_by_label("Another wording").fill("young")
    page.get_by_role("button", name="Always translate it so").click()
    expect(page.locator("#alternatives")).to_contain_text("It is not known which words “small” translates.")
    expect(page.locator("#target .own")).to_have_count(0)


def test_a_wording_finds_its_sentence_though_the_text_goes_on(page: Page, translation: str) -> None:
    held: list[Route] = []
    word(page, "small").click()
    choices(page)
    page.route("**/v1/alternatives", lambda route: held.append(route))
    page.get_by_label("Another wording").fill("young")
    page.keyboard.press("Enter")
    expect(page.locator("#alternatives")).to_contain_text("The rest of the sentence follows")
    answer = first(page, held)
    page.click("#source")
    expect(page.locator("#alternatives")).to_be_hidden()
    page.fill("#source", f"Ja. {TEXT}")
    assert final(page).endswith(translation)
    answer.continue_()
    expect(page.locator("#target .own")).to_contain_text("The young dog")
    expect(page.locator("#target .sentence").nth(1)).not_to_contain_text("young")
    expect(page.locator("#source")).to_be_focused()


def test_terms_are_checked_in_wordings_of_ones_own(page: Page, translation: str) -> None:
    word(page, "small").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    add_term(page, "Hund", "hound")
    expect(page.locator("#mirror .word.missed")).to_have_text(["Hund"])
    assert final(page) != translation


def test_a_sentence_is_edited_and_stays_so(page: Page, translation: str) -> None:
    word(page, "small").dblclick()
    editor = page.get_by_label("Edit this sentence")
    editor.fill("A wee dog runs.")
    page.keyboard.press("Enter")
    edited = f"{translation.split('. ')[0]}. A wee dog runs."
    expect(page.locator("#target")).to_have_text(edited)
    page.fill("#source", f"{TEXT} Das Haus ist groß.")
    expect(page.locator("#target")).to_contain_text("house")
    assert final(page).startswith(edited)
    page.click("#copy")
    expect(page.locator("#copy")).to_contain_text("Copied")
    assert "A wee dog runs." in page.evaluate("navigator.clipboard.readText()")
    word(page, "wee").dblclick()
    page.get_by_role("button", name="First wording").click()
    expect(page.locator("#target")).to_contain_text(translation)
    page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#target")).to_contain_text("A wee dog runs.")


def test_own_wordings_outlive_a_reload_and_a_cleared_text(page: Page, translation: str) -> None:
    word(page, "small").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    edited = f"{translation.split('. ')[0]}. A wee dog runs."
    page.reload()
    assert final(page) == edited
    page.click("#clear")
    page.locator("#toast").get_by_role("button", name="Undo").click()
    assert final(page) == edited
    page.select_option("#target-language", "ar")  # they are of one language alone
    page.select_option("#source-language", "de")
    assert final(page) == translation


@pytest.mark.usefixtures("translation")
def test_a_wording_goes_with_its_sentence_when_that_is_moved(page: Page) -> None:
    word(page, "small").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    begin, end = TEXT.split(". ")
    page.fill("#source", f"{begin}. ")
    expect(page.locator("#target")).not_to_contain_text("wee")
    final(page)
    page.fill("#source", f"{end} {begin}.")
    assert final(page).startswith("A wee dog runs.")
    page.fill("#source", "")
    expect(page.locator("#target")).to_have_text("")
    page.fill("#source", TEXT)
    assert final(page).endswith("A wee dog runs.")


@pytest.mark.usefixtures("translation")
def test_the_rest_of_an_edited_sentence_follows(page: Page) -> None:
    word(page, "small").dblclick()
    page.get_by_label("Edit this sentence").fill("Along the long road")
    page.get_by_role("button", name="Let the rest follow").click()
    expect(page.locator("#target .sentence.own")).to_contain_text("Along the long road")
    own = page.locator("#target .sentence.own").text_content() or ""
    assert own.endswith(".")
    assert len(own) > len("Along the long road.")


@pytest.mark.usefixtures("translation")
def test_wordings_by_the_keyboard_alone(page: Page) -> None:
    page.focus("#target")
    for _ in range(12):
        if page.locator("#target .chosen").text_content() == "small":
            break
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    second = choices(page)[1]
    expect(page.locator("#alternatives .choice").first).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#target .sentence.own")).to_contain_text(second)
    expect(page.locator("#target")).to_be_focused()
    page.keyboard.press("F2")
    expect(page.get_by_label("Edit this sentence")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#target")).to_be_focused()


def draw_over(page: Page, first: str, last: str) -> None:
    """Draw the mouse from one word of the translation to another."""
    start, end = word(page, first).bounding_box(), word(page, last).bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + 1, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + end["width"] - 1, end["y"] + 10, steps=5)
    page.mouse.up()


@pytest.mark.usefixtures("translation")
def test_a_phrase_is_chosen_by_drawing_over_it_and_can_be_copied(page: Page) -> None:
    draw_over(page, "small", "dog")
    expect(page.locator("#alternatives strong")).to_have_text("small dog")
    choices(page)
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == "small dog"


def test_a_click_in_a_long_text_stays_where_it_is(page: Page) -> None:
    translated(page, " ".join(f"Das Haus ist {number} Meter hoch." for number in range(60)))
    page.evaluate("scrollTo(0, 300)")
    page.locator("#target .word", has_text="40").click()
    expect(page.locator("#alternatives strong")).to_have_text("40")
    assert page.evaluate("scrollY") >= 300


def test_the_keys_lead_from_line_to_line(page: Page) -> None:
    translated(page, "Wir fahren morgen.\nWir fahren morgen.")
    page.focus("#target")
    first = page.locator("#target .chosen").text_content()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#target .paragraph").nth(1).locator(".chosen")).to_have_text(first or "")
    page.keyboard.press("End")
    expect(page.locator("#target .chosen")).to_have_text(".")
    page.keyboard.press("Home")
    expect(page.locator("#target .chosen")).to_have_text(first or "")
    page.keyboard.press("Control+End")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#target .paragraph").nth(0).locator(".chosen")).to_have_count(1)


def test_whoever_goes_on_elsewhere_has_finished_the_edit(page: Page, translation: str) -> None:
    word(page, "small").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.get_by_role("button", name="Let the rest follow").hover()  # its bar is not elsewhere
    page.click("#copy")
    expect(page.locator("#copy")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"{translation.split('. ')[0]}. A wee dog runs."
    expect(page.locator(".editor-bar")).to_have_count(0)


def test_an_edit_survives_a_new_translation(page: Page, translation: str) -> None:
    word(page, "small").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    other = page.context.new_page()  # another tab, where a term is added
    other.goto(page.url)
    add_term(other, "fahren", "travel")
    expect(page.locator("#target")).to_contain_text("travel")
    expect(page.locator("#target .own")).to_have_text("A wee dog runs.")
    assert translation not in final(page)


def test_wordings_of_another_language_can_be_had_back(page: Page) -> None:
    translated(page, TEXT)
    word(page, "small").dblclick()
    page.get_by_label("Edit this sentence").fill("A wee dog runs.")
    page.keyboard.press("Enter")
    page.select_option("#source-language", "en")
    expect(page.locator("#toast")).to_contain_text("Your own wordings in English are gone.")
    page.locator("#toast").get_by_role("button", name="Undo").click()
    assert "A wee dog runs." in final(page)


def test_a_selection_has_the_lines_of_the_translation(page: Page) -> None:
    text = translated(page, f"\n{TEXT}\n\n\n{TEXT}\nJa.\n")
    page.focus("#target")
    page.keyboard.press("Control+a")
    assert page.evaluate("getSelection().toString()").rstrip("\n") == text.rstrip("\n")
