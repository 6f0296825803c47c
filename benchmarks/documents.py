"""What the document formats cost beside the translation, per megabyte, and on files that are made to be slow.

    python benchmarks/documents.py --json documents.json
    python benchmarks/documents.py --quick --translate de en

For each format a document of two sizes is made from units of its kind. `read` is the time to find its
segments and their sentences, `write` that to set tags into the translations and to write the document; the
translations are the sources themselves, so no model takes part. The growth is the exponent between the sizes:
1 is linear. Peak memory is that of Python's objects while a document is read. With
`--translate` the bundled model translates 64 such sentences, for comparison. Hostile documents are a fifth as large.
"""

# ruff: noqa: E501 (units of documents, each in one line)

import io
import math
import time
import tracemalloc
import zipfile
from contextlib import suppress
from dataclasses import dataclass

from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.contracts.alignment import SpanLink, TextAlignment
from lexalign.contracts.errors import LexalignError
from lexalign.markup import DocumentOptions, DocumentTranslation, FormatName, read_document
from lexalign.markup.units import units_of

_OPTIONS = DocumentOptions(target_language="en", columns=("text",))
_SENTENCE = "Die rote Lampe von Raum {i} brennt, wenn die Pumpe läuft."
_WORD_PARAGRAPH = (
    "<w:p><w:r><w:t xml:space='preserve'>Die </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>rote Lampe</w:t></w:r>"
    "<w:r><w:t xml:space='preserve'> von Raum {i} brennt, wenn die Pumpe läuft.</w:t></w:r></w:p>"
)
_SLIDE_PARAGRAPH = _WORD_PARAGRAPH.replace("w:", "a:").replace(" xml:space='preserve'", "")


