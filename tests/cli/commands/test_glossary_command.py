"""`lexalign glossary`: what it prints, its statuses, and nothing half-written."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

TERMS = "source,target,policy,note\nHaus,house|home,,a place\nBank,bench,avoid,\nLexalign,,keep,\n"


@pytest.fixture
def terms(tmp_path: Path) -> Path:
    (tmp_path / "terms.csv").write_text(TERMS, encoding="utf-8")
    return tmp_path / "terms.csv"


def test_a_good_glossary(run: Run, terms: Path, model: Path) -> None:
    outcome = run("glossary", "lint", terms, "--model", model)
    assert outcome.output == f"{terms}: 3 terms, 0 errors, 0 warnings\n"
    assert outcome.status == 0


def test_findings_have_their_lines_and_errors_a_status(run: Run, terms: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text("a\tb\na\tc\nx\n")
    outcome = run("glossary", "lint", terms, tmp_path / "bad.tsv", tmp_path / "none.tmx")
    assert outcome.status == 1
    lines = outcome.output.replace(f"{tmp_path}/", "").splitlines()
    assert lines == [
        "terms.csv: 3 terms, 0 errors, 0 warnings",
        'bad.tsv:2: ambiguous: "a" with other targets than line 1; the model chooses',
        "bad.tsv:3: error: 1 column where 2 are needed; is a separator wrong?",
        "bad.tsv: 2 terms, 1 error, 1 warning",
        "none.tmx: error: cannot read none.tmx: No such file or directory",
        "none.tmx: 0 terms, 1 error, 0 warnings",
    ]


def test_lint_is_for_the_direction_asked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("de,en,policy\nHaus,house,\nGebäude,house,\nBau,shack,avoid\n")
    outcome = run("glossary", "lint", tmp_path / "terms.csv", "--from", "English", "--to", "DE")
    assert outcome.status == 0
    assert outcome.output.replace(f"{tmp_path}/", "").splitlines() == [
        'terms.csv:3: ambiguous: "house" with other targets than line 2; the model chooses',
        'terms.csv:4: one-way: "shack" is avoided as a target; as a source it is passed over',
        "terms.csv: 2 terms, 0 errors, 1 warning, 1 note",
    ]


def test_a_conversion_can_turn_a_glossary_round(run: Run, terms: Path, tmp_path: Path) -> None:
    assert (
        run("glossary", "convert", terms, tmp_path / "de-en.tbx", "--from", "German", "--to", "EN").status
        == 0
    )
    turned = ("--from", "en", "--to", "de")
    assert run("glossary", "convert", tmp_path / "de-en.tbx", tmp_path / "en-de.csv", *turned).status == 0
    assert (tmp_path / "en-de.csv").read_text(encoding="utf-8") == (
        "source,target,policy,note,source_language,target_language\n"
        "house,Haus,must,a place,en,de\nhome,Haus,must,a place,en,de\nLexalign,,keep,,en,de\n"
    )


def test_round_the_formats_and_back(run: Run, terms: Path, tmp_path: Path) -> None:
    languages = ("--from", "de", "--to", "en")
    previous = terms
    for suffix in ("tbx", "tmx", "tsv", "csv"):
        path = tmp_path / f"new.{suffix}"
        assert run("glossary", "convert", previous, path, *languages).status == 0
        previous = path
    assert previous.read_text(encoding="utf-8") == (
        "source,target,policy,note,source_language,target_language\n"
        "Haus,house|home,must,a place,de,en\nBank,bench,avoid,,de,en\nLexalign,,keep,,de,en\n"
    )


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (TERMS, "new.tbx", 'the languages of "Haus" are not known'),
        (TERMS, "new.txt", "name ends in .csv"),
        ("a,b\nc,\n", "new.tsv", "line 2: the target is empty"),
        ("", "new.tsv", "has no terms"),
    ],
)
def test_a_failed_conversion_leaves_nothing(
    run: Run, tmp_path: Path, content: str, name: str, message: str
) -> None:
    (tmp_path / "old.csv").write_text(content)
    outcome = run("glossary", "convert", tmp_path / "old.csv", tmp_path / name)
    assert (outcome.status, outcome.output) == (2, "")
    assert message in outcome.errors
    assert outcome.errors.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
