"""Untranslatables: placeholders, URLs, code and symbols, which a translation must keep unchanged."""

from lexalign.markup.protection.finding import find_untranslatables
from lexalign.markup.protection.masking import MaskedText, StandIn, mask_text
from lexalign.markup.protection.numbers import missing_numbers, with_own_currency
from lexalign.markup.protection.patterns import NO_PATTERNS, Patterns
from lexalign.markup.protection.restoring import RestoredText, restore_links, restore_text
from lexalign.markup.protection.spans import (
    Kind,
    Placement,
    ProtectedSpan,
    Untranslatable,
    missing_untranslatables,
)

__all__ = [
    "NO_PATTERNS",
    "Kind",
    "MaskedText",
    "Patterns",
    "Placement",
    "ProtectedSpan",
    "RestoredText",
    "StandIn",
    "Untranslatable",
    "find_untranslatables",
    "mask_text",
    "missing_numbers",
    "missing_untranslatables",
    "restore_links",
    "restore_text",
    "with_own_currency",
]
