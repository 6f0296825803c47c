"""Languages as headings: detected, switched, swapped, and written in their own direction."""

import re

from playwright.sync_api import Page, expect

from tests.server.page.acting import LETTER, add_term, final, translated
from tests.server.page.conftest import Open


def chosen(page: Page) -> tuple[str, str]:
    source, target = page.locator("h2 select").evaluate_all(
        "all => all.map((one) => one.selectedOptions[0].text)"
    )
    return source, target


def test_languages_are_headings_with_all_models_at_hand(open_page: Open) -> None:
    page = open_page()
    headings = page.locator("h2 select")
    assert headings.nth(0).locator("option").all_text_contents() == ["Detect language", "English", "German"]
    assert headings.nth(1).locator("option").all_text_contents() == ["Arabic", "English", "German"]


def test_the_language_is_detected(open_page: Open) -> None:
    page = open_page()
    assert "house" in translated(page, LETTER)
    assert chosen(page) == ("German (detected)", "English")
    assert "Haus" in translated(page, "The house is big, and the small dog runs across the long street.")
    assert chosen(page) == ("English (detected)", "German")
    expect(page.locator("#language-notice")).to_be_hidden()


def test_a_wrong_language_is_asked_about(page: Page) -> None:
    translated(page, "The house is big, and the small dog runs across the long street.")
    notice = page.locator("#language-notice")
    expect(notice).to_contain_text("Looks like English.")
    notice.get_by_role("button", name="Switch?").click()
    assert "Haus" in final(page)
    assert chosen(page) == ("English", "German")
    expect(notice).to_be_hidden()
    translated(page, "La maison est très grande et le petit chien traverse la longue rue.")
    expect(notice).to_have_text("Looks like French. This server does not translate it.")


def test_choosing_a_language_chooses_a_pair_that_there_is(page: Page) -> None:
    page.select_option("#target-language", "ar")
    assert chosen(page) == ("English", "Arabic")
    page.select_option("#source-language", "de")
    assert chosen(page) == ("German", "English")
    page.select_option("#target-language", "ar")
    expect(page.locator("#swap")).to_be_disabled()


def test_swapping_takes_the_translation_and_leaves_the_terms_of_the_other_direction(page: Page) -> None:
    add_term(page, "Haus", "mansion")
    english = translated(page, "Das Haus ist groß.")
    assert "mansion" in english
    page.click("#swap")
    expect(page.locator("#source")).to_have_value(english)
    final(page)
    assert chosen(page) == ("English", "German")
    expect(page.locator("#glossary-chips")).to_have_text(re.compile(r"My terms\s+0"))
    page.click("#swap")
    expect(page.locator("#glossary-chips")).to_have_text(re.compile(r"My terms\s+1"))


def test_texts_say_their_language_and_the_direction_of_its_script(page: Page) -> None:
    for element in ("#source", "#mirror"):
        assert page.locator(element).evaluate("one => [one.lang, one.dir]") == ["de", "ltr"]
    assert page.locator("#target").evaluate("one => [one.lang, one.dir]") == ["en", "ltr"]
    page.select_option("#target-language", "ar")
    assert page.locator("#target").evaluate("one => [one.lang, one.dir]") == ["ar", "rtl"]
    assert page.locator("#source").evaluate("one => one.dir") == "ltr"
    translated(page, "das Haus ist groß")
    side = page.evaluate(
        "() => { const word = document.querySelector('#target .word').getBoundingClientRect(),"
        "pane = document.querySelector('#target').getBoundingClientRect();"
        "return word.left - pane.left > pane.right - word.right; }"
    )
    assert side, "a text from right to left begins on the right"


def test_a_swap_can_be_taken_back(page: Page) -> None:
    english = translated(page, LETTER)
    page.click("#swap")
    expect(page.locator("#source")).to_have_value(english)
    page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(page.locator("#source")).to_have_value(LETTER)
    assert final(page) == english
    assert chosen(page) == ("German", "English")


def test_a_link_that_is_opened_in_the_same_tab_is_followed(page: Page) -> None:
    translated(page, LETTER)
    page.evaluate("location.hash = '#from=en&to=de'")
    expect(page.locator("#target-language")).to_have_value("de")
    page.evaluate("location.hash = '#from=en&to=de&glossaries=unknown'")
    expect(page.locator("#toast")).to_contain_text("a glossary that this server does not have")


def test_a_link_with_detection_has_a_pair_from_the_start(open_page: Open) -> None:
    page = open_page("#from=auto&to=ar")
    assert chosen(page) == ("Detect language", "Arabic")
    expect(page.locator("#target")).to_have_attribute("dir", "rtl")
    translated(page, "xy")
    expect(page.locator("#trouble")).to_be_hidden()
