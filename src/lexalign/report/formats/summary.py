"""A report in one line."""

from lexalign.report.values import Counts, Report

# What is checked, and how many of them are wrong; what was not there is not told.
_CHECKED = (
    ("terms", "terms", "terms_missed", "missed"),
    ("numbers", "numbers", "numbers_missing", "missing"),
    ("placeholders", "placeholders", "placeholders_missing", "missing"),
    ("tags", "tags", "tags_failed", "wrong"),
)
_OTHERS = (
    ("lost", "places likely lost"),
    ("cut_off", "translations cut off"),
    ("refused", "segments not translated"),
    ("inconsistent", "inconsistencies"),
)


def summary_line(report: Report) -> str:
    """Such as `12 segments: 5 terms, 1 missed; 3 numbers; 1 inconsistency`."""
    counts = report.counts
    parts = [*_checked(counts), *_others(counts)]
    memory = f" ({counts.from_memory:,} from memory)" if counts.from_memory else ""
    return f"{_counted(counts.segments, 'segments')}{memory}: {'; '.join(parts) or 'nothing to check'}"


def _checked(counts: Counts) -> list[str]:
    found = []
    for name, noun, wrong, what in _CHECKED:
        if number := getattr(counts, name):
            failed = getattr(counts, wrong)
            found.append(_counted(number, noun) + (f", {failed:,} {what}" if failed else ""))
    return found


def _others(counts: Counts) -> list[str]:
    return [_counted(getattr(counts, name), noun) for name, noun in _OTHERS if getattr(counts, name)]


def _counted(number: int, noun: str) -> str:
    if number == 1:
        first, *rest = noun.split(" ")
        singular = "inconsistency" if first == "inconsistencies" else first.removesuffix("s")
        noun = " ".join([singular, *rest])
    return f"{number:,} {noun}"
