"""Other wordings: picked in a popover, typed by the user, held while the rest follows, and made terms."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.server.page.acting import add_term, final, translated, word

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
