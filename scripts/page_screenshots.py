"""The screenshots of docs/guides/page.md, taken from a server with the bundled models.

python scripts/page_screenshots.py --url http://127.0.0.1:8080
"""

import argparse
import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "page"
LETTER = """Sehr geehrte Frau Weber,

vielen Dank für Ihre Anfrage vom 3. Mai. Die Wärmepumpe WP-400 liefern wir am 12. Juni nach München; \
der Preis beträgt 4.250 Euro. Bitte beachten Sie die Betriebsanleitung und lassen Sie das Gerät nur von \
einem Fachbetrieb anschließen.

Mit freundlichen Grüßen
Anna Schmidt"""
MANUAL = (
    "Vor Inbetriebnahme sind sämtliche Schrauben, Muttern, Unterlegscheiben und Dichtungen auf festen Sitz "
    "zu prüfen und gegebenenfalls nachzuziehen. Das Gerät ist danach betriebsbereit."
)
TERMS = {
    "Wärmepumpe": "heat pump",
    "Betriebsanleitung": "operating instructions",
    "Fachbetrieb": "specialist company",
    "Gerät": "appliance",
}
DOCUMENT = "Wartung.docx"
WIDE = {"viewport": {"width": 1200, "height": 760}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    url = parser.parse_args().url
    FOLDER.mkdir(parents=True, exist_ok=True)
    glossary = store_terms(url)
    used = f"#from=de&to=en&glossaries={glossary}"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (fragment, look, reach) in states(used).items():
            take(chromium, f"{url}/{fragment}", look, reach, name)
        chromium.close()
    httpx.delete(f"{url}/v1/glossaries/{glossary}")
    for document in httpx.get(f"{url}/v1/documents").json():
        if document["name"] == DOCUMENT:
            httpx.delete(f"{url}/v1/documents/{document['id']}")


State = tuple[str, dict[str, Any], Callable[[Page], None]]


def states(used: str) -> dict[str, State]:
    dark = {**WIDE, "color_scheme": "dark"}
    return {
        "letter": (used, WIDE, letter),
        "alternatives": (used, WIDE, alternatives),
        "editing": (used, WIDE, editing),
        "checks": ("#from=de&to=en", WIDE, checks),
        "language": ("#from=de&to=en", WIDE, language),
        "terms-dark": (used, {**dark, "viewport": {"width": 1200, "height": 900}}, terms),
        "matrix-dark": (used, {**dark, "viewport": {"width": 1200, "height": 1000}}, matrix),
        "trouble": ("#from=de&to=en", WIDE, trouble),
        "report": (used, WIDE, report),
        "history": (used, WIDE, history),
        "phone": (used, PHONE, letter),
        "phone-alternatives": (used, PHONE, alternatives),
        "phone-dark": (used, {**PHONE, "color_scheme": "dark"}, letter),
    }


def store_terms(url: str) -> str:
    pair = {"source_language": "de", "target_language": "en"}
    terms = [{"source": source, "targets": [target], **pair} for source, target in TERMS.items()]
    return str(httpx.post(f"{url}/v1/glossaries", json={"name": "Weber AG", "terms": terms}).json()["id"])


def take(chromium: Browser, url: str, look: dict[str, Any], reach: Callable[[Page], None], name: str) -> None:
    context = chromium.new_context(**look)
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#source-language option", state="attached")
    reach(page)
    page.wait_for_timeout(300)
    image = Image.open(io.BytesIO(page.screenshot()))
    image.save(FOLDER / f"{name}.webp", quality=82, method=6)
    context.close()


def write(page: Page, text: str) -> None:
    page.fill("#source", text)
    page.wait_for_selector("#target[data-status=final]", timeout=30_000)


def word(page: Page, text: str) -> Any:
    return page.locator("#target .word", has_text=text).first


def letter(page: Page) -> None:
    write(page, LETTER)
    if page.viewport_size and page.viewport_size["width"] > 800:
        word(page, "appliance").hover()


def alternatives(page: Page) -> None:
    write(page, LETTER)
    word(page, "question").click()
    page.wait_for_selector("#alternatives .choice")


def editing(page: Page) -> None:
    write(page, LETTER)
    word(page, "Munich").dblclick()


def checks(page: Page) -> None:
    write(page, MANUAL)
    page.click("#open-checks")
    page.locator("#check-list button").first.click()


def language(page: Page) -> None:
    write(page, "Thank you very much for your letter of 3 May. We will deliver the heat pump in June.")


def terms(page: Page) -> None:
    page.click("#terms summary")
    form = page.locator("form.add-term")
    for source, target in (("Anfrage", "enquiry"), ("Gerät", "unit")):
        form.get_by_label("Term", exact=True).fill(source)
        form.get_by_label("Its translation").fill(target)
        form.get_by_role("button").click()
    write(page, LETTER.partition("\n\n")[2].partition(" Bitte")[0])
    page.wait_for_selector(".conflict")


def matrix(page: Page) -> None:
    write(page, LETTER)
    page.click("#matrix summary")
    word(page, "Munich").hover()
    page.wait_for_selector("#matrix-drawing svg")


def trouble(page: Page) -> None:
    write(page, LETTER)
    message = '{"message": "the queue is full; try again in 4 s"}'
    refusal = {"status": 429, "content_type": "application/json", "body": message}
    page.route("**/v1/translate", lambda route: route.fulfill(**refusal))
    page.fill("#source", LETTER.replace("Juni", "Juli"))
    page.wait_for_selector("#trouble:visible")


def history(page: Page) -> None:
    write(page, "Das Gerät ist betriebsbereit. Die Wärmepumpe läuft.")
    page.click("#open-history")  # a look at it keeps the text
    page.keyboard.press("Escape")
    write(page, LETTER)
    page.click("#open-history")


def report(page: Page) -> None:
    document = docx.Document()
    document.add_heading("Wartung der Wärmepumpe")
    document.add_paragraph("Die Wärmepumpe muss jedes Jahr gewartet werden.")
    document.add_paragraph(MANUAL)
    document.add_paragraph("Lesen Sie die Betriebsanleitung, bevor Sie das Gerät öffnen.")
    content = io.BytesIO()
    document.save(content)
    page.click("#documents-tab")
    page.set_input_files(
        "#document-input",
        {"name": DOCUMENT, "mimeType": "application/octet-stream", "buffer": content.getvalue()},
    )
    page.get_by_role("button", name=f"Report on {DOCUMENT}").first.click(timeout=30_000)


if __name__ == "__main__":
    main()
