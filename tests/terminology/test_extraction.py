"""Extraction: known terms of a made-up memory come back, whoever does the work and however often it stops."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.alignment import Link
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.glossary.entries import Place
from lexalign.glossary.matching.words import split
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.extraction.counting import count_terms, merge_terms, write_counts
from lexalign.terminology.extraction.entries import EntryOptions, KnownTerms, new_entries
from lexalign.terminology.extraction.job import Extraction, extract_terms
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.extraction.projection import Projector
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.windows import Window, WindowFinder
from lexalign.terminology.extraction.workers import Processes, RayTasks, ShardTask, ThisProcess, Workers
from lexalign.terminology.filtering import Duplicates, reason_against
from lexalign.terminology.reading import BilingualFile, Languages
from lexalign.terminology.units import Unit
from tests.terminology.small_memory import NAMES, TERMS, make_units

FUNCTION_WORDS = frozenset({"the", "a", "of", "in", "and", "is", "before", "you"})


def write_memory(folder: Path, units: Sequence[Unit]) -> list[BilingualFile]:
    path = folder / "memory.tsv"
    path.write_text("".join(f"{unit.source}\t{unit.target}\n" for unit in units), encoding="utf-8")
    return [BilingualFile(path)]


def extract(
    folder: Path, units: Sequence[Unit], workers: Workers | None = None, **more: object
) -> Extraction:
    options = ExtractOptions(max_terms=200, shard_size=150)
    return extract_terms(write_memory(folder, units), Languages("en", "de"), options, workers=workers, **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Extraction:
    return extract(tmp_path_factory.mktemp("memory"), make_units(400))


def test_terms_come_back_with_their_translations(found: Extraction) -> None:
    by_source = {one.source: one for one in found.candidates}
    for source, target in TERMS.items():
        assert by_source[source].best.target == target
        assert by_source[source].confidence > 0.6
        assert by_source[source].best.examples


def test_names_that_are_always_copied_are_kept(found: Extraction) -> None:
    kept = {one.source for one in found.candidates if one.policy == "keep"}
    assert set(NAMES) <= kept
    assert not kept & set(TERMS)


def test_entries_leave_a_glossary_as_it_is(found: Extraction) -> None:
    known = Glossary(
        (Entry(source="invoice", targets=("Faktura",)), Entry(source="rare", targets=("selten",)))
    )
    terms = KnownTerms(known, "en", "de")
    entries = new_entries(found.candidates, terms, EntryOptions(), ("en", "de"))
    assert "invoice" not in {entry.source for entry in entries}
    assert {"vendor", "sales order"} <= {entry.source for entry in entries}
    (contradiction,) = terms.contradictions(found.candidates)
    assert (contradiction.entry.source, contradiction.candidate.best.target) == ("invoice", "Rechnung")


class Failing:
    """Workers that stop after one shard."""

    def run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        yield next(iter(ThisProcess().run(task, numbers)))
        raise KeyboardInterrupt


def test_a_stopped_job_goes_on_and_ends_alike(tmp_path: Path, found: Extraction) -> None:
    work = tmp_path / "work"
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            extract(tmp_path, make_units(400), Failing(), work=work)
    resumed = extract(tmp_path, make_units(400), work=work)
    assert [_without_places(one) for one in resumed.candidates] == [
        _without_places(one) for one in found.candidates
    ]
    with pytest.raises(LexalignError, match="another job, with other files"):
        extract(tmp_path, make_units(399), work=work)


def test_processes_make_no_difference(tmp_path: Path, found: Extraction) -> None:
    other = extract(tmp_path, make_units(400), Processes(2))
    assert [_without_places(one) for one in other.candidates] == [
        _without_places(one) for one in found.candidates
    ]


@dataclass(frozen=True)
class WriteNumber:
    """The smallest work on a shard."""

    folder: Path

    def __call__(self, number: int) -> None:
        (self.folder / str(number)).write_text(str(number))


def test_ray_does_every_shard_once(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    assert sorted(RayTasks().run(WriteNumber(tmp_path), [2, 3, 5])) == [2, 3, 5]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "3", "5"]


def _without_places(candidate: object) -> object:
    """A candidate but for the paths in its examples."""
    return replace(candidate, translations=tuple(replace(one, examples=()) for one in candidate.translations))  # type: ignore[attr-defined, type-var]


def test_conflicts_have_their_contexts(tmp_path: Path) -> None:
    units = make_units(400)
    changed = [
        replace(unit, target=unit.target.replace("Lieferant", "Kreditor")) if index % 3 == 0 else unit
        for index, unit in enumerate(units)
    ]
    vendor = next(one for one in extract(tmp_path, changed).candidates if one.source == "vendor")
    assert vendor.best.target == "Lieferant"
    assert [one.target for one in vendor.conflicting] == ["Kreditor"]
    assert "Kreditor" in vendor.conflicting[0].examples[0][2]


def test_swapped_columns_and_other_languages_are_refused(tmp_path: Path) -> None:
    swapped = [replace(unit, source=unit.target, target=unit.source) for unit in make_units(60)]
    with pytest.raises(LexalignError, match=r"changed places.*--languages de:en"):
        extract(tmp_path, swapped)
    units = make_units(60)
    with pytest.raises(LexalignError, match="target texts seem to be in de"):
        extract_terms(write_memory(tmp_path, units), Languages("en", "fr"))
    assert extract_terms(write_memory(tmp_path, units), Languages("en", "fr"), any_language=True).candidates


def test_garbage_is_counted_and_changes_nothing(tmp_path: Path, found: Extraction) -> None:
    units = make_units(400)
    garbage = [
        Unit("", "leer", Place("x")),
        Unit("12 34 56", "78", Place("x")),
        Unit("word " * 1000, "Wort", Place("x")),
        units[0],
        Unit("a very long sentence without any translation at all", "x", Place("x")),
    ]
    other = extract(tmp_path, [*units, *garbage])
    assert other.split.left_out == {
        "a side is empty": 1,
        "hardly any letters": 1,
        "over 2,000 characters": 1,
        "a duplicate": 1,
        "one side is several times as long": 1,
    }
    assert [one.source for one in other.candidates] == [one.source for one in found.candidates]


def test_nothing_useful_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="no unit of the material is of use: 1 a side is empty"):
        extract(tmp_path, [Unit("", "x", Place("x"))])


@pytest.mark.parametrize(
    ("language", "text", "key"),
    [
        ("en", "sales orders", "sales order"),
        ("en", "companies", "company"),
        ("en", "posting", "posting"),
        ("en", "status", "status"),
        ("de", "neuen Verkaufsaufträgen", "neu verkaufsauftrag"),
        ("de", "Rechnungen", "rechnung"),
    ],
)
def test_forms_of_a_term_have_one_key(language: str, text: str, key: str) -> None:
    assert TermKeys(language).key(split(text)) == key


def test_windows_lie_between_punctuation_and_function_words() -> None:
    text = "The point of sale, in Dynamics 365 and a New Folder"
    words = split(text)
    found = {
        text[words[one.start].start : words[one.end - 1].end]
        for one in WindowFinder(FUNCTION_WORDS).find(words)
    }
    assert found == {
        "point", "sale", "point of sale", "Dynamics", "Dynamics 365", "New", "Folder", "New Folder",
        "Dynamics 365 and a New",
    }  # fmt: skip


def aligned(source: str, target: str, links: str) -> AlignedUnit:
    pairs = [link.split("-") for link in links.split()]
    points = [Link(int(first), int(second), 0.9) for first, second in pairs]
    return AlignedUnit(Unit(source, target, Place("x")), split(source), split(target), tuple(points))


@pytest.mark.parametrize(
    ("links", "window", "expected"),
    [
        ("0-0 1-2 2-2 3-3", (1, 3), "Auftragsposition"),  # consistent
        ("0-0 1-2 2-2 3-3", (1, 2), None),  # its word is linked outside too
        ("0-0 1-2 3-3", (1, 2), None),  # the word beside it has no link
        ("0-1 1-1 1-2 2-2 3-3", (1, 3), None),
        ("3-3", (1, 3), None),
    ],
)
def test_projection(links: str, window: tuple[int, int], expected: str | None) -> None:
    unit = aligned(
        "the order line closes and then it is opened again now",
        "und die Auftragsposition schließt sich ganz von selbst dann wieder auf",
        links,
    )
    found = Projector(unit, (FUNCTION_WORDS, frozenset({"die"}))).project(Window(*window, True, False))
    words = unit.target
    assert (found and unit.unit.target[words[found.start].start : words[found.end - 1].end]) == expected


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_counts_of_shards_are_those_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, cut: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    units = make_units(len(cut))
    finder, keys = WindowFinder(FUNCTION_WORDS), TermKeys("en")
    for number in range(4):
        part = [unit for unit, shard in zip(units, cut, strict=True) if shard == number]
        write_counts(folder / f"{number}", count_terms(part, finder, keys))
    merged = {key: (one.count, one.alone) for key, one in merge_terms(sorted(folder.iterdir()), 1)}
    whole = count_terms(units, finder, keys).terms
    assert merged == {key: (one.count, one.alone) for key, one in whole.items()}


def test_duplicates_are_told_beyond_what_is_recent() -> None:
    seen = Duplicates()
    assert all(seen.add(unit) for unit in make_units(50))
    seen._merge()
    assert not any(seen.add(unit) for unit in make_units(50))
    assert seen.add(Unit("new", "neu", Place("x")))


@pytest.mark.parametrize(
    ("source", "target", "useful"),
    [
        ("A text.", "Ein Text.", True),
        ("東京に行きます。", "I am going to Tokyo.", True),
        ("x y z", "", False),
    ],
)
def test_reasons(source: str, target: str, useful: bool) -> None:
    assert (reason_against(Unit(source, target, Place("x"))) is None) == useful
