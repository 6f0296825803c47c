"""The server's own API."""

import json

import httpx
import pytest

from lexalign.translator import TranslateOptions, Translator
from tests.server.small_server import LiveServer, make_sentences

TEXT = "der kleine Hund läuft über die lange Straße"
PAIR = {"source_language": "de", "target_language": "en"}
TERMS = [{"source": "Hund", "targets": ["München"]}, {"source": "lange Straße", "targets": ["Haus", "groß"]}]


@pytest.fixture(scope="module")
def translator(server: LiveServer) -> Translator:
    return Translator.load(server.options.models[0].folder, device="cpu", precision="int8")


def translate(client: httpx.Client, text: object, **more: object) -> dict:  # type: ignore[type-arg]
    found = client.post("/v1/translate", json={"text": text, **PAIR, **more})
    assert found.status_code == 200, found.text
    return found.json()  # type: ignore[no-any-return]


def test_translations_are_those_of_the_translator(client: httpx.Client, translator: Translator) -> None:
    texts = make_sentences(12, seed=3)
    options = TranslateOptions(n_best=2, align="post-aln", workers=1)
    expected = translator.translate(texts, options)
    found = translate(client, texts, alternatives=1)
    assert (found["model"], found["source_language"], found["target_language"]) == ("de-en", "de", "en")
    for one, other in zip(found["translations"], expected, strict=True):
        assert one["text"] == other.text
        assert one["score"] == pytest.approx(other.score, abs=1e-6)
        assert [alternative["text"] for alternative in one["alternatives"]] == [other.alternatives[0].text]
        assert [(link["source"], link["target"]) for link in one["alignment"]] == [
            (list(link.source), list(link.target)) for link in other.links
        ]


def test_terms_are_met_and_told_of(client: httpx.Client) -> None:
    (found,) = translate(client, TEXT, glossary=TERMS)["translations"]
    assert [term["source"] for term in found["terms"]] == [[11, 15], [31, 43]]
    for term, wanted in zip(found["terms"], TERMS, strict=True):
        assert term["met"]
        assert term["form"] == found["text"][slice(*term["target"])]
        assert term["form"] in wanted["targets"]
        assert 0 <= term["probability"] <= 1
        assert term["entries"][0]["source"] == wanted["source"]
        assert "glossary" in term["explanation"]


def test_sentences_and_lines_are_put_together_again(client: httpx.Client, translator: Translator) -> None:
    sentences = ["Das Haus ist groß.", "Der Hund läuft.", "Und der Hund ist klein."]
    text = f"  {sentences[0]} {sentences[1]}\n\n{sentences[2]}\n"
    (found,) = translate(client, text, glossary=[{"source": "klein", "targets": ["Haus"]}])["translations"]
    parts = [translator.translate(sentence, TranslateOptions(workers=1)).text for sentence in sentences[:2]]
    assert found["text"].startswith(f"  {parts[0]} {parts[1]}\n\n")
    assert found["text"].endswith("\n")
    (term,) = found["terms"]
    assert text[slice(*term["source"])] == "klein"
    assert found["text"][slice(*term["target"])] == "Haus"
    for link in found["alignment"]:
        assert text[slice(*link["source"])].strip()
        assert found["text"][slice(*link["target"])].strip()
    lines = translate(client, text, split_sentences=False)["translations"][0]["text"]
    together = TranslateOptions(workers=1, sentences=False)
    assert lines.startswith("  " + translator.translate(" ".join(sentences[:2]), together).text)


def test_empty_texts_stay_empty(client: httpx.Client) -> None:
    found = translate(client, ["", " \n ", "das Haus"])["translations"]
    assert [one["text"] for one in found[:2]] == ["", " \n "]
    assert found[2]["text"]


def test_options_count(client: httpx.Client, translator: Translator) -> None:
    greedy = translator.translate(TEXT, TranslateOptions(beam=1, workers=1)).text
    (found,) = translate(client, TEXT, beam=1, align=False, policy="none", glossary=TERMS)["translations"]
    assert found["text"] == greedy
    assert found["alignment"] == []
    assert len(found["terms"]) == 2


def test_align(client: httpx.Client) -> None:
    pairs = [{"source": "das Haus ist groß", "target": "der Hund läuft"}]
    answer = client.post("/v1/align", json={"pairs": pairs, "matrix": True, **PAIR}).json()
    (found,) = answer["pairs"]
    assert [pairs[0]["source"][slice(*span)] for span in found["words"]["source"]] == [
        "das",
        "Haus",
        "ist",
        "groß",
    ]
    assert [len(row) for row in found["matrix"]] == [4, 4, 4]
    for row in found["matrix"]:
        assert 0 < sum(row) <= 1 + 1e-4  # the rest is the end of the sentence's
    for link in found["alignment"]:
        row = found["matrix"][found["words"]["target"].index(link["target"])]
        assert row[found["words"]["source"].index(link["source"])] > 0


