"""Words light up with what they come from; the matrix has the same numbers."""

import re
from pathlib import Path

import httpx
from playwright.sync_api import Page, expect

from tests.server.page.acting import translated, word
from tests.server.page.conftest import Open

TEXT = "Das Haus ist groß, sagte Dr. Müller."
PAIR = {"source_language": "de", "target_language": "en"}


def percent_on_hover(page: Page) -> int:
    word(page, "Müller").hover()
    tooltip = page.locator("#tooltip")
    expect(tooltip).to_contain_text("← Müller")
    found = re.search(r"Müller (\d+) %", tooltip.text_content() or "")
    assert found
    return int(found[1])


def test_partners_light_up_from_both_sides(page: Page) -> None:
    translated(page, TEXT)
    word(page, "house").hover()
    expect(page.locator("#mirror .word.lit")).to_have_text(["Haus"])
    box = page.locator("#mirror .word.lit").bounding_box()
    assert box is not None
    page.mouse.move(0, 0)
    expect(page.locator(".word.lit")).to_have_count(0)
    expect(page.locator("#tooltip")).to_be_hidden()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("#target .word.lit")).to_have_text(["house"])
    expect(page.locator("#tooltip")).to_contain_text("→ house")


def test_the_caret_in_the_source_lights_up_its_translation(page: Page) -> None:
    translated(page, TEXT)
    page.mouse.move(0, 0)
    page.focus("#source")
    page.evaluate("document.querySelector('#source').setSelectionRange(6, 6)")
    expect(page.locator("#target .word.lit")).to_have_text(["house"])


def test_the_translation_is_read_word_by_word_with_the_keyboard(page: Page) -> None:
    translated(page, TEXT)
    page.focus("#source")
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "target":
            break
    page.keyboard.press("ArrowRight")
    expect(page.locator("#target .chosen")).to_have_text(["house"])
    expect(page.locator("#announcer")).to_contain_text("house. from Haus")
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator("#target .chosen")).to_have_text(["house", "is"])
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#target .chosen")).to_have_count(1)


def test_hover_and_matrix_have_the_probabilities_of_the_api(page: Page, client: httpx.Client) -> None:
    target = translated(page, TEXT)
    percent = percent_on_hover(page)
    page.click("#matrix summary")
    title = page.locator("#matrix-drawing title", has_text="Müller ← Müller")
    expect(title).to_have_text(f"Müller ← Müller {percent} %")
    pair = {"source": TEXT, "target": target}
    answer = client.post("/v1/align", json={"pairs": [pair], "subwords": True, **PAIR}).json()["pairs"][0]
    tokens = answer["subwords"]
    names = [TEXT.index("Müller"), target.index("Müller")]
    own = [
        [index for index, (start, end) in enumerate(tokens[side]) if name <= start < name + 6]
        for side, name in zip(("source", "target"), names, strict=True)
    ]
    total = sum(tokens["matrix"][row][column] for row in own[1] for column in own[0])
    assert percent == round(100 * total / len(own[1]))


def test_the_matrix_is_of_one_sentence_with_punctuation_apart(page: Page) -> None:
    translated(page, f"Ja. {TEXT} " + "Wir fahren morgen nach München. " * 20)
    page.click("#matrix summary")
    word(page, "house").hover()
    expect(page.locator("#matrix-drawing svg text", has_text="Haus")).to_have_count(1)
    columns = page.locator("#matrix-drawing svg text[transform]").all_text_contents()
    assert columns == ["Das", "Haus", "ist", "groß", ",", "sagte", "Dr", ".", "Müller", "."]


def test_the_matrix_is_saved_as_svg_and_png(page: Page) -> None:
    translated(page, TEXT)
    page.click("#matrix summary")
    page.wait_for_selector("#matrix-drawing svg")
    with page.expect_download() as svg:
        page.click("#save-svg")
    drawing = Path(svg.value.path()).read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert "Müller" in drawing
    with page.expect_download() as png:
        page.click("#save-png")
    assert Path(png.value.path()).read_bytes().startswith(b"\x89PNG")


def test_the_mouse_crosses_other_sentences_on_its_way_to_the_matrix(page: Page) -> None:
    translated(page, f"{TEXT} Wir fahren morgen. Ja.")
    page.click("#matrix summary")
    word(page, "house").hover()
    drawn = page.locator("#matrix-drawing svg text", has_text="Haus")
    expect(drawn).to_have_count(1)
    word(page, "morrow").evaluate(  # without a pause, however slow the machine is
        "one => { one.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));"
        "target.dispatchEvent(new MouseEvent('mouseleave')); }"
    )
    page.wait_for_timeout(400)
    expect(drawn).to_have_count(1)


def test_a_matrix_of_a_long_sentence_draws_what_is_to_be_seen(page: Page) -> None:
    translated(page, "Das Haus ist groß und der Hund ist klein " * 15)
    page.click("#matrix summary")
    page.wait_for_selector("#matrix-drawing svg")
    assert page.locator("#matrix-drawing rect").count() < 2_000


def test_a_sentence_that_cannot_be_aligned_says_so(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    page.route("**/v1/align", lambda route: route.fulfill(status=400, json={"message": "too long"}))
    translated(page, TEXT)
    page.click("#matrix summary")
    expect(page.locator("#matrix-drawing")).to_have_text("The alignment of this sentence cannot be had now.")
