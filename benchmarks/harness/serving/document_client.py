"""A client that has documents translated, one after another, as a browser or a CAT tool would."""

import time
import uuid

import httpx


def translate_documents(url: str, lines: list[str], seconds: float) -> dict[str, object]:
    """Upload, ask until it is done, download; for so long. A document has the lines as paragraphs."""
    until, took, failures = time.monotonic() + seconds, list[float](), list[str]()
    content = "".join(f"<p>{line}</p>\n" for line in lines).encode()
    with httpx.Client(base_url=url, timeout=120) as client:
        while time.monotonic() < until:
            started = time.monotonic()
            failure = _translate(client, content)
            if failure is None:
                took.append(time.monotonic() - started)
            else:
                failures.append(failure)
    return {
        "documents": len(took),
        "sentences": len(took) * len(lines),
        "mean_seconds": round(sum(took) / len(took), 1) if took else None,
        "failures": failures,
    }


def _translate(client: httpx.Client, content: bytes) -> str | None:
    """Why it failed, if it did; a full queue is waited for."""
    files = {"file": (f"{uuid.uuid4()}.html", content, "text/html")}
    form = {"source_language": "de", "target_language": "en"}
    while (begun := client.post("/v1/documents", files=files, data=form)).status_code == 429:
        time.sleep(int(begun.headers["retry-after"]))
    if begun.status_code != 202:
        return f"{begun.status_code} {begun.text[:100]}"
    path = f"/v1/documents/{begun.json()['id']}"
    while (state := client.get(path).json()["status"]) in ("queued", "running"):
        time.sleep(0.5)
    if state != "done":
        return f"{state} {client.get(path).json()['message']}"
    result = client.get(f"{path}/result")
    client.delete(path)
    return None if result.status_code == 200 and b"<p>" in result.content else f"result {result.status_code}"
