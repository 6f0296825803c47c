"""The time from the last key to the final text on the page, beside the API's own time for what has changed.

    python benchmarks/page_latency.py --json page.json

Starts `lexalign serve` with the bundled models, opens its page in Chromium, and changes one word of a text
again and again: of one sentence, of a page of 3,000 characters, and of 20,000. A time on the page is from the
event of the text field to the moment when the translation is final, the page's own pause of 120 ms included.
Beside it stand `POST /v1/translate` of the changed sentence alone, over one connection, and the CPU time that
a key in the middle of the text takes of the browser's main thread.
"""

import argparse
import os
import shutil
import statistics
import time
from itertools import count, cycle

import httpx
from playwright.sync_api import CDPSession, Page, sync_playwright

from harness.machine import signature
from harness.options import make_parser, write_json
from harness.serving.server import running_server

_PAIR = {"source_language": "de", "target_language": "en"}
_CHANGED = "Das Parlament hat den Bericht der Kommission gestern mit großer Mehrheit angenommen."
_SENTENCES = (
    "Das Haus am Ende der Straße ist sehr groß.",
    "Gestern hat es den ganzen Tag geregnet, und heute scheint wieder die Sonne.",
    "Zwei Kinder spielen mit einem Hund im Park, während ihre Eltern auf einer Bank sitzen.",
    "Die Regierung will das Gesetz noch in diesem Jahr ändern.",
    "Ein Mann in einem blauen Hemd steht auf einer Leiter und putzt ein Fenster.",
    "Bitte senden Sie uns die unterschriebenen Unterlagen bis Ende des Monats zurück.",
    "Der Vertrag tritt in Kraft, sobald beide Seiten ihn unterzeichnet haben.",
)
_WORDS = ("Bericht", "Vorschlag", "Plan", "Entwurf", "Antrag", "Haushalt")
_TYPED = "Ein neuer Satz steht hier. "
_fresh_number = count(11)
_WATCH = """() => {
  const source = document.querySelector("#source"), target = document.querySelector("#target");
  let key = 0;
  window.times = [];
  source.addEventListener("input", () => (key = performance.now()), true);
  new MutationObserver(() => {
    if (!key || target.dataset.status !== "final") return;
    window.times.push(performance.now() - key);
    key = 0;
  }).observe(target, { attributes: true, attributeFilter: ["data-status"] });
}"""


def main() -> None:
    arguments = parse_arguments()
    texts = {"one sentence": _CHANGED}
    for number in (3_000, 20_000):
        text = page_of(number)
        texts[f"{len(text):,} characters"] = text
    with (
        running_server("--workers", str(arguments.workers)) as server,
        httpx.Client(base_url=server.url, timeout=60) as client,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = opened(chromium.new_page(), server.url)
        rows = [measure(page, client, name, text, arguments.repeats) for name, text in texts.items()]
        chromium.close()
    print("| one word changed in | last key to final text, median | 90 % | API | CPU time of a key |")
    print("|---|---|---|---|---|")
    for row in rows:
        times = (row["page_ms"], row["page_90_ms"], row["api_ms"], row["key_cpu_ms"])
        print(f"| {row['name']} | {' | '.join(f'{time} ms' for time in times)} |")
    settings = {"workers": arguments.workers, "cores": len(os.sched_getaffinity(0))}
    write_json(arguments.json, {**signature("cpu", **settings), "rows": rows})


def parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="few repeats")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.repeats = 5
    return arguments


def page_of(num_characters: int) -> str:
    """Sentences in paragraphs of five; the one to be changed is the tenth."""
    parts: list[str] = []
    for number, sentence in enumerate(cycle(_SENTENCES), start=1):
        parts.append(_CHANGED if number == 10 else sentence.replace(".", f", zum {number}. Mal."))
        parts.append(" " if number % 5 else "\n\n")
        if sum(map(len, parts)) >= num_characters:
            return "".join(parts).strip()
    raise AssertionError


def opened(page: Page, url: str) -> Page:
    page.goto(f"{url}/#from=de&to=en")
    page.wait_for_selector("#source-language option", state="attached")
    page.evaluate(_WATCH)
    return page


def measure(page: Page, client: httpx.Client, name: str, text: str, repeats: int) -> dict[str, object]:
    page_times(page, [text])
    shown = page_times(page, variants(text, repeats))
    api = api_times(client, variants(_CHANGED, repeats))
    return {
        "name": name,
        "page_ms": round(statistics.median(shown)),
        "page_90_ms": round(statistics.quantiles(shown, n=10)[-1]),
        "api_ms": round(statistics.median(api)),
        "key_cpu_ms": round(key_time(page, len(text) // 2)),
    }


def variants(text: str, number: int) -> list[str]:
    """The text with one word changed, in another way each time: the page remembers what it has translated."""
    changed = [f"{_WORDS[index % 6]} {next(_fresh_number)}" for index in range(number)]
    return [text.replace("Bericht", word, 1) for word in changed]


def page_times(page: Page, texts: list[str]) -> list[float]:
    for text in texts:
        before = page.evaluate("window.times.length")
        page.fill("#source", text)
        while page.evaluate("window.times.length") == before:
            time.sleep(0.02)
    found: list[float] = page.evaluate(f"window.times.slice(-{len(texts)})")
    return found


def key_time(page: Page, place: int) -> float:
    page.evaluate("place => { source.focus(); source.setSelectionRange(place, place); }", place)
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = main_thread_time(browser)
    for letter in _TYPED:
        page.keyboard.type(letter)
        page.wait_for_timeout(50)
    spent = main_thread_time(browser) - before
    browser.detach()
    page.wait_for_selector("#target[data-status=final]", timeout=60_000)
    return 1000 * spent / len(_TYPED)


def main_thread_time(browser: CDPSession) -> float:
    metrics = browser.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def api_times(client: httpx.Client, texts: list[str]) -> list[float]:
    found = []
    for text in texts:
        started = time.perf_counter()
        client.post("/v1/translate", json={"text": text, **_PAIR}).raise_for_status()
        found.append(1000 * (time.perf_counter() - started))
    return found


if __name__ == "__main__":
    main()
