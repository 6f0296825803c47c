"""The structure of a document by a parser that the package does not use, so that two of them can be compared.

A structure is all that a translation must not change: elements, keys, times, targets of links, placeholders.
The order of inline markup may change with the order of words, so it is counted.
"""

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable
from typing import Any

import docx
import javaproperties
import mistune
import polib
import pptx
import srt
import yaml
from fluent.syntax import FluentParser, ast
from lxml import etree, html

_PLACEHOLDERS = re.compile(r"\{\{\w+\}\}|%\{\w+\}|%[\d$]*[a-zA-Z@]+|\$t\([^)]*\)|</?\w+[^<>]*>|\$[A-Z]+\$")
_ICU_WORDS = re.compile(r"\b(?:plural|select|one|other|female|date|short|=\d+)\b|[{}#]")


def plain_text(content: bytes) -> Any:
    return [(len(line) - len(line.lstrip()), line[-1:] == b"\r") for line in content.split(b"\n")]


def markdown(content: bytes) -> Any:
    text = content.decode()
    matter = re.match(r"---\n([\s\S]*?)^---$", text, re.MULTILINE)
    keys = sorted(yaml.safe_load(matter[1])) if matter else []
    render = mistune.create_markdown(
        escape=False, plugins=["table", "strikethrough", "footnotes", "task_lists"]
    )
    page = html.fromstring(f"<div>{render(text[matter.end() :] if matter else text)}</div>")
    blocks = [
        one.tag
        for one in page.iter()
        if one.tag in ("h1", "h2", "p", "li", "ul", "ol", "td", "th", "pre", "blockquote")
    ]
    inline = Counter((str(one.tag), one.get("href"), one.get("src")) for one in page.iter())
    return keys, blocks, inline, sorted(one.text_content() for one in page.iter("pre", "code"))


def web_page(content: bytes) -> Any:
    page = html.fromstring(content)
    kept = ("href", "src", "class", "type", "id", "name", "charset", "for")
    found = Counter((str(one.tag), *(one.get(name) for name in kept)) for one in page.iter())
    return found, [one.text for one in page.iter("pre", "style", "code", "textarea")]


def xml(content: bytes) -> Any:
    root = etree.fromstring(content)
    lang = "{http://www.w3.org/XML/1998/namespace}lang"
    return Counter(
        (
            str(one.tag),
            *sorted(
                (name, value)
                for name, value in one.attrib.items()
                if name not in (lang, "state", "state-qualifier")
            ),
        )
        for one in root.iter()
        if "target" not in str(one.tag)
    ), [one.text for one in root.iter("{*}programlisting", "{*}userinput", "{*}command")]


def bilingual(content: bytes) -> Any:
    """Every unit keeps its source, and its target has the tags of the source."""
    root = etree.fromstring(content)
    sources = [etree.tostring(one) for one in root.iter("{*}source")]
    return sources, [one.attrib.get("id") for one in root.iter("{*}trans-unit", "{*}unit")]


def memory(content: bytes) -> Any:
    root = etree.fromstring(content)
    return [one.get("tuid") for one in root.iter("tu")], [
        etree.tostring(one.find("tuv")) for one in root.iter("tu")
    ]


def messages(content: bytes) -> Any:
    file = polib.pofile(content.decode())
    return [
        (
            one.msgid,
            one.msgctxt,
            one.msgid_plural,
            sorted(one.msgstr_plural),
            sorted(_PLACEHOLDERS.findall(one.msgid)),
        )
        for one in file
    ]


def _shape(value: Any) -> Any:
    """Keys, types and placeholders; text is left out."""
    if isinstance(value, dict):
        return {key: _shape(inner) for key, inner in value.items() if key not in ("@@locale", "state")}
    if isinstance(value, list):
        return [_shape(inner) for inner in value]
    if not isinstance(value, str):
        return value
    return Counter(_PLACEHOLDERS.findall(value)), set(_ICU_WORDS.findall(value)), value.count("\n")


def json_values(content: bytes) -> Any:
    return _shape(json.loads(content.decode("utf-8-sig")))


def string_catalogue(content: bytes) -> Any:
    root = json.loads(content)
    for entry in root["strings"].values():
        entry.get("localizations", {}).pop("en" if root["sourceLanguage"] == "de" else "de", None)
        if not entry.get("localizations"):
            entry.pop("localizations", None)
    return root


