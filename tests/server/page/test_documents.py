"""Documents: dropped, followed, downloaded with a report on their terms, and found again."""

import io
from pathlib import Path

import docx
import httpx
import pytest
from playwright.sync_api import FilePayload, Page, Route, expect

from tests.server.page.acting import add_term, drop
from tests.server.page.conftest import Open


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    document = docx.Document()
    document.add_heading("Das Haus")
    document.add_paragraph("Das Haus ist groß. Der kleine Hund läuft über die Straße.")
    document.save(str(tmp_path / "Brief.docx"))
    return tmp_path / "Brief.docx"


def test_a_docx_is_translated_with_terms_and_a_report(page: Page, letter: Path) -> None:
    add_term(page, "Haus", "mansion")
    page.click("#documents-tab")
    page.set_input_files("#document-input", letter)
    job = page.locator(".job", has_text="Brief.docx").first
    expect(job).to_contain_text("2 terms met")
    expect(job).to_contain_text("German → English")
    with page.expect_download() as download:
        job.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "Brief.en.docx"
    translated = docx.Document(io.BytesIO(Path(download.value.path()).read_bytes()))
    text = "\n".join(one.text for one in translated.paragraphs)
    assert "mansion" in text
    assert "dog" in text
    job.get_by_role("button", name="Report").click()
    report = page.locator("#report")
    assert "document.xml" not in (report.text_content() or "")
    expect(report.locator("tbody tr")).to_have_count(1)
    expect(report.locator("tbody tr").first).to_contain_text("mansion")


def test_past_documents_are_listed_and_deleted_with_a_way_back(page: Page, client: httpx.Client) -> None:
    drop(page, "#source", "notes.txt", "Das Haus ist groß.\n")  # on the text, which leads to the documents
    job = page.locator(".job", has_text="notes.txt")
    expect(job.get_by_role("button", name="Download")).to_be_visible(timeout=20_000)
    page.reload()
    page.click("#documents-tab")
    job.first.get_by_role("button", name="Delete").click()
    expect(job).to_have_count(0)
    page.locator("#toast").get_by_role("button", name="Undo").click()
    expect(job).to_have_count(1)
    assert any(one["name"] == "notes.txt" for one in client.get("/v1/documents").json())


def test_progress_is_shown_and_can_be_ended(page: Page) -> None:
    states = iter(
        [{"status": "queued", "done": 0, "total": 0}, {"status": "running", "done": 3, "total": 12}]
    )
    last = {"status": "cancelled", "done": 3, "total": 12}
    cancelled: list[str] = []

    def answer(route: Route) -> None:
        state = last if cancelled else next(states, {"status": "running", "done": 9, "total": 12})
        job = {"id": "1", "name": "book.html", "created": "2026-01-01T00:00:00+00:00", "counts": {}, **state}
        route.fulfill(json=[job])

    def cancel(route: Route) -> None:
        cancelled.append("1")
        route.fulfill(json={})

    page.route("**/v1/documents", answer)
    page.route("**/v1/documents/1/cancel", cancel)
    page.click("#documents-tab")
    expect(page.locator(".job")).to_contain_text("3 of 12 sentences")
    end = page.get_by_role("button", name="Cancel book.html")
    end.focus()
    expect(page.locator(".job progress")).to_have_attribute("value", "9")
    expect(end).to_be_focused()  # progress takes no button from under somebody's finger
    page.keyboard.press("Enter")
    expect(page.locator(".job")).to_contain_text("Cancelled")


def test_a_file_that_is_no_document_is_refused_with_a_reason(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    page.click("#documents-tab")
    drop(page, "#documents-view", "program.exe", "MZ\0\0")
    expect(page.locator("#document-trouble")).to_contain_text("program.exe:")


def test_each_refused_file_is_named(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    page.click("#documents-tab")
    files = [FilePayload(name=f"{name}.exe", mimeType="", buffer=b"MZ\0\0") for name in ("one", "two")]
    page.set_input_files("#document-input", files)
    for name in ("one.exe:", "two.exe:"):
        expect(page.locator("#document-trouble")).to_contain_text(name)


def test_what_takes_a_file_is_marked_while_it_is_held_above(page: Page) -> None:
    data = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File([''], 'a')); return data; }"
    )
    page.dispatch_event("#source", "dragover", {"dataTransfer": data})
    expect(page.locator(".dropping")).to_have_attribute("data-drop", "Drop it to translate it as a document")
    page.dispatch_event("#terms summary", "dragover", {"dataTransfer": data})
    expect(page.locator(".dropping")).to_have_attribute("data-drop", "Drop it to add its terms")
    page.dispatch_event("#terms summary", "dragleave")
    expect(page.locator(".dropping")).to_have_count(0)


def test_a_name_is_told_once(open_page: Open) -> None:
    page = open_page("#from=de&to=en", expect_errors=True)
    drop(page, "#source", "program.exe", "MZ\0\0")
    expect(page.locator("#document-trouble")).to_contain_text("program.exe: its name")
    assert (page.text_content("#document-trouble") or "").lower().count("program.exe") == 1
