import random
from pathlib import Path

import pytest

from experiments.corpora.large_memory import change_number, main

SOURCES = [
    "Repeat step 3.",
    "Thank you.",
    "Close the file.",
    "a b c d e f g h i j",
    "one two three four five six",
]
TARGETS = [
    "Wiederholen Sie Schritt 3.",
    "Vielen Dank.",
    "Schließen Sie die Datei.",
    "zu lang",
    "sechs Wörter",
]


@pytest.fixture
def memory(tmp_path: Path) -> list[list[str]]:
    (tmp_path / "text.en").write_text("".join(f"{line}\n" for line in SOURCES), encoding="utf-8")
    (tmp_path / "text.de").write_text("".join(f"{line}\n" for line in TARGETS), encoding="utf-8")
    files = ["--source", str(tmp_path / "text.en"), "--target", str(tmp_path / "text.de")]
    lengths = ["--max-words", "9", "--short-words", "5"]
    main([*files, *lengths, "--units", "10", "--to", str(tmp_path / "memory.tsv")])
    lines = (tmp_path / "memory.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def test_every_unit_is_another_one(memory: list[list[str]]) -> None:
    assert len({tuple(unit) for unit in memory}) == 10


def test_pairs_come_first_and_long_ones_not_at_all(memory: list[list[str]]) -> None:
    assert sorted(unit[0] for unit in memory[:4]) == sorted(SOURCES[:3] + SOURCES[4:])


def test_both_sides_are_varied_alike(memory: list[list[str]]) -> None:
    known = dict(zip(SOURCES, TARGETS, strict=True))
    for source, target in memory[4:]:
        if target.startswith("Wiederholen") and len(target.split()) == 4:
            assert source.removeprefix("Repeat step ") == target.removeprefix("Wiederholen Sie Schritt ")
        else:
            first = next(one for one in known if source.startswith(f"{one} "))
            rest = target.removeprefix(f"{known[first]} ")
            assert source.removeprefix(f"{first} ") in [one for one, other in known.items() if other == rest]


@pytest.mark.parametrize(
    "pair", [("no number", "keine"), ("page 3", "Seite 4"), ("2.5 m", "2,5 m"), ("A4", "A4")]
)
def test_a_number_that_sides_do_not_share_stays(pair: tuple[str, str]) -> None:
    assert change_number(pair, random.Random(1)) is None