def yaml_values(content: bytes) -> Any:
    loaded = list(yaml.safe_load_all(content.decode()))
    bare = [next(iter(one.values())) if len(one) == 1 else one for one in loaded if one]
    return [_shape(one) for one in bare]


def properties(content: bytes) -> Any:
    return _shape(javaproperties.loads(content.decode("latin-1")))


def apple_strings(content: bytes) -> Any:
    text = content.decode("utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    pairs = re.findall(r'^("?[\w.]+"?) = "((?:[^"\\]|\\.)*)";$', text, re.MULTILINE)
    return re.findall(r"/\*.*?\*/|//.*", text), [(key, _shape(value)) for key, value in pairs]


def fluent(content: bytes) -> Any:
    resource = FluentParser(with_spans=False).parse(content.decode())
    assert not any(isinstance(entry, ast.Junk) for entry in resource.body)
    found = []
    for entry in resource.body:
        written = json.dumps(entry.to_json())
        found.append(
            (
                type(entry).__name__,
                getattr(getattr(entry, "id", None), "name", None),
                *sorted(
                    set(re.findall(r'"(?:name|value)": "([a-zA-Z$-]+)"', written))
                    & {"n", "name", "brand", "one", "other", "NUMBER", "pref-title", "title"}
                ),
            )
        )
    return found


def subtitles(content: bytes) -> Any:
    cues = [(one.index, one.start, one.end, one.proprietary) for one in srt.parse(content.decode())]
    assert all(one.content.strip() for one in srt.parse(content.decode()))
    return cues


def web_subtitles(content: bytes) -> Any:
    blocks = re.split(r"\n\s*\n", content.decode().strip())
    cues = [block for block in blocks if "-->" in block]
    assert all(block.split("-->", 1)[1].partition("\n")[2].strip() for block in cues)
    return [block for block in blocks if block not in cues], [block.partition("-->")[0] for block in cues]


def table(content: bytes) -> Any:
    text = content.decode()
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    return rows[0], [(len(row), row[0]) for row in rows], text.count("\r")


def word(content: bytes) -> Any:
    document = docx.Document(io.BytesIO(content))
    styles = [one.style.name for one in document.paragraphs]
    formats = [
        Counter((run.bold, run.italic, run.underline) for run in one.runs if run.text.strip())
        for one in document.paragraphs
    ]
    tables = [(len(one.rows), len(one.columns)) for one in document.tables]
    root = document.element.body
    marks = Counter(
        one.tag for one in root.iter() if etree.QName(one).localname not in ("r", "t", "rPr", "b", "i", "u")
    )
    return (
        styles,
        [set(one) for one in formats],
        tables,
        marks,
        _other_parts(content, r"word/(document|header\d|footer\d|footnotes)\.xml"),
    )


def slides(content: bytes) -> Any:
    shown = pptx.Presentation(io.BytesIO(content))
    shapes = [
        (
            one.shape_type,
            one.name,
            [(part.level, [run.font.bold for run in part.runs]) for part in one.text_frame.paragraphs]
            if one.has_text_frame
            else None,
        )
        for slide in shown.slides
        for one in slide.shapes
    ]
    notes = [slide.has_notes_slide for slide in shown.slides]
    return shapes, notes, _other_parts(content, r"ppt/(slides/slide|notesSlides/notesSlide)\d+\.xml")


def _other_parts(content: bytes, translated: str) -> dict[str, bytes]:
    """The raw bytes of all parts that are not translated."""
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        assert package.testzip() is None
        return {name: package.read(name) for name in package.namelist() if not re.fullmatch(translated, name)}


STRUCTURES: dict[str, Callable[[bytes], Any]] = {
    "text": plain_text,
    "markdown": markdown,
    "html": web_page,
    "xml": xml,
    "xliff1": bilingual,
    "xliff2": bilingual,
    "tmx": memory,
    "po": messages,
    "json": json_values,
    "yaml": yaml_values,
    "properties": properties,
    "android": xml,
    "strings": apple_strings,
    "xcstrings": string_catalogue,
    "fluent": fluent,
    "srt": subtitles,
    "vtt": web_subtitles,
    "csv": table,
    "tsv": table,
    "docx": word,
    "pptx": slides,
}
