"""Extraction: known terms of a made-up memory come back, whoever does the work and however often it stops."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.alignment.statistical.hmm import CorpusLinks
from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary
from lexalign.glossary.entries import Place
from lexalign.glossary.matching.words import split
from lexalign.terminology.extraction.candidates import TermTranslation, make_candidate
from lexalign.terminology.extraction.counting import TermCount, count_terms, merge_terms, write_counts
from lexalign.terminology.extraction.entries import EntryOptions, KnownTerms, new_entries, to_entry
from lexalign.terminology.extraction.job import Extraction, extract_terms
from lexalign.terminology.extraction.needed_terms import needed_entries
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.extraction.projection import Projector
from lexalign.terminology.extraction.ranking import RankedTerm
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.text_words import TextWords
from lexalign.terminology.extraction.translations import TargetEvidence, TermEvidence
from lexalign.terminology.extraction.windows import WindowFinder, Windows
from lexalign.terminology.extraction.workers import Processes, RayTasks, RunShards, ShardTask, Workers
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
    """Workers that stop when they have done so much."""

    def __init__(self, num_tasks: int) -> None:
        self._left = num_tasks

    @contextmanager
    def start(self) -> Iterator[RunShards]:
        yield self._run

    def _run(self, task: ShardTask, numbers: Sequence[int]) -> Iterator[int]:
        for number in numbers:
            if not self._left:
                raise KeyboardInterrupt
            self._left -= 1
            task(number)
            yield number


def test_a_stopped_job_goes_on_and_ends_alike(tmp_path: Path, found: Extraction) -> None:
    work = tmp_path / "work"
    for num_tasks in (1, 10, 25, 20):  # stops in every stage
        with pytest.raises(KeyboardInterrupt):
            extract(tmp_path, make_units(400), Failing(num_tasks), work=work)
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


def test_ray_makes_no_difference(tmp_path: Path, found: Extraction) -> None:
    pytest.importorskip("ray")
    other = extract(tmp_path, make_units(400), RayTasks())
    assert [_without_places(one) for one in other.candidates] == [
        _without_places(one) for one in found.candidates
    ]


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
    with pytest.raises(LexalignError, match=r"changed places.*--from de --to en"):
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


def test_a_tenth_of_garbage_leaves_the_terms(tmp_path: Path) -> None:
    units = make_units(360)
    lines = [f"{unit.source}\t{unit.target}".encode() for unit in units]
    swapped = [f"{unit.target}\t{unit.source}".encode() for unit in make_units(8, seed=2)]
    others = [f"{one.source}\t{two.target}".encode() for one, two in zip(units[:8], units[8:16], strict=True)]
    broken = [b"\xff\xfe\tx", b"one column", b"\t", b"a\tb\tc", b"x" * 1_500_000 + b"\ty", b"\x00\t1"] * 4
    for index, line in enumerate([*swapped, *others, *broken]):
        lines.insert(index * 9, line)
    path = tmp_path / "memory.tsv"
    path.write_bytes(b"\n".join(lines) + b"\n")
    found = extract_terms([BilingualFile(path)], Languages("en", "de"), ExtractOptions(max_terms=200))
    best = {one.source: one.best.target for one in found.candidates}
    assert TERMS.items() <= best.items()
    assert found.split.left_out["not UTF-8 text"] == 12
    assert found.split.left_out["no tab"] == 4
    assert found.split.left_out["a side is empty"] == 4


def test_nothing_useful_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match="no unit can be used: 1 a side is empty"):
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


@settings(deadline=None)
@given(st.text("aB s-'\u2019ü中.1", max_size=30).map(lambda text: " ".join(text.split())))
def test_windows_have_the_keys_of_their_words(text: str) -> None:
    words, keys = split(text), TermKeys("de")
    spans = [(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    first, last = np.array(spans, dtype=np.int64).reshape(-1, 2).T
    expected = [keys.key(words[start:end]) for start, end in spans]
    assert keys.of_phrases(TextWords.read([text]), first, last) == expected


def test_entries_have_the_forms_of_the_memory(tmp_path: Path) -> None:
    units = [
        replace(unit, source=unit.source.replace("invoice", "invoices"), target=_plural(unit.target))
        if index % 2
        else unit
        for index, unit in enumerate(make_units(400))
    ]
    entries = new_entries(
        extract(tmp_path, units).candidates,
        KnownTerms(Glossary(), "en", "de"),
        EntryOptions(),
        ("en", "de"),
    )
    (invoice,) = (entry for entry in entries if entry.source == "invoice")
    assert invoice.targets == ("Rechnung", "Rechnungen")


def _plural(text: str) -> str:
    return text.replace("Rechnung", "Rechnungen")


def test_what_is_copied_is_listed_as_it_is_copied() -> None:
    forms = Counter({"Windows": 9, "window": 3})
    targets = {
        "windows": TargetEvidence(9, 9.0, Counter({"Windows": 9})),
        "fenster": TargetEvidence(3, 3.0, Counter({"Fenster": 3})),
    }
    term = RankedTerm("window", "window", TermCount(12, 6, forms), 1.0)
    candidate = make_candidate(term, TermEvidence(12, 9, targets), ("en", "de"), lambda _: ("", "", ""))
    assert candidate is not None
    assert (candidate.source, candidate.best.target) == ("Windows", "Windows")


@pytest.mark.parametrize(("name", "policy"), [("Each", "must"), ("IT", "keep"), ("Contoso", "keep")])
def test_words_that_begin_sentences_everywhere_are_not_kept(name: str, policy: str) -> None:
    targets = {name.lower(): TargetEvidence(9, 9.0, Counter({name: 9}))}
    term = RankedTerm(name.lower(), name, TermCount(9, 9, Counter({name: 9})), 1.0)
    candidate = make_candidate(term, TermEvidence(9, 9, targets), ("en", "de"), lambda _: ("", "", ""))
    assert candidate is not None
    assert candidate.policy == policy


def test_terms_that_a_model_uses_are_left_to_it(found: Extraction) -> None:
    entries = new_entries(found.candidates, KnownTerms(Glossary(), "en", "de"), EntryOptions(), ("en", "de"))
    known = {unit.source: unit.target for unit in make_units(400)}

    def translate(texts: Sequence[str]) -> list[str]:
        return [known[text].replace("Lieferant", "Kreditor") for text in texts]

    left = needed_entries(entries, found.candidates, translate, ("en", "de"))
    assert [entry.source for entry in left if entry.source in TERMS] == ["vendor"]


def test_terms_that_people_do_not_use_either_are_not_needed(found: Extraction) -> None:
    (vendor,) = [one for one in found.candidates if one.source == "vendor"]
    best = replace(vendor.best, examples=(("m", "Pay the vendor.", "Zahlen Sie an den Lieferanten."),))
    other = replace(best, examples=(("m", "The vendor was late.", "Die Firma kam zu spät."),))
    entry = Entry(source="vendor", targets=("Lieferant",), source_language="en", target_language="de")

    def needed(*translations: TermTranslation) -> list[Entry]:
        candidate = replace(vendor, translations=translations)
        return needed_entries([entry], [candidate], lambda texts: ["Kreditor"] * len(texts), ("en", "de"))

    assert needed(best) == [entry]
    assert needed(best, other) == []
    assert needed(replace(best, examples=())) == []


def test_rare_translations_have_their_dictionary_form() -> None:
    pytest.importorskip("simplemma")
    forms = Counter({"Handschuhen": 2})
    term = RankedTerm("glove", "gloves", TermCount(2, 2, Counter({"gloves": 2})), 1.0)
    evidence = TermEvidence(2, 0, {"handschuh": TargetEvidence(2, 2.0, forms)})
    candidate = make_candidate(term, evidence, ("en", "de"), lambda _: ("", "", ""))
    assert candidate is not None
    assert to_entry(candidate, EntryOptions(), ("en", "de")).targets == ("Handschuhen", "Handschuh")


def test_windows_lie_between_punctuation_and_function_words() -> None:
    words = TextWords.read(["The point of sale, in Dynamics 365 and a New Folder"])
    windows = WindowFinder(FUNCTION_WORDS).find(words)
    assert set(words.forms(windows.first, windows.last)) == {
        "point", "sale", "point of sale", "Dynamics", "Dynamics 365", "New", "Folder", "New Folder",
        "Dynamics 365 and a New",
    }  # fmt: skip


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
    source = TextWords.read(["the order line closes and then it is opened again now"])
    target = TextWords.read(["und die Auftragsposition schließt sich ganz von selbst dann wieder auf"])
    points = np.array([link.split("-") for link in links.split()], dtype=np.int32)
    found = CorpusLinks(np.array([0, len(points)]), points, np.full(len(points), 0.9, dtype=np.float32))
    first, last = (np.array([each]) for each in window)
    windows = Windows(first, last, np.array([True]), np.array([False]))
    functions = FUNCTION_WORDS, frozenset({"die"})
    projections = Projector(source, target, found, functions).project(windows)
    forms = target.forms(projections.first, projections.last) if projections.found[0] else [None]
    assert forms == [expected]


@pytest.mark.parametrize(
    ("text", "links", "expected"),
    [
        ("a debate on foreign policy in this house and elsewhere too", "0-3 1-1", "foreign policy"),
        ("a debate on foreign matters in this house and elsewhere too", "0-3 1-1 2-4", "foreign"),
        ("a debate on foreign (policy in this house and elsewhere too", "0-3 0-5 1-1", None),
    ],
)
def test_a_translation_has_the_words_beside_it_that_have_no_link(
    text: str, links: str, expected: str | None
) -> None:
    source, target = TextWords.read(["Außenpolitik Debatte Fragen ist hier und dort auch so da jetzt"]), text
    words = TextWords.read([target])
    points = np.array([link.split("-") for link in links.split()], dtype=np.int32)
    found = CorpusLinks(np.array([0, len(points)]), points, np.full(len(points), 0.9, dtype=np.float32))
    functions = frozenset({"ist"}), frozenset({"a", "on", "in", "this", "and", "too"})
    windows = Windows(np.array([0]), np.array([1]), np.array([True]), np.array([True]))
    projector = Projector(source, words, found, functions)
    projections = projector.project(windows)
    forms = words.forms(projections.first, projections.last) if projections.found[0] else [None]
    assert forms == [expected]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30))
def test_counts_of_shards_are_those_of_the_whole(
    tmp_path_factory: pytest.TempPathFactory, cut: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    units = make_units(len(cut))
    finder, keys = WindowFinder(FUNCTION_WORDS), TermKeys("en")
    for number in range(4):
        part = [unit.source for unit, shard in zip(units, cut, strict=True) if shard == number]
        write_counts(folder / f"{number}", count_terms(part, finder, keys), 7)
    paths = sorted(folder.iterdir())
    merged = {one.key: one.read() for part in range(7) for one in merge_terms(paths, part, 1)}
    assert merged == count_terms([unit.source for unit in units], finder, keys).terms()


def test_duplicates_are_told_beyond_what_is_recent() -> None:
    seen = Duplicates()
    units, new = make_units(50), Unit("new", "neu", Place("x"))
    assert seen.new_ones([*units, units[0]]) == units
    assert seen.new_ones(units[:20]) == []
    seen._merge()
    assert seen.new_ones([*units[10:], new, new]) == [new]


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
