"""What a notebook shows, in a real browser: pointing at a word shows where it comes from."""

import shutil
from pathlib import Path

import pytest

import lexalign

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")


def test_pointing_at_a_word_shows_its_source(translator: lexalign.Translator, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    cells: list[lexalign.Translation | lexalign.Alignment] = [
        translator.translate("Der Ausschuss hat zugestimmt.", glossary={"Ausschuss": "panel"}),
        translator.align("Das Haus ist groß.", "The house is big."),
    ]
    shown = "".join(cell._repr_html_() for cell in cells)
    (tmp_path / "notebook.html").write_text(f'<meta charset="utf-8">{shown}', encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto((tmp_path / "notebook.html").as_uri())
        first, second = page.locator(".lexalign").all()
        first.locator(".target .term").hover()
        assert first.locator(".source .there").all_inner_texts() == ["Ausschuss"]
        assert second.locator(".there").count() == 0  # each cell is for itself
        second.locator(".source [data-word]", has_text="Haus").hover()
        assert second.locator(".target .there").all_inner_texts() == ["house"]
        browser.close()


def test_a_dark_notebook_has_light_words(translator: lexalign.Translator, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    shown = translator.translate("Der Ausschuss tagt.", glossary={"Ausschuss": "panel"})._repr_html_()
    page = f'<meta charset="utf-8"><body style="background: #111; color: rgb(238, 238, 238)">{shown}'
    (tmp_path / "notebook.html").write_text(page, encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(color_scheme="light")  # a notebook's theme is not the system's
        opened.goto((tmp_path / "notebook.html").as_uri())
        colour = "element => getComputedStyle(element).color"
        opened.locator(".target .term").hover()
        for place in (".target", ".target .term", ".source .there"):
            assert opened.locator(place).first.evaluate(colour).endswith(("(238, 238, 238)", "0.65)"))
        browser.close()
