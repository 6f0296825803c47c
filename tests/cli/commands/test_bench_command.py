"""`lexalign bench` measures every case that it is asked for."""

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_a_table_and_a_file(run: Run, model: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.de"
    text.write_text("Anna kaufte Äpfel.\nBen sah das Haus.\n", encoding="utf-8")
    figures = tmp_path / "figures.json"
    files = ("--model", model, "--input", text, "--json", figures)
    done = run("bench", *files, "--beams", "1,2", "--batches", "1,3", "--rounds", 1)
    assert done.status == 0, done.errors
    found = json.loads(figures.read_text(encoding="utf-8"))["results"]
    cases = {(one["length"], one["beam"], one["batch"], one["term"]) for one in found}
    # Terms need a beam.
    assert len(cases) == len(found) == 3 * (2 + 2 * 2)
    assert all(one["seconds"] > 0 for one in found)
    assert len(done.output.splitlines()) == 1 + len(found) + 1


def test_what_is_no_number_is_an_error(run: Run, model: Path) -> None:
    failed = run("bench", "--model", model, "--beams", "five")
    assert failed.status == 2
    assert "give a list of numbers" in failed.errors
