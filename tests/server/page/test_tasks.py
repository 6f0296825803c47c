"""Five tasks of a translator, each from an empty page, in as many steps as the guide says.

A step is a click, a file that is chosen, or a text that is typed or pasted.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path

import docx
import httpx
import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from tests.server.page.acting import final, word

TASKS = Path(__file__).parents[3] / "docs" / "research" / "page.md"
PAIR = {"source_language": "de", "target_language": "en"}
HOUND = re.compile("^hounds?$")  # a term may be inflected
LETTER = "Der kleine Hund läuft über die Straße. Ein kleiner Hund ist im Haus."
MANUAL = (
    "Vor Inbetriebnahme sind sämtliche Schrauben, Muttern, Unterlegscheiben und Dichtungen auf festen Sitz "
    "zu prüfen und gegebenenfalls nachzuziehen."
)


class Translator:
    """Counts what it does."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.num_steps = 0

    def click(self, place: Locator) -> None:
        place.click()
        self.num_steps += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True).first)

    def type(self, field: str, text: str) -> None:
        self.page.get_by_role("textbox", name=field, exact=True).fill(text)
        self.num_steps += 1

    def choose_file(self, name: str, content: bytes) -> None:
        file = FilePayload(name=name, mimeType="application/octet-stream", buffer=content)
        self.page.set_input_files("#document-input", file)
        self.num_steps += 1


@pytest.fixture
def translator(page: Page) -> Translator:
    return Translator(page)


@pytest.fixture
def client_glossary(client: httpx.Client) -> Iterator[str]:
    terms = [
        {"source": "Hund", "targets": ["hound"], **PAIR},
        {"source": "Haus", "targets": ["mansion"], **PAIR},
    ]
    made = client.post("/v1/glossaries", json={"name": "Weber AG", "terms": terms}).json()
    yield made["name"]
    client.delete(f"/v1/glossaries/{made['id']}")


def steps_in_docs(task: str) -> int:
    found = re.search(rf"^\| {re.escape(task)} \| (\d+) \|", TASKS.read_text(encoding="utf-8"), re.MULTILINE)
    assert found, task
    return int(found[1])


def written(translator: Translator, text: str) -> None:
    """A text that stands there when the task begins."""
    translator.page.fill("#source", text)
    final(translator.page)


def test_a_letter_with_a_clients_glossary(client_glossary: str, translator: Translator) -> None:
    page = translator.page
    page.reload()
    translator.type("Text to translate", LETTER)
    translator.click(page.locator("#terms summary"))
    translator.click(page.get_by_label(f"Use {client_glossary}"))
    final(page)
    expect(page.locator("#target .word.term")).to_have_text([HOUND, HOUND, "mansion"])
    translator.press("Copy")
    expect(page.locator("#copy")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").count("hound") == 2
    assert translator.num_steps == steps_in_docs("translate a letter with a client's glossary")


def test_a_term_is_corrected_everywhere(translator: Translator) -> None:
    written(translator, LETTER)
    translator.click(word(translator.page, "dog"))
    translator.type("Another wording", "hound")
    translator.press("Always translate it so")
    expect(translator.page.locator("#target .word.term")).to_have_text([HOUND, HOUND])
    assert translator.num_steps == steps_in_docs("correct a term everywhere")


def test_a_docx_and_its_report(translator: Translator) -> None:
    document, content = docx.Document(), io.BytesIO()
    document.add_paragraph(MANUAL)
    document.save(content)
    page = translator.page
    translator.click(page.locator("#documents-tab"))
    translator.choose_file("Wartung.docx", content.getvalue())
    page.get_by_role("button", name="Report on Wartung.docx").first.wait_for()
    translator.press("Report on Wartung.docx")
    expect(page.locator("#report")).to_contain_text(
        "Nothing seems to come from “auf festen Sitz”. (segment 1)"
    )
    translator.press("Close")
    with page.expect_download() as download:
        translator.press("Download Wartung.docx")
    assert download.value.suggested_filename == "Wartung.en.docx"
    assert translator.num_steps == steps_in_docs("translate a DOCX and read the report")


def test_another_wording(translator: Translator) -> None:
    written(translator, LETTER)
    translator.click(word(translator.page, "small"))
    choice = translator.page.locator("#alternatives .choice").first
    picked = choice.evaluate("one => one.firstChild.textContent")
    translator.click(choice)
    expect(translator.page.locator("#target .own")).to_contain_text(picked)
    assert translator.num_steps == steps_in_docs("choose another wording")


def test_what_was_left_out(translator: Translator) -> None:
    written(translator, MANUAL)
    translator.press("Check one place")
    translator.press("Nothing in the translation seems to come from “auf festen Sitz”.")
    expect(translator.page.locator("#mirror .word.pointed")).to_have_text(["auf", "festen", "Sitz"])
    assert translator.num_steps == steps_in_docs("find what was left out")
