"""Glossaries and their matching in text, constraint files, and constraints sampled from gold alignments."""

from lexalign.glossary.entries import (
    CaseRule,
    CompoundRule,
    Entry,
    FormRule,
    Glossary,
    Place,
    TermPolicy,
    parse_term,
    parse_terms,
)
from lexalign.glossary.formats.files import (
    GlossaryFormat,
    parse_glossary,
    read_glossary,
    render_glossary,
    write_glossary,
)
from lexalign.glossary.matching.matcher import Match, Matcher, MatchOptions

__all__ = [
    "CaseRule",
    "CompoundRule",
    "Entry",
    "FormRule",
    "Glossary",
    "GlossaryFormat",
    "Match",
    "MatchOptions",
    "Matcher",
    "Place",
    "TermPolicy",
    "parse_glossary",
    "parse_term",
    "parse_terms",
    "read_glossary",
    "render_glossary",
    "write_glossary",
]
