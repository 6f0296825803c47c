"""Headings of a parallel text, as known terms."""

import json
from pathlib import Path

from experiments.corpora.headings import main


def test_headings_are_short_lines_that_are_no_sentences(tmp_path: Path) -> None:
    pairs = [
        ("Skipped", "Übergangen"),
        ("Boat people", "Boat People"),
        ("Thank you.", "Danke."),
        ("Boat people", "Boat People"),
        ("- Report: Florenz", "- Bericht Florenz"),
        ("Fisheries", "Dies ist ein viel zu langes Ziel"),
        ("Visa", "Visum"),
    ]
    sides = []
    for index, name in enumerate(("text.en", "text.de")):
        sides.append(tmp_path / name)
        sides[-1].write_text("".join(f"{pair[index]}\n" for pair in pairs), encoding="utf-8")
    output = tmp_path / "headings.jsonl"
    main(["--source", str(sides[0]), "--target", str(sides[1]), "--skip", "1", "--to", str(output)])
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    found = [(one["src"], one["tgt"]) for row in rows for one in row["terms"]]
    assert found == [("Boat people", "Boat People"), ("Visa", "Visum")]
