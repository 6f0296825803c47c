"""`lexalign translate` with glossaries: terms, their results as JSON, and warnings."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import FAST, TEXT, Run


def test_terms_of_files_and_of_the_command_line(run: Run, aligned: Path, glossary: Path) -> None:
    pytest.importorskip("simplemma")
    terms = ("--glossary", glossary, "--term", "rote=green|blue")
    outcome = run("translate", "--model", aligned, TEXT, *terms, *FAST)
    assert outcome.status == 0
    assert "\x1b" not in outcome.output
    (line,) = outcome.output.splitlines()
    assert re.search(r"\bOtto\b", line)
    assert re.search(r"\b(green|blue)\b", line, re.IGNORECASE)
    assert re.search(r"\bpears?\b", line, re.IGNORECASE)


def test_terms_that_are_not_found_are_named(run: Run, aligned: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.csv"
    empty.write_text("de,en\n", encoding="utf-8")
    terms = ("--glossary", empty, "--term", "Anna=Otto", "--term", "Ana=Otto", "--term", "ann=Otto")
    outcome = run("translate", "--model", aligned, TEXT, *terms, "--source-forms", "exact", *FAST)
    assert outcome.status == 0
    assert f"warning: {empty} has no terms" in outcome.errors
    assert 'warning: --term "Ana=Otto": "Ana" was not found' in outcome.errors
    assert '"ann" was not found; it stands only inside "Anna"' in outcome.errors
    assert '"Anna" was not found' not in outcome.errors


def test_one_file_serves_both_directions(run: Run, aligned: Path, tmp_path: Path) -> None:
    path = tmp_path / "terms.csv"
    path.write_text("English;German;policy\nbirch|oak;Anna|Otto;\npear;Apfel;avoid\n;Lexalign;keep\n")
    model = shutil.copytree(aligned, tmp_path / "any")  # a folder that does not say its languages
    config = json.loads((model / "config.json").read_text())
    del config["languages"]
    (model / "config.json").write_text(json.dumps(config))
    arguments = (
        "translate",
        "--model",
        model,
        "--glossary",
        path,
        "--source-forms",
        "exact",
        "--no-forms",
        *FAST,
    )
    there = run(*arguments, "--from", "de", "--to", "en", "--json", "Anna Lexalign Apfel").output
    assert [term["targets"] for term in json.loads(there)["terms"]] == [
        ["birch", "oak", "Birch", "Oak"],
        ["Lexalign"],
    ]
    back = run(*arguments, "--from", "en", "--to", "de", "--json", "the oak and the pear").output
    assert [(term["targets"], term["kind"]) for term in json.loads(back)["terms"]] == [
        (["Anna", "Otto"], "must"),
        (["Apfel", "APFEL"], "avoid"),
    ]
    refused = run(*arguments, "--from", "fr", "--to", "ro", "Anna")
    assert (refused.status, refused.output) == (2, "")
    assert f"{path} holds en and de; it cannot be read from fr to ro" in refused.errors


def test_one_found_source_of_a_term_is_enough(run: Run, aligned: Path) -> None:
    terms = ("--term", "Anna|Ana=Otto", "--term", "Uwe|Udo=Otto")
    outcome = run("translate", "--model", aligned, TEXT, *terms, "--source-forms", "exact", *FAST)
    assert "Anna|Ana" not in outcome.errors
    assert 'warning: --term "Uwe|Udo=Otto": "Uwe" was not found' in outcome.errors


def test_json_explains_every_match(run: Run, aligned: Path, glossary: Path) -> None:
    pytest.importorskip("simplemma")
    outcome = run("translate", "--model", aligned, TEXT, "--glossary", glossary, "--json", *FAST)
    found = json.loads(outcome.output)
    first, second = found["terms"]
    assert first["match"]["manner"] == "exact"
    assert second["source"] == [17, 22]
    assert second["targets"] == ["pear", "pears"]
    assert second["form"] == found["translation"][slice(*second["target"])]
    assert 0 <= second["probability"] <= 1
    assert second["match"] == {
        "text": "Äpfel",
        "manner": "inflected",
        "explanation": f'"Äpfel" is another form of the glossary\'s "Apfel" ({glossary}, line 2)',
        "entries": [
            {
                "source": "Apfel",
                "targets": ["pear"],
                "policy": "must",
                "case": "match-source",
                "note": "<fruit>",
                "file": str(glossary),
                "line": 2,
            }
        ],
    }


def test_a_model_s_own_languages_find_inflected_forms(run: Run, aligned: Path) -> None:
    pytest.importorskip("simplemma")
    outcome = run("translate", "--model", aligned, TEXT, "--term", "Apfel=pear", *FAST)
    assert re.search(r"\bpears?\b", outcome.output, re.IGNORECASE)
    assert "inflected" not in outcome.errors


def test_without_a_language_inflected_forms_are_missed_with_a_word(
    run: Run, aligned: Path, tmp_path: Path
) -> None:
    shutil.copytree(aligned, tmp_path / "model")
    config = json.loads((aligned / "config.json").read_text())
    assert config.pop("languages") == {"source": "de", "target": "en"}
    (tmp_path / "model" / "config.json").write_text(json.dumps(config))
    arguments = ("translate", "--model", tmp_path / "model", TEXT, "--term", "Apfel=pear", *FAST)
    outcome = run(*arguments)
    assert outcome.status == 0
    assert "inflected forms of terms are not found without the source language; give --from" in outcome.errors
    assert "inflected" not in run(*arguments, "--source-forms", "exact").errors
    assert run(*arguments, "--source-forms", "inflected").status == 2


def test_a_missing_dictionary_is_told_of(run: Run, aligned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lexalign.glossary.matching.lemmas import find_lemmas

    find_lemmas.cache_clear()
    monkeypatch.setitem(sys.modules, "simplemma", None)
    arguments = ("translate", "--model", aligned, "Anna", "--term", "Anna=Otto", "--from", "de", *FAST)
    found = run(*arguments)
    assert found.status == 0
    assert "warning: inflected forms of terms need simplemma: pip install simplemma" in found.errors
    assert "Otto" in found.output
    refused = run(*arguments, "--source-forms", "inflected")
    assert (refused.status, refused.errors.count("\n")) == (2, 1)
    find_lemmas.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--term", "Anna"), 'write it as "source=target"'),
        (("--glossary", "missing.csv"), "cannot read missing.csv"),
        (("--show-alignment", "--json"), "--show-alignment cannot be combined with --json or --n-best"),
    ],
)
def test_senseless_requests(
    run: Run, aligned: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    page = tmp_path / "page.html"
    found = run("translate", "--model", aligned, TEXT, *arguments, "--html", page, *FAST)
    assert (found.status, found.output) == (2, "")
    assert message in found.errors
    assert not page.exists()
