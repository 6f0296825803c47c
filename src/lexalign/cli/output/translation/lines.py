"""A translation as lines of output.

plain    Anna bought apples.
n-best   3 ||| Anna bought apples. ||| -0.2137           (the format of Moses; lines count from 0)
JSON     {"source": ..., "translation": ..., "score": ..., "tokens": [{"text": ..., "log_probability": ...}]}
"""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lexalign.glossary import Entry, Match
    from lexalign.markup.protection import ProtectedSpan
    from lexalign.translator import TermResult, Translation


def plain(translation: "Translation") -> str:
    return one_line(translation.text)


def moses(line_index: int, translation: "Translation") -> str:
    """One line for each of the n best translations, with the number of the source line."""
    ranked = (translation, *translation.alternatives)
    return "\n".join(f"{line_index} ||| {one_line(entry.text)} ||| {entry.score:.6f}" for entry in ranked)


def as_json(source: str, translation: "Translation") -> str:
    content = {"source": source, **_fields(translation)}
    if translation.alternatives:
        content["alternatives"] = [_fields(entry) for entry in translation.alternatives]
    return json.dumps(content, ensure_ascii=False)


def _fields(translation: "Translation") -> dict[str, Any]:
    tokens = zip(translation.tokens, translation.token_log_probabilities, strict=True)
    fields: dict[str, Any] = {
        "translation": translation.text,
        "score": translation.score,
        "log_probability": translation.log_probability,
        "tokens": [{"text": text, "log_probability": value} for text, value in tokens],
        "end_log_probability": translation.end_log_probability,
        "complete": translation.complete,
    }
    if translation.terms:
        fields["terms"] = [_term(term, translation.text) for term in translation.terms]
    if translation.links:
        fields["alignment"] = [
            {"source": link.source, "target": link.target, "probability": round(link.probability or 0.0, 6)}
            for link in translation.links
        ]
    if translation.protected:
        fields["protected"] = [_protected(one) for one in translation.protected]
    if translation.missing_numbers:
        fields["missing_numbers"] = translation.missing_numbers
    return fields


def _protected(one: "ProtectedSpan") -> dict[str, Any]:
    """What was kept unchanged, its spans in both texts, and how its place was found."""
    return {
        "text": one.text,
        "kind": one.kind,
        "source": one.source,
        "target": one.target,
        "placement": one.placement,
    }


def _term(term: "TermResult", text: str) -> dict[str, Any]:
    """The span that meets a constraint, or why it is not met; and the glossary match that it comes from."""
    asked = term.constraint
    fields: dict[str, Any] = {"targets": asked.targets, "kind": asked.kind, "met": term.met}
    if asked.source is not None:
        fields["source"] = asked.source
    if term.target is not None:
        fields["target"] = term.target
        fields["form"] = text[slice(*term.target)]
    if term.part_of is not None:
        fields["part_of"] = term.part_of
    if term.probability is not None:
        fields["probability"] = round(term.probability, 6)
    if term.reason is not None:
        fields["reason"] = term.reason
    if term.match is not None:
        fields["match"] = _match(term.match)
    return fields


def _match(match: "Match") -> dict[str, Any]:
    """The glossary entries that were found in the source, and how they matched."""
    return {
        "text": match.text,
        "manner": match.kind,
        "explanation": match.explanation,
        "entries": [_entry(entry) for entry in match.entries],
    }


def _entry(entry: "Entry") -> dict[str, Any]:
    fields: dict[str, Any] = {
        "source": entry.source,
        "targets": entry.targets,
        "policy": entry.policy,
        "case": entry.case,
    }
    fields |= {
        name: value
        for name, value in (("forms", entry.forms), ("compounds", entry.compounds))
        if value != "default"
    }
    if entry.note:
        fields["note"] = entry.note
    if entry.place is not None:
        fields["file"] = entry.place.file
        if entry.place.line is not None:
            fields["line"] = entry.place.line
    return fields


def one_line(text: str) -> str:
    """A model may generate line breaks and NUL, but each line of input gives one line of output."""
    return text.replace("\r", " ").replace("\n", " ").replace("\0", " ")