@dataclass(frozen=True)
class Kind:
    """A document: its beginning, a unit that is repeated, its end."""

    format: FormatName
    unit: str
    start: str = ""
    end: str = ""
    part: str | None = None  # the part of a package

    def make(self, size: int) -> bytes:
        count = max(1, size // len(self.unit))
        body = "".join(self.unit.replace("{i}", str(index)) for index in range(count))
        content = (self.start + body + self.end).encode()
        return _package(self.part, content) if self.part else content


def _package(part: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(part, content)
        made.writestr("ppt/presentation.xml", "<p:x/>")
    return buffer.getvalue()


_XLIFF1 = (
    '<xliff version="1.2"><file source-language="de" target-language="en" original="x" datatype="x"><body>'
)
KINDS = (
    Kind("text", f"{_SENTENCE}\n"),
    Kind("markdown", "## Raum {i}\n\nDie **rote Lampe** von [Raum {i}](r.md) brennt, wenn\ndie `Pumpe` läuft.\n\n"),
    Kind("html", "<p>Die <b>rote Lampe</b> von Raum {i} brennt, wenn die Pumpe läuft.</p>\n"),
    Kind("xml", "<p>Die <b>rote Lampe</b> von Raum {i} brennt, wenn die Pumpe läuft.</p>\n", "<a>", "</a>"),
    Kind("xliff1", '<trans-unit id="{i}"><source>Die <g id="1">rote Lampe</g>, Raum {i}, brennt.</source></trans-unit>\n', _XLIFF1, "</body></file></xliff>"),
    Kind("po", f'msgid "{_SENTENCE}"\nmsgstr ""\n\n', 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'),
    Kind("json", f'"k{{i}}": "{_SENTENCE}",\n', "{", '"ende": "Ende"}'),
    Kind("yaml", f'  k{{i}}: "{_SENTENCE}"\n', "de:\n"),
    Kind("properties", f"k.{{i}} = {_SENTENCE}\n"),
    Kind("android", f'<string name="k{{i}}">{_SENTENCE}</string>\n', "<resources>", "</resources>"),
    Kind("strings", f'"k{{i}}" = "{_SENTENCE}";\n'),
    Kind("xcstrings", '"Die Lampe {i} brennt" : { "comment" : "x" },\n', '{"sourceLanguage" : "de", "strings" : {', '"Ende" : {}}, "version" : "1.0"}'),
    Kind("fluent", f"k{{i}} = {_SENTENCE}\n"),
    Kind("srt", f"{{i}}\n00:00:01,000 --> 00:00:02,000\n{_SENTENCE}\n\n"),
    Kind("vtt", f"00:01.000 --> 00:02.000\n{_SENTENCE}\n\n", "WEBVTT\n\n"),
    Kind("csv", f'{{i}},"{_SENTENCE}",x\n', "id,text,note\n"),
    Kind("docx", _WORD_PARAGRAPH, "<w:document xmlns:w='w'><w:body>", "</w:body></w:document>", "word/document.xml"),
    Kind("pptx", _SLIDE_PARAGRAPH, "<p:sld xmlns:p='p' xmlns:a='a'>", "</p:sld>", "ppt/slides/slide1.xml"),
)  # fmt: skip
HOSTILE = {
    "markdown, open brackets": Kind("markdown", "["),
    "markdown, open emphasis": Kind("markdown", "*a "),
    "markdown, quotes": Kind("markdown", "> "),
    "markdown, backticks": Kind("markdown", "`a"),
    "markdown, bars": Kind("markdown", "|a", "|a|b|\n|-|-|\n"),
    "html, open tags": Kind("html", "<b>"),
    "html, stray end tags": Kind("html", "<div>a</i>"),
    "json, open lists": Kind("json", "["),
    "json, one string": Kind("json", "a", '{"a": "', '"}'),
    "json, open choices": Kind("json", "{n, plural, other {", '{"a": "', '"}'),
    "yaml, open lists": Kind("yaml", "["),
    "yaml, one block": Kind("yaml", "a ", "a: >\n  "),
    "properties, backslashes": Kind("properties", "\\"),
    "strings, an open comment": Kind("strings", "/* a "),
    "fluent, open braces": Kind("fluent", "{", "a = "),
    "srt, one cue": Kind("srt", "a b <i>", "1\n00:00:01,000 --> 00:00:02,000\n"),
    "csv, an open quote": Kind("csv", 'a,"', 'text,b\n"'),
    "xml, open elements": Kind("xml", "<a>"),
    "xml, one text": Kind("xml", "a ", "<a>", "</a>"),
    "docx, spaces": Kind("docx", " ", "<x>", "</x>", "word/document.xml"),
}


def _identity(sentence: str) -> TextAlignment:
    links = tuple(SpanLink(unit, unit, 1.0) for unit in units_of(sentence))
    return TextAlignment(source=sentence, target=sentence, links=links)


def measure(kind: Kind, content: bytes) -> tuple[float, float, int]:
    """CPU seconds to read and to write, and the number of sentences; a refusal ends the reading."""
    begun = time.process_time()
    try:
        document = read_document(content, kind.format, _OPTIONS)
        work = DocumentTranslation(document, lambda sentence: len(sentence) < 1000)
        missing = work.missing
    except LexalignError:
        return time.process_time() - begun, 0.0, 0
    read = time.process_time() - begun
    for sentence in missing:
        work.add(_identity(sentence))
    begun = time.process_time()
    work.write()
    return read, time.process_time() - begun, len(missing)


def peak_memory(kind: Kind, content: bytes) -> float:
    """Megabytes of Python's objects at their most, while a document is read."""
    tracemalloc.start()
    with suppress(LexalignError):
        read_document(content, kind.format, _OPTIONS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def row(name: str, kind: Kind, sizes: tuple[int, int]) -> dict[str, object]:
    contents = [kind.make(size) for size in sizes]
    times = [measure(kind, content) for content in contents]
    spent = [max(read + write, 1e-4) for read, write, _ in times]
    growth = math.log(spent[1] / spent[0]) / math.log(sizes[1] / sizes[0])
    megabytes = sizes[1] / 1e6
    memory = peak_memory(kind, contents[0]) / (sizes[0] / 1e6)
    read, write = times[1][0] / megabytes, times[1][1] / megabytes
    print(f"{name:<28}{read:>10.2f}{write:>10.2f}{growth:>9.2f}{memory:>12.0f}")
    return {"read": read, "write": write, "growth": round(growth, 2), "memory": round(memory)}


def translation_cost(source: str, target: str) -> float:
    """CPU seconds of the bundled model for a megabyte of source text."""
    from lexalign.bundled.registry import find_model
    from lexalign.translator import TranslateOptions, Translator

    translator = Translator.load(find_model(source, target))
    sentences = [_SENTENCE.replace("{i}", str(index)) for index in range(64)]
    options = TranslateOptions(workers=1)
    translator.translate(sentences[:8], options)
    begun = time.process_time()
    translator.translate(sentences, options)
    return (time.process_time() - begun) / (sum(map(len, sentences)) / 1e6)


def main() -> None:
    parser = make_parser(__doc__, quick="documents of 20 and 80 KB")
    parser.add_argument("--sizes", type=int, nargs=2, default=[250_000, 1_000_000], help="of the documents")
    parser.add_argument(
        "--translate", nargs=2, metavar=("SOURCE", "TARGET"), help="time the bundled model, too"
    )
    arguments = parser.parse_args()
    sizes = (20_000, 80_000) if arguments.quick else tuple(arguments.sizes)
    head = f"{'CPU seconds per MB':<28}{'read':>10}{'write':>10}{'growth':>9}{'MB per MB':>12}"
    print(head)
    results = {kind.format: row(kind.format, kind, sizes) for kind in KINDS}
    print(f"\n{'hostile, ' + head}")
    fifth = (sizes[0] // 5, sizes[1] // 5)
    hostile = {name: row(name, kind, fifth) for name, kind in HOSTILE.items()}
    found: dict[str, object] = {"results": results, "hostile": hostile}
    if arguments.translate:
        found["translation"] = translation_cost(*arguments.translate)
        print(f"\ntranslation: {found['translation']:.0f} CPU seconds per MB")
    write_json(arguments.json, {"signature": signature("cpu", sizes=sizes), **found})


if __name__ == "__main__":
    main()