def test_matrices_are_bounded(client: httpx.Client) -> None:
    pairs = [{"source": "das Haus " * 20, "target": "der Hund " * 20}] * 1000
    assert client.post("/v1/align", json={"pairs": pairs[:1], **PAIR}).json()["pairs"][0]["matrix"] is None
    for option in ("matrix", "subwords"):
        refused = client.post("/v1/align", json={"pairs": pairs, option: True, **PAIR})
        assert refused.status_code == 413
        assert "2,000,000 probabilities" in refused.json()["message"]


def test_stream(client: httpx.Client, translator: Translator) -> None:
    text = f"{TEXT}. Und das Haus ist groß."
    with client.stream("POST", "/v1/stream", json={"text": text, "glossary": TERMS, **PAIR}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        events = [block.split("\n") for block in "".join(response.iter_text()).strip().split("\n\n")]
    names = [lines[0].removeprefix("event: ") for lines in events]
    data = [json.loads(lines[1].removeprefix("data: ")) for lines in events]
    assert names == ["token"] * (len(names) - 1) + ["translation"]
    parts = [f"{TEXT}.", "Und das Haus ist groß."]
    drafts = ["".join(token.text for token in translator.stream(part)) for part in parts]
    assert "".join(token["text"] for token in data[:-1]) == " ".join(drafts)
    assert all(text[slice(*token["source"])] and 0 < token["probability"] <= 1 for token in data[:-1])
    assert data[-1] == translate(client, text, glossary=TERMS)


def test_a_draft_counts_though_its_client_leaves(client: httpx.Client) -> None:
    def used() -> int:
        return int(client.get("/v2/usage").json()["character_count"])

    before, text = used(), "das Haus ist groß"
    with client.stream("POST", "/v1/stream", json={"text": text, **PAIR}) as response:
        told = response.iter_lines()
        assert next(told) == "event: token"
        assert used() == before + len(text)
        assert "event: translation" in list(told)
    assert used() == before + len(text)


def test_glossaries_are_kept_used_replaced_and_forgotten(client: httpx.Client) -> None:
    made = client.post("/v1/glossaries", json={"name": "Hunde", "terms": TERMS})
    assert made.status_code == 201
    identifier = made.json()["id"]
    assert made.json()["terms"] == 2
    assert identifier in [one["id"] for one in client.get("/v1/glossaries").json()]
    kept = client.get(f"/v1/glossaries/{identifier}").json()
    assert [term["targets"] for term in kept["entries"]] == [term["targets"] for term in TERMS]
    assert translate(client, TEXT, glossary_id=identifier) == translate(client, TEXT, glossary=TERMS)
    both = translate(client, TEXT, glossary_id=identifier, glossary=[{"source": "über", "targets": ["ist"]}])
    assert len(both["translations"][0]["terms"]) == 3
    changed = {"name": "Hund", "terms": TERMS[:1]}
    assert client.put(f"/v1/glossaries/{identifier}", json=changed).json()["terms"] == 1
    assert translate(client, TEXT, glossary_id=identifier) == translate(client, TEXT, glossary=TERMS[:1])
    assert client.delete(f"/v1/glossaries/{identifier}").status_code == 204
    for gone in (
        client.get(f"/v1/glossaries/{identifier}"),
        client.delete(f"/v1/glossaries/{identifier}"),
        client.post("/v1/translate", json={"text": TEXT, "glossary_id": identifier, **PAIR}),
    ):
        assert gone.status_code == 404
        assert gone.json()["message"] == "there is no such glossary"


@pytest.mark.parametrize("format", ["csv", "tsv", "tbx", "tmx"])
def test_glossary_files(client: httpx.Client, format: str) -> None:
    parameters = {"format": format, **PAIR}
    terms = [{"source": "Haus", "targets": ["house", "home"]}, {"source": "Hund", "targets": ["dog"]}]
    written = client.post("/v1/glossary-files/write", params=parameters, json={"name": "x", "terms": terms})
    assert written.status_code == 200
    read = client.post("/v1/glossary-files/read", params=parameters, content=written.content)
    assert [(one["source"], one["targets"]) for one in read.json()] == [
        (one["source"], one["targets"]) for one in terms
    ]


def test_status(client: httpx.Client) -> None:
    translate(client, "das Haus")
    health = client.get("/health").json()
    assert health["status"] == "ok"
    assert health["models"] == ["de-en", "en-de"]
    assert [model["aligner"] for model in client.get("/v1/models").json()] == ["post-aln", "post-aln"]
    metrics = client.get("/metrics").text
    for name in (
        'lexalign_requests_total{route="/v1/translate",status="200"}',
        "lexalign_request_seconds_bucket",
        "lexalign_waiting_tokens 0.0",
        "lexalign_batch_sentences_bucket",
        "lexalign_source_tokens_total",
    ):
        assert name in metrics
