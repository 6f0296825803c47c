"""Every interface of the product: texts become translations as a user would call for them."""

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from lexalign.cli.main import app
from lexalign.translator import AlignedSentences, TranslateOptions, Translator

Texts = Sequence[str]
Interface = Callable[[Texts], list[str]]
Post = Callable[[str, dict[str, object]], dict[str, object]]  # to a server: a path and a body, and the answer

_XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="x" source-language="{source}" target-language="{target}" datatype="plaintext"><body>
{units}
</body></file></xliff>
"""


@dataclass(frozen=True, kw_only=True)
class Interfaces:
    """Translations by one model; files go to a folder."""

    model: Path
    languages: tuple[str, str]
    folder: Path
    beam: int = 5
    post: Post | None = None  # where a server runs

    def all(self) -> dict[str, Interface]:
        found: dict[str, Interface] = {
            "Python": self.python,
            "stream": self.stream,
            "translate": self.command,
            "text file": lambda texts: self.document(texts, "txt", "\n".join, str.splitlines),
            "HTML": lambda texts: self.document(texts, "html", _html, _from_html),
            "XLIFF": lambda texts: self.document(texts, "xlf", self._xliff, _from_xliff),
            "PO": lambda texts: self.document(texts, "po", _po, _from_po),
            "corpus": self.corpus,
        }
        if self.post is not None:
            found |= {"/v1": self.server, "DeepL": self.deepl, "LibreTranslate": self.libre}
        return found

    def python(self, texts: Texts) -> list[str]:
        found = self._load().translate(list(texts), TranslateOptions(beam=self.beam, workers=1))
        return [one.text for one in found]

    def stream(self, texts: Texts) -> list[str]:
        translator = self._load()
        return ["".join(token.text for token in translator.stream(text)) for text in texts]

    def sentences(self, texts: Texts) -> list[str]:
        options = TranslateOptions(beam=self.beam, workers=1, align="post-aln", sentences=False)
        return [
            one.target for one in AlignedSentences(translator=self._load(), options=options).translate(texts)
        ]

    def command(self, texts: Texts) -> list[str]:
        source, target = self.folder / "lines.in", self.folder / "lines.out"
        source.write_text("\n".join(texts) + "\n", encoding="utf-8")
        self._run("translate", "--input", source, "--output", target)
        return target.read_text(encoding="utf-8").splitlines()

    def document(
        self, texts: Texts, suffix: str, write: Callable[[Texts], str], read: Callable[[str], list[str]]
    ) -> list[str]:
        source, target = self.folder / f"in.{suffix}", self.folder / f"out.{suffix}"
        source.write_text(write(texts), encoding="utf-8")
        self._run("translate-file", source, target)
        return read(target.read_text(encoding="utf-8"))

    def corpus(self, texts: Texts) -> list[str]:
        source, target = self.folder / "corpus.in", self.folder / "corpus"
        source.write_text("\n".join(texts) + "\n", encoding="utf-8")
        self._run("translate-corpus", source, target, "--engine", "local", "--workers", 1)
        rows = [
            json.loads(line)
            for path in sorted(target.glob("**/*.jsonl"))
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        return [
            row["translation"] for row in sorted(rows, key=lambda row: row["row"]) if "translation" in row
        ]

    def server(self, texts: Texts) -> list[str]:
        source, target = self.languages
        body = {"source_language": source, "target_language": target, "beam": self.beam}
        found: list[str] = []
        for start in range(0, len(texts), 50):
            answer = self._post("/v1/translate", {"text": list(texts[start : start + 50]), **body})
            found += [one["text"] for one in answer["translations"]]  # type: ignore[attr-defined]
        return found

    def deepl(self, texts: Texts) -> list[str]:
        source, target = self.languages
        found: list[str] = []
        for start in range(0, len(texts), 50):
            body = {"text": list(texts[start : start + 50]), "source_lang": source, "target_lang": target}
            answer = self._post("/v2/translate", body)  # type: ignore[arg-type]
            found += [one["text"] for one in answer["translations"]]  # type: ignore[attr-defined]
        return found

    def libre(self, texts: Texts) -> list[str]:
        source, target = self.languages
        answer = self._post("/translate", {"q": list(texts), "source": source, "target": target})
        found: list[str] = answer["translatedText"]  # type: ignore[assignment]
        return found

    def _load(self) -> Translator:
        return Translator.load(self.model, device="cpu")

    def _post(self, path: str, body: dict[str, object]) -> dict[str, object]:
        assert self.post is not None
        return self.post(path, body)

    def _run(self, *arguments: object) -> None:
        source, target = self.languages
        given = [
            "--model",
            self.model,
            "--from",
            source,
            "--to",
            target,
            "--beam",
            self.beam,
            "--device",
            "cpu",
        ]
        app([str(one) for one in (*arguments, *given)], prog_name="lexalign", standalone_mode=False)

    def _xliff(self, texts: Texts) -> str:
        units = "\n".join(
            f'<trans-unit id="{number}"><source>{escape(text)}</source></trans-unit>'
            for number, text in enumerate(texts)
        )
        return _XLIFF.format(source=self.languages[0], target=self.languages[1], units=units)


def _html(texts: Texts) -> str:
    return (
        "<html><body>\n" + "\n".join(f"<p>{html.escape(text)}</p>" for text in texts) + "\n</body></html>\n"
    )


def _from_html(content: str) -> list[str]:
    return [html.unescape(text) for text in re.findall(r"<p>(.*?)</p>", content)]


def _from_xliff(content: str) -> list[str]:
    from lxml import etree

    units = etree.fromstring(content.encode()).iter("{*}target")
    return ["".join(unit.itertext()) for unit in units]


def _po(texts: Texts) -> str:
    import polib

    file = polib.POFile()
    file.metadata = {"Content-Type": "text/plain; charset=utf-8"}
    for number, text in enumerate(texts):
        file.append(polib.POEntry(msgid=text, msgctxt=str(number)))
    return str(file)


def _from_po(content: str) -> list[str]:
    import polib

    return [entry.msgstr for entry in polib.pofile(content)]
