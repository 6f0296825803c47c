"""Glossaries merged and compared."""

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, TermPolicy
from lexalign.glossary.merging import Conflicts, compare_glossaries, merge_glossaries


def entry(source: str, *targets: str, policy: TermPolicy = "must") -> Entry:
    return Entry(source=source, targets=targets, policy=policy)


FIRST = Glossary((entry("a", "x"), entry("b", "y"), entry("c", policy="keep")))
SECOND = Glossary((entry("a", "z"), entry("b", "y"), entry("d", "w"), entry("a", "q", policy="avoid")))


@pytest.mark.parametrize(
    ("conflicts", "targets"), [("join", ("x", "z")), ("first", ("x",)), ("last", ("z",))]
)
def test_merging(conflicts: Conflicts, targets: tuple[str, ...]) -> None:
    merged = merge_glossaries([FIRST, SECOND], conflicts)
    assert [(one.source, one.policy) for one in merged] == [
        ("a", "must"), ("b", "must"), ("c", "keep"), ("d", "must"), ("a", "avoid"),
    ]  # fmt: skip
    assert merged.entries[0].targets == targets


def test_contradictions_are_refused() -> None:
    with pytest.raises(LexalignError, match=r'"a" is x .* and z'):
        merge_glossaries([FIRST, SECOND], "refuse")
    with pytest.raises(LexalignError, match='"c"'):
        merge_glossaries([FIRST, Glossary((entry("c", "translated"),))], "join")


def test_merging_with_itself_changes_nothing() -> None:
    assert merge_glossaries([SECOND, SECOND]) == SECOND
    assert compare_glossaries(SECOND, SECOND) == []


def test_differences() -> None:
    changes = compare_glossaries(FIRST, SECOND)
    assert [str(one) for one in changes] == ["~ a: x → z", "- c: (kept)", "+ d: w", "+ a: q (avoid)"]
