"""What is asked for where a term is found: its targets, their case, forms and compounds."""

import pytest

from lexalign.contracts.constraint import Constraint
from lexalign.glossary import Entry, Glossary, Matcher, MatchOptions, parse_term
from lexalign.glossary.matching.lemmas import TableLemmas
from tests.glossary.matchers import matcher


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a house", ("maison",)),
        ("a House", ("Maison",)),
        ("a HOUSE", ("MAISON",)),
        ("House prices", ("Maison", "maison")),
        ("Yes. “House prices”", ("Maison", "maison")),
    ],
)
def test_targets_follow_the_case_of_the_source(text: str, expected: tuple[str, ...]) -> None:
    (match,) = matcher("house=maison").match(text)
    assert match.constraint.targets == expected


def test_policies_become_constraints() -> None:
    entries = (
        Entry(source="a", targets=("x",), policy="prefer"),
        Entry(source="b", policy="keep"),
        Entry(source="c", targets=("y",), policy="avoid"),
    )
    assert matcher(*entries).constraints("- a b c") == (
        Constraint(targets=("x",), source=(2, 3), kind="prefer"),
        Constraint(targets=("b",), source=(4, 5)),
        Constraint(targets=("y", "Y"), source=(6, 7), kind="avoid"),
    )


def test_what_is_avoided_is_avoided_in_any_case() -> None:
    ban = Entry(source="Bericht", targets=("report",), policy="avoid")
    typed = Entry(source="Bericht", targets=("report",), policy="avoid", case="as-typed")
    assert matcher(ban).constraints("Der Bericht.")[0].targets == ("report", "Report", "REPORT")
    assert matcher(typed).constraints("Der Bericht.")[0].targets == ("report",)


def test_entries_for_one_place_are_merged() -> None:
    prefer = Entry(source="a", targets=("p",), policy="prefer")
    avoid = Entry(source="a", targets=("q",), policy="avoid")
    must, ban = matcher(prefer, "a=x|y", avoid, "a=z").match("- a")
    assert (must.constraint.kind, must.constraint.targets) == ("must", ("x", "y", "z"))
    assert (ban.constraint.kind, ban.constraint.targets) == ("avoid", ("q", "Q"))
    assert [entry.targets for entry in must.entries] == [("x", "y"), ("z",)]
    (kept,) = matcher("a=x", Entry(source="a", policy="keep")).match("- a")
    assert kept.constraint.targets == ("a",)


@pytest.mark.parametrize(
    ("forms", "text", "expected"),
    [
        ("listed", "zwei Häuser", ("house",)),
        ("all", "zwei Häuser", ("house", "houses")),
        ("all", "ein Haus", ("house", "houses")),
    ],
)
def test_target_forms(forms: str, text: str, expected: tuple[str, ...]) -> None:
    options = MatchOptions(target_forms=forms)  # type: ignore[arg-type]
    (match,) = matcher("Haus=house", options=options, target_language="en").match(text)
    assert match.constraint.targets == expected


@pytest.mark.parametrize(
    ("target", "language", "forms", "expected"),
    [
        ("to save", "en", "all", {"to save", "save", "saves", "saved", "saving"}),
        ("to write", "en", "all", {"to write", "write", "writes", "wrote", "written", "writing"}),
        ("to save", "en", "listed", {"to save", "save"}),
        ("the report", "en", "listed", {"the report", "report"}),
        ("der Bericht", "de", "listed", {"der Bericht", "Bericht"}),
    ],
)
def test_target_forms_without_which_few_sentences_could_be_written(
    target: str, language: str, forms: str, expected: set[str]
) -> None:
    options = MatchOptions(target_forms=forms)  # type: ignore[arg-type]
    found = matcher(f"x={target}", options=options, target_language=language).constraints("y x")
    assert set(found[0].targets) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"house", "houses"}),
        ({"forms": "exact"}, {"house"}),
        ({"case": "as-typed"}, {"house"}),
        ({"case": "as-typed", "forms": "inflected"}, {"house", "houses"}),
        ({"source": "house", "forms": "inflected"}, {"house", "houses"}),
        ({"source": "house"}, {"house"}),
    ],
)
def test_an_entry_has_rules_of_its_own(fields: dict[str, str], expected: set[str]) -> None:
    entry = Entry(**{"source": "Haus", "targets": ("house",), **fields})  # type: ignore[arg-type]
    compiled = matcher(entry, target_language="en")
    assert set(compiled.constraints(f"im {entry.source}")[0].targets) == expected
    listed = matcher(entry, target_language="en", options=MatchOptions(target_forms="listed"))
    own = {"house", "houses"} if fields.get("forms") == "inflected" else {"house"}
    assert set(listed.constraints(f"im {entry.source}")[0].targets) == own


