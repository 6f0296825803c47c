"""One file serves both directions, whatever its header calls the languages."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Glossary, GlossaryFormat, parse_glossary, read_glossary, render_glossary
from lexalign.glossary.entries import join_alternatives
from lexalign.glossary.formats.files import FORMATS
from lexalign.glossary.formats.language_names import language_code

ROWS = "Haus|Heim{d}house|home\nBank{d}bank\n"
FORWARDS = [("Haus", ("house", "home")), ("Heim", ("house", "home")), ("Bank", ("bank",))]
BACKWARDS = [("house", ("Haus", "Heim")), ("home", ("Haus", "Heim")), ("bank", ("Bank",))]


def pairs(glossary: Glossary) -> list[tuple[str, tuple[str, ...]]]:
    return [(entry.source, entry.targets) for entry in glossary]


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [
        ("de,en", ","),
        ("German,English", ","),
        ("Deutsch;Englisch", ";"),
        ("de-DE;en-GB", ";"),
        ("DE\tEN-US", "\t"),
        ("\ufeffGERMAN (Austria),english", ","),
        ("deu,eng", ","),
        ("ger;ENG", ";"),
        ('"de_AT";" en"', ";"),
        ("sep=;\nde;en", ";"),
    ],
)
def test_the_header_and_the_languages_asked_for_tell_the_direction(header: str, delimiter: str) -> None:
    content = f"{header}\n{ROWS.format(d=delimiter)}".encode()
    assert pairs(parse_glossary(content, "csv", source_language="de", target_language="en")) == FORWARDS
    turned = parse_glossary(content, "csv", source_language="EN", target_language="German")
    assert pairs(turned) == BACKWARDS
    assert (turned.source_language, turned.target_language) == ("en", "de")


@pytest.mark.parametrize("header", ["", "source,target\n", "Term,Translation\n"])
def test_without_languages_the_first_column_is_the_source(header: str) -> None:
    content = (header + ROWS.format(d=",")).encode()
    assert pairs(parse_glossary(content, "csv", source_language="en", target_language="de")) == FORWARDS


def test_rows_with_languages_of_their_own_are_turned_one_by_one() -> None:
    content = b"source,target,source_language,target_language\nHaus,house,de,en\nbank,Bank,en,de\nx,y,fr,en\n"
    found = parse_glossary(content, "csv", source_language="en", target_language="de")
    assert pairs(found) == [("house", ("Haus",)), ("bank", ("Bank",))]


@pytest.mark.parametrize("header", ["de,en,fr", "French;German;English", "en-GB\tde\tfr\ten-US"])
def test_of_several_languages_the_two_asked_for_are_taken(header: str) -> None:
    delimiter = next(mark for mark in ",;\t" if mark in header)
    codes = [language_code(name) or "" for name in header.split(delimiter)]
    words = {"de": "Haus", "en": "house", "en-GB": "flat", "en-US": "house", "fr": "maison"}
    content = f"{header}\n{delimiter.join(words[code] for code in codes)}\n".encode()
    found = parse_glossary(content, "csv", source_language="fr", target_language="en-US")
    assert pairs(found) == [("maison", ("house",))]


def test_a_header_of_other_languages_is_an_error_that_names_both() -> None:
    with pytest.raises(LexalignError, match="terms holds de and fr; it cannot be read from en to ro"):
        parse_glossary(
            b"de,fr\nHaus,maison\n", "csv", name="terms", source_language="en", target_language="ro"
        )


@pytest.mark.parametrize("row", ["German,Deutsch", "English,anglais", "EDV,IT", "dog,cat", "USA,EU"])
def test_words_that_could_be_languages_are_no_header(row: str) -> None:
    assert len(parse_glossary(f"{row}\nHaus,house\n".encode(), "csv")) == 2


def test_an_unknown_column_beside_languages_is_named() -> None:
    with pytest.raises(LexalignError, match="line 1: unknown column 'domain'"):
        parse_glossary(b"de,en,domain\nHaus,house,law\n", "csv")


@pytest.mark.parametrize("row", ["Lexalign,,keep", ",Lexalign,dnt", "Lexalign,Lexalign,Do not translate"])
@pytest.mark.parametrize("languages", [("de", "en"), ("en", "de")])
def test_what_is_kept_is_kept_either_way(row: str, languages: tuple[str, str]) -> None:
    (found,) = parse_glossary(
        f"de,en,policy\n{row}\n".encode(), "csv", source_language=languages[0], target_language=languages[1]
    )
    assert (found.source, found.targets, found.policy) == ("Lexalign", (), "keep")


def test_what_is_kept_is_kept_between_other_languages_too() -> None:
    (found,) = parse_glossary(
        b"de,en,fr,policy\nLexalign,,,keep\n", "csv", source_language="fr", target_language="en"
    )
    assert (found.source, found.policy) == ("Lexalign", "keep")


RULES = b"""de,en,policy,case
Bericht,report|account,avoid,
Studie,study|paper,preferred,
US,USA,,as-typed
Lexalign|Lexa,,keep,
"""


@pytest.mark.parametrize("format", FORMATS)
def test_rules_in_the_other_direction_in_every_format(tmp_path: Path, format: GlossaryFormat) -> None:
    forwards = parse_glossary(RULES, "csv", source_language="de", target_language="en")
    path = tmp_path / f"terms.{format}"
    path.write_bytes(render_glossary(forwards, format))
    turned = read_glossary(path, source_language="en", target_language="de")
    assert [(one.source, one.targets, one.policy, one.case) for one in turned] == [
        ("study", ("Studie",), "prefer", "match-source"),
        ("paper", ("Studie",), "prefer", "match-source"),
        ("USA", ("US",), "must", "as-typed"),
        ("Lexalign", (), "keep", "match-source"),
        ("Lexa", (), "keep", "match-source"),
    ]


def test_a_deprecated_synonym_is_found_as_a_source_and_avoided_as_a_target() -> None:
    content = b"""<tbx type="TBX-Min" style="dca" xml:lang="de" xmlns="urn:iso:std:iso:30042:ed-2">
        <text><body><conceptEntry><langSec xml:lang="de"><termSec><term>Haus</term></termSec></langSec>
        <langSec xml:lang="en"><termSec><term>house</term></termSec><termSec><term>shack</term>
        <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termSec></langSec>
        </conceptEntry></body></text></tbx>"""
    forwards = parse_glossary(content, "tbx", source_language="de", target_language="en")
    assert [(one.targets, one.policy) for one in forwards] == [(("house",), "must"), (("shack",), "avoid")]
    turned = parse_glossary(content, "tbx", source_language="en", target_language="de")
    assert pairs(turned) == [("house", ("Haus",)), ("shack", ("Haus",))]


def test_synonyms_of_a_unit_are_alternatives_on_both_sides() -> None:
    texts = "".join(
        f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>'
        for code, text in (("de", "Haus"), ("de", "Heim"), ("en", "house"), ("en", "home"))
    )
    content = f'<tmx version="1.4"><header srclang="de"/><body><tu>{texts}</tu></body></tmx>'.encode()
    assert pairs(parse_glossary(content, "tmx")) == FORWARDS[:2]
    turned = parse_glossary(content, "tmx", source_language="en", target_language="de")
    assert pairs(turned) == BACKWARDS[:2]


WORDS = st.text(st.sampled_from("ab|\\ ,;\"'"), min_size=1).map(str.strip).filter(bool)
SIDES = st.lists(WORDS, min_size=1, max_size=3, unique=True)


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(SIDES, SIDES), min_size=1, max_size=4))
def test_turned_columns_and_turned_languages_are_the_same(rows: list[tuple[list[str], list[str]]]) -> None:
    def written(names: str, swap: bool) -> bytes:
        cells = [[join_alternatives(side) for side in (row[::-1] if swap else row)] for row in rows]
        quoted = ["\t".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in cells]
        return "\n".join([names, *quoted]).encode()

    there = parse_glossary(written("de\ten", False), "tsv", source_language="en", target_language="de")
    back = parse_glossary(written("en\tde", True), "tsv", source_language="en", target_language="de")
    assert pairs(there) == pairs(back) == [(one, tuple(row[0])) for row in rows for one in row[1]]


@settings(max_examples=60, deadline=None)
@given(row=st.tuples(SIDES, SIDES))
def test_alternatives_of_a_source_are_one_row_again(row: tuple[list[str], list[str]]) -> None:
    content = '"' + '","'.join(join_alternatives(side).replace('"', '""') for side in row) + '"\n'
    read = parse_glossary(f"source,target\n{content}".encode(), "csv")
    again = render_glossary(read, "csv").decode()
    assert len(again.splitlines()) == 2
    assert pairs(parse_glossary(again.encode(), "csv")) == pairs(read)
