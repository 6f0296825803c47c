"""Results of terms, in words for readers who do not know how the search works."""

from typing import TYPE_CHECKING

from lexalign.contracts.hypothesis import REASONS

if TYPE_CHECKING:
    from lexalign.translator import TermResult


def outcome(term: "TermResult") -> str:
    """Whether the term is met, and if not, why."""
    if term.constraint.kind == "avoid":
        said = "avoided" if term.met else "not avoided"
    else:
        said = "met" if term.met else "not met"
    if term.part_of is not None:
        if term.met:
            return f"{said} as part of {term.part_of}"
        reason = REASONS[term.reason].replace("a longer word", term.part_of) if term.reason else ""
        return f"{said}: {reason}" if reason else said
    # The reason "not avoided" would only repeat the result.
    return said if term.met or term.reason in (None, "not avoided") else f"{said}: {REASONS[term.reason]}"


def asked(term: "TermResult", most: int = 4) -> str:
    targets = term.constraint.targets
    listed = " | ".join(targets[:most]) + (" | …" if len(targets) > most else "")
    return {"avoid": "not ", "prefer": "preferably ", "must": ""}[term.constraint.kind] + listed


def form(term: "TermResult", translation: str) -> str:
    """The words of the translation that meet the term."""
    return "" if term.target is None else translation[slice(*term.target)]


def percent(probability: float | None) -> str:
    return "" if probability is None else f"{100 * probability:.0f} %"
