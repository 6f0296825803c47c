"""What lint says, and on which line."""

from pathlib import Path

import pytest

from lexalign.glossary.lint import lint_file

CASES = [
    ("Haus,house,must", "Haus,house,must", "duplicate"),
    ("Haus,house|home,must", "Haus,home|house,must", "duplicate"),
    ("Haus,house,must", "Haus,building,must", "ambiguous"),
    ("Haus,house,must", "Haus,building,prefer", "ambiguous"),
    ("Haus,house,must", "Haus,,keep", "conflict"),
    ("Haus,house,must", "Haus,house|home,avoid", "conflict"),
    ("Haus,house,must", "Haus,home,avoid", None),
    ("Haus,house,avoid", "Haus,home,avoid", None),
    ("Haus,house,must", "haus,house,must", None),
    ("Haus,house,must", "Sofa,Sofa,must", "untranslated"),
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