@pytest.mark.parametrize(
    ("text", "source", "target", "expected"),
    [
        ("our extension", "extension", "Prüfung", {"Prüfung", "Prüfungen"}),
        ("the Extension page", "Extension", "Prüfung", {"Prüfung"}),
        ("the Due date field", "Due date", "neue Prüfung", {"neue Prüfung"}),
        ("the due date", "Due date", "Prüfung", {"Prüfung", "Prüfungen"}),
        ("a Member State", "Member State", "Prüfung", {"Prüfung"}),
        ("all Member States", "Member State", "Prüfung", {"Prüfung", "Prüfungen"}),
        ("the European Union", "European Union", "Neue Union", {"Neue Union", "Neuen Union", "Neuer Union"}),
    ],
)
def test_names_and_labels_are_not_inflected(text: str, source: str, target: str, expected: set[str]) -> None:
    pytest.importorskip("simplemma")
    lemmas = TableLemmas({"States": "State"})
    glossary = Glossary((parse_term(f"{source}={target}"),))
    compiled = Matcher(glossary, lemmas=lemmas, source_language="en", target_language="de")
    assert {form for form in compiled.constraints(text)[0].targets if "Unionen" not in form} == expected


def test_a_verb_has_the_forms_of_a_verb() -> None:
    pytest.importorskip("simplemma")
    compiled = matcher("speichern=save", source_language="de", target_language="en")
    assert compiled.constraints("wir speichern")[0].targets == ("save", "saves", "saved", "saving")
    noun = matcher("Rettung=save", source_language="de", target_language="en")
    assert noun.constraints("die Rettung")[0].targets == ("save", "saves")


def test_german_adjectives_are_declined_even_where_the_source_is_not() -> None:
    found = matcher("personal data=personenbezogene Daten", target_language="de").constraints(
        "my personal data"
    )
    assert {"personenbezogener Daten", "personenbezogenen Daten"} < set(found[0].targets)


def test_an_english_verb_allows_the_persons_of_a_german_one() -> None:
    compiled = matcher("to check=prüfen", source_language="en", target_language="de")
    assert {"prüfen", "prüft", "geprüft"} < set(compiled.constraints("we check it")[0].targets)


@pytest.mark.parametrize(
    ("fields", "language", "expected"),
    [
        (
            {},
            "de",
            {"-prüfung", "-Prüfung", "-prüfungen", "-Prüfungen", "Prüfung-", "Prüfungs-", "Prüfungen-"},
        ),
        (
            {"targets": ("Bericht", "Berichts", "Berichtes"), "forms": "exact", "compounds": "allowed"},
            "de",
            {
                "-bericht",
                "-berichts",
                "-berichtes",
                "-Bericht",
                "-Berichts",
                "-Berichtes",
                "Bericht-",
                "Berichts-",
            },
        ),
        ({"forms": "exact"}, "de", set()),
        ({"compounds": "whole-word"}, "de", set()),
        ({"source": "Check"}, "de", set()),
        ({"policy": "avoid"}, "de", set()),
        ({}, "sv", set()),
        ({"compounds": "allowed", "targets": ("hus",)}, "sv", set()),
        ({"compounds": "allowed", "targets": ("bord", "stort bord")}, "sv", {"-bord", "bord-"}),
        ({"compounds": "allowed", "targets": ("check",)}, "en", set()),
    ],
)
def test_compounds_by_language_and_by_entry(
    fields: dict[str, str], language: str, expected: set[str]
) -> None:
    entry = Entry(**{"source": "check", "targets": ("Prüfung",), **fields})  # type: ignore[arg-type]
    compiled = matcher(entry, source_language="en", target_language=language)
    assert set(compiled.constraints(f"a {entry.source}")[0].parts) == expected
    without = matcher(
        entry, source_language="en", target_language=language, options=MatchOptions(compounds=False)
    )
    own = expected if fields.get("compounds") == "allowed" else set()
    assert set(without.constraints(f"a {entry.source}")[0].parts) == own
