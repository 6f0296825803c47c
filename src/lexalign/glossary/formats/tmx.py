"""TMX 1.4, translation memories: each unit (tu) is an entry, its segments (seg) the term and its targets.

Several segments in one language are alternatives. TMX has no names for policies and case rules: they are
properties (`prop`) of the unit with our own types, and the unit's source language tells the direction in
which a term is to be avoided.
"""

from collections.abc import Iterator
from typing import Any

from lexalign import __version__
from lexalign.contracts.errors import LexalignError
from lexalign.glossary.entries import RULE_DEFAULTS, Entry, Glossary
from lexalign.glossary.formats.reading import Languages, Parsed, Problem, RawEntry, distinct
from lexalign.glossary.formats.safe_xml import (
    XML_LANG,
    elements,
    language_of,
    local_name,
    parse_xml,
    render_tree,
    required_language,
    text_of,
)
from lexalign.text.languages import primary

_CODES = ("bpt", "ept", "it", "ph", "ut")  # their content is markup of other formats


def parse(content: bytes, name: str, languages: Languages) -> Iterator[Parsed]:
    root = parse_xml(content, name)
    if local_name(root) != "tmx":
        raise LexalignError(f"{name}: not TMX: the root element is {local_name(root)}, not tmx")
    units = list(elements(root, "tu"))
    if not units:
        return
    first = [header.get("srclang") or "" for header in elements(root, "header")]
    parts = [language_of(part) for unit in units for part in elements(unit, "tuv")]
    available = distinct(code for code in [*first, *parts] if code and code != "*all*")
    source, target = languages.choose(available, name)
    for unit in units:
        origin = unit.get("srclang") or next(iter(first), "")
        yield from _entries(unit, source, target, primary(origin) == primary(target), name)


def render(glossary: Glossary) -> bytes:
    from lxml import etree

    root = etree.Element("tmx", {"version": "1.4"})
    codes = {entry.source_language for entry in glossary}
    etree.SubElement(
        root,
        "header",
        {
            "creationtool": "lexalign",
            "creationtoolversion": __version__,
            "segtype": "phrase",
            "o-tmf": "lexalign",
            "adminlang": "en",
            "srclang": (codes.pop() or "*all*") if len(codes) == 1 else "*all*",
            "datatype": "plaintext",
        },
    )
    body = etree.SubElement(root, "body")
    for entry in glossary:
        _render_entry(body, entry)
    return render_tree(root)


def _entries(unit: Any, source: str, target: str, backwards: bool, name: str) -> Iterator[Parsed]:
    sources, targets = _segments(unit, source), _segments(unit, target)
    policy = _property(unit, "lexalign-policy")
    if policy == "keep":
        sources, targets = sources or targets or _segments(unit), ()
    if not sources or not (targets or policy == "keep"):
        missing = target if sources else source
        yield Problem(unit.sourceline, f"a unit without a text in {missing}", "incomplete")
        return
    yield from RawEntry(
        sources=sources,
        targets=targets,
        policy=policy,
        case=_property(unit, "lexalign-case"),
        forms=_property(unit, "lexalign-forms"),
        compounds=_property(unit, "lexalign-compounds"),
        note=" ".join(text_of(note) for note in unit.iterchildren("{*}note")),
        source_language=source,
        target_language=target,
        backwards=backwards,
    ).to_entries(name, unit.sourceline)


def _segments(unit: Any, language: str | None = None) -> tuple[str, ...]:
    """The texts of a unit in a language, or in all languages."""
    return tuple(
        dict.fromkeys(
            text_of(segment, _CODES)
            for part in elements(unit, "tuv")
            if language is None or primary(language_of(part)) == primary(language)
            for segment in elements(part, "seg")
        )
    )


def _property(unit: Any, kind: str) -> str:
    return next((text_of(mark) for mark in unit.iterchildren("{*}prop") if mark.get("type") == kind), "")


def _render_entry(body: Any, entry: Entry) -> None:
    from lxml import etree

    unit = etree.SubElement(body, "tu", {"srclang": required_language(entry.source_language, entry)})
    if entry.note:
        etree.SubElement(unit, "note").text = entry.note
    for name, default in RULE_DEFAULTS.items():
        if getattr(entry, name) != default:
            etree.SubElement(unit, "prop", {"type": f"lexalign-{name}"}).text = getattr(entry, name)
    for code, words in (
        (required_language(entry.source_language, entry), (entry.source,)),
        (required_language(entry.target_language, entry), entry.targets or (entry.source,)),
    ):
        for word in words:
            part = etree.SubElement(unit, "tuv", {XML_LANG: code})
            etree.SubElement(part, "seg").text = word
