"""The findings of lint, and their lines."""

from pathlib import Path

import pytest

from lexalign.glossary import Entry, Glossary
from lexalign.glossary.lint import lint, lint_file

CASES = [
    ("Haus,house,must", "Haus,house,must", "duplicate"),
    ("Haus,house|home,must", "Haus,home|house,must", "duplicate"),
    ("Haus,house,must", "Haus,building,must", "ambiguous"),
    ("Haus,house,must", "Haus,building,prefer", "ambiguous"),
    ("Haus,house,must", "Haus,,keep", "conflict"),
    ("Haus,house,must", "Haus,house|home,avoid", "conflict"),
    ("Haus,house,must", "Haus,home,avoid", None),
    ("Haus,house,avoid", "Haus,home,avoid", None),
    ("Haus,house,must", "haus,house,must", "case"),
    ("Haus,house,must", "Sofa,Sofa,must", "untranslated"),
    ("Haus,house,must", "Das Haus ist schön.,x,must", "sentence"),
    ("Haus,house,must", "z. B.,e.g.,must", None),
    ("Haus,house,must", "weißes  Haus,white house,must", "spaces"),
    ("Haus,house,must", "Sofa,so\u00a0fa,must", "spaces"),
]


@pytest.mark.parametrize(("first", "second", "kind"), CASES)
def test_two_entries_held_against_each_other(
    tmp_path: Path, first: str, second: str, kind: str | None
) -> None:
    path = tmp_path / "terms.csv"
    path.write_text(f"source,target,policy\n{first}\n{second}\n")
    glossary, findings = lint_file(path)
    assert len(glossary) == 2
    assert [(finding.kind, finding.line) for finding in findings] == ([] if kind is None else [(kind, 3)])
    assert all(finding.severity == "warning" for finding in findings)


def test_all_errors_are_told_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("Haus,house\nBank\n,x\nBaum,tree\nTisch,\n")
    glossary, findings = lint_file(path)
    assert [entry.source for entry in glossary] == ["Haus", "Baum"]
    assert [(finding.line, finding.severity) for finding in findings] == [
        (2, "error"),
        (3, "error"),
        (5, "error"),
    ]


def test_what_a_model_cannot_spell(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("Haus,house\nHaus,hοuse\n", encoding="utf-8")  # with a Greek letter
    _, findings = lint_file(path, can_spell=str.isascii)
    assert [(finding.line, finding.kind) for finding in findings] == [(2, "ambiguous"), (2, "unencodable")]


def test_gaps_in_a_file_of_several_languages_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("de,en,fr\nHaus,house,\nBank,bank,banque\n")
    glossary, findings = lint_file(path, source_language="de", target_language="fr")
    assert [entry.source for entry in glossary] == ["Bank"]
    assert [(finding.line, finding.kind) for finding in findings] == [(2, "incomplete")]


def test_warnings_are_those_of_the_direction_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text(
        "de,en,policy\nHaus,house,\nGebäude,house,\nHeim|Zuhause,home,\nheim,home,\nBau,shack,avoid\n"
    )
    _, there = lint_file(path, source_language="de", target_language="en")
    assert [(finding.line, finding.kind) for finding in there] == [(5, "case")]
    glossary, back = lint_file(path, source_language="English", target_language="DE")
    assert [(finding.line, finding.kind) for finding in back] == [
        (3, "ambiguous"),
        (5, "ambiguous"),
        (6, "one-way"),
    ]
    assert [entry.source for entry in glossary] == ["house", "house", "home", "home"]


def test_a_term_that_begins_another_is_noted_once(tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("Haus,house\nHaus am See,lake house\nHaus am Meer,beach house\nHausbau,building\n")
    _, findings = lint_file(path)
    assert [(finding.line, finding.kind, finding.severity) for finding in findings] == [
        (1, "overlap", "note")
    ]


def test_columns_that_changed_places_are_suspected(tmp_path: Path) -> None:
    pytest.importorskip("simplemma")
    path = tmp_path / "terms.csv"
    path.write_text("de,en\nGesetz,law\nprotection,Schutz\nSoftware,software\nLexalign,lexaligns\n")
    _, findings = lint_file(path)
    assert [(finding.line, finding.kind) for finding in findings] == [(3, "swapped")]


def test_the_work_grows_as_the_glossary() -> None:
    """Counted in looks at targets: entries for one term are never compared one by one."""
    seen = 0

    class Counted(str):
        def __hash__(self) -> int:
            nonlocal seen
            seen += 1
            return str.__hash__(self)

        __eq__ = str.__eq__

    counts = []
    for size in (100, 1000):
        seen = 0
        entries = tuple(Entry(source="a", targets=(Counted(f"t{number}"),)) for number in range(size))
        assert len(list(lint(Glossary(entries)))) == size - 1
        counts.append(seen)
    assert 0 < counts[1] <= 11 * counts[0]
