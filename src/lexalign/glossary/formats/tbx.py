"""TBX, the exchange format of term banks: 2008 (ISO 30042:2008) and 2019, with different element names.

    2008   martif / text / body / termEntry    / langSet / tig or ntig / term
    2019   tbx    / text / body / conceptEntry / langSec / termSec     / term

Every source term of a concept is an entry, with all target terms as its targets, preferred ones first. Terms
whose administrativeStatus is deprecated, superseded or forbidden are to be avoided. Terms marked as
do-not-translate are kept. The policies prefer and avoid and the case rule, for which TBX has no names, are
`admin` elements; avoid is one to distinguish it from a deprecated synonym.
"""

from collections.abc import Iterator
from typing import Any

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

_CONCEPTS = ("termEntry", "conceptEntry")
_LANGUAGES = ("langSet", "langSec")
_TERMS = ("tig", "ntig", "termSec")
_NAMESPACE = "urn:iso:std:iso:30042:ed-2"
_AVOIDED = ("deprecated", "superseded", "forbidden")
_YES = ("yes", "true", "1")


def parse(content: bytes, name: str, languages: Languages) -> Iterator[Parsed]:
    root = parse_xml(content, name)
    if local_name(root) not in ("martif", "tbx"):
        raise LexalignError(f"{name}: not TBX: the root element is {local_name(root)}, not martif or tbx")
    concepts = list(elements(root, *_CONCEPTS))
    available = distinct(
        code for concept in concepts for part in elements(concept, *_LANGUAGES) if (code := language_of(part))
    )
    if not concepts:
        return
    source, target = languages.choose(available, name)
    for concept in concepts:
        yield from _entries(concept, source, target, name)


def render(glossary: Glossary) -> bytes:
    """Render the format of 2019."""
    from lxml import etree

    root = etree.Element(
        "tbx", {"type": "TBX-Basic", "style": "dca", XML_LANG: "en"}, nsmap={None: _NAMESPACE}
    )
    header = etree.SubElement(etree.SubElement(root, "tbxHeader"), "fileDesc")
    origin = etree.SubElement(etree.SubElement(header, "sourceDesc"), "p")
    origin.text = "Made by Lexalign."
    body = etree.SubElement(etree.SubElement(root, "text"), "body")
    for number, entry in enumerate(glossary, start=1):
        _render_entry(body, entry, number)
    return render_tree(root)


def _entries(concept: Any, source: str, target: str, name: str) -> Iterator[Parsed]:
    sources = _terms(concept, source)
    targets = _terms(concept, target)
    policy = _admin_value(concept, "lexalign-policy") or ("keep" if _is_kept(concept) else "")
    lines = [term.sourceline for term, _ in sources] or [concept.sourceline]
    if policy == "keep":
        sources = sources or targets or _terms(concept)
    if not sources or not (targets or policy == "keep"):
        message = f"a concept without a term in {target if sources else source}"
        yield Problem(lines[0], message, "incomplete")
        return
    allowed = [term for term, status in targets if not _is_avoided(status)]
    allowed.sort(key=lambda term: not _status(term).startswith("preferred"))
    avoided = [term for term, status in targets if _is_avoided(status)]
    groups = [(policy, allowed), ("avoid", avoided)] if policy != "keep" else [("keep", [])]
    for term, _ in sources:
        for kind, words in groups:
            if words or kind == "keep":
                yield from RawEntry(
                    sources=(text_of(term),),
                    targets=tuple(dict.fromkeys(text_of(word) for word in words)),
                    policy=kind,
                    case=_admin_value(concept, "lexalign-case"),
                    forms=_admin_value(concept, "lexalign-forms"),
                    compounds=_admin_value(concept, "lexalign-compounds"),
                    note=" ".join(text_of(note) for note in concept.iterchildren("{*}note")),
                    source_language=source,
                    target_language=target,
                    backwards=policy == "avoid" and words is allowed,
                ).to_entries(name, term.sourceline)


def _terms(concept: Any, language: str | None = None) -> list[tuple[Any, str]]:
    """The terms of a concept in a language, or in all languages, with their status."""
    return [
        (term, _status(term))
        for part in elements(concept, *_LANGUAGES)
        if language is None or primary(language_of(part)) == primary(language)
        for term in elements(part, "term")
    ]


def _status(term: Any) -> str:
    """The administrative status; 2019 has two styles, an element with a type or an element of that name."""
    group = next(parent for parent in term.iterancestors() if local_name(parent) in (*_TERMS, *_LANGUAGES))
    for note in group.iter("{*}*"):
        if "administrativeStatus" in (local_name(note), note.get("type")):
            return text_of(note).lower()
    return ""


def _is_avoided(status: str) -> bool:
    return status.startswith(_AVOIDED)


def _is_kept(concept: Any) -> bool:
    for mark in elements(concept, "termNote", "descrip", "admin"):
        kind = (mark.get("type") or "").lower().replace("-", "").replace("_", "")
        if kind in ("donottranslate", "dnt") and text_of(mark).lower() in _YES:
            return True
    return False


def _admin_value(concept: Any, kind: str) -> str:
    return next((text_of(mark) for mark in elements(concept, "admin") if mark.get("type") == kind), "")


def _render_entry(body: Any, entry: Entry, number: int) -> None:
    from lxml import etree

    concept = etree.SubElement(body, "conceptEntry", {"id": f"c{number}"})
    for name, default in RULE_DEFAULTS.items():
        if getattr(entry, name) != default:
            etree.SubElement(concept, "admin", {"type": f"lexalign-{name}"}).text = getattr(entry, name)
    if entry.note:
        etree.SubElement(concept, "note").text = entry.note
    for code, words in (
        (required_language(entry.source_language, entry), (entry.source,)),
        (required_language(entry.target_language, entry), entry.targets or (entry.source,)),
    ):
        part = etree.SubElement(concept, "langSec", {XML_LANG: code})
        for word in words:
            term = etree.SubElement(part, "termSec")
            etree.SubElement(term, "term").text = word
            if entry.policy == "avoid" and words is entry.targets:
                status = etree.SubElement(term, "termNote", {"type": "administrativeStatus"})
                status.text = "deprecatedTerm-admn-sts"
