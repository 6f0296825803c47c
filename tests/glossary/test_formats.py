"""Every format gives back what it was given, and reads what other programs write."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, parse_glossary, read_glossary, render_glossary, write_glossary
from lexalign.glossary.entries import CASE_RULES, POLICIES
from lexalign.glossary.formats.files import FORMATS

LETTERS = st.characters(
    exclude_categories=("Cs", "Cc", "Cn", "Co", "Zl", "Zp", "Zs"), exclude_characters="\ufeff"
)
TEXTS = st.lists(st.text(LETTERS | st.sampled_from("|\\,;\"'<&=]>"), min_size=1), min_size=1, max_size=3).map(
    " ".join
)
CODES = st.sampled_from(["de", "de-CH"]), st.sampled_from(["en", "en-GB"])


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    policy = draw(st.sampled_from(POLICIES))
    targets = draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True))
    return Entry(
        source=draw(TEXTS),
        targets=() if policy == "keep" else tuple(targets),
        policy=policy,
        case=draw(st.sampled_from(CASE_RULES)),
        note=draw(TEXTS | st.just("")),
        source_language="de",
        target_language="en",
    )


def without_places(glossary: Glossary) -> list[Entry]:
    return [replace(entry, place=None) for entry in glossary]


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=60, deadline=None)
@given(listed=st.lists(entries(), min_size=1, max_size=4))
def test_what_is_written_is_read_again(format: str, listed: list[Entry]) -> None:
    content = render_glossary(Glossary(tuple(listed)), format)  # type: ignore[arg-type]
    assert without_places(parse_glossary(content, format)) == listed  # type: ignore[arg-type]


def entry(source: str, *targets: str, **fields: object) -> Entry:
    languages = {"source_language": "de", "target_language": "en"}
    return Entry(source=source, targets=targets, **{**languages, **fields})  # type: ignore[arg-type]


TBX_2008 = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><martifHeader><fileDesc/></martifHeader><text><body>
<termEntry id="1"><descrip type="definition">a place to live</descrip><note>for people</note>
  <langSet xml:lang="de"><tig><term>Haus</term></tig><tig><term>Heim</term></tig></langSet>
  <langSet xml:lang="en-GB">
    <ntig><termGrp><term>home</term><termNote type="administrativeStatus">admittedTerm-admn-sts</termNote>
    </termGrp></ntig>
    <tig><term>house</term><termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></tig>
    <tig><term>shack</term><termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig>
  </langSet>
  <langSet xml:lang="fr"><tig><term>maison</term></tig></langSet>
</termEntry>
<termEntry id="2"><langSet xml:lang="de"><tig><term>Lexalign</term>
  <termNote type="doNotTranslate">yes</termNote></tig></langSet></termEntry>
</body></text></martif>
"""


def test_tbx_of_2008_with_synonyms_and_statuses() -> None:
    found = parse_glossary(TBX_2008.encode(), "tbx", source_language="de", target_language="en")
    english = {"target_language": "en-GB"}
    assert without_places(found) == [
        entry("Haus", "house", "home", note="for people", **english),
        entry("Haus", "shack", policy="avoid", note="for people", **english),
        entry("Heim", "house", "home", note="for people", **english),
        entry("Heim", "shack", policy="avoid", note="for people", **english),
        entry("Lexalign", policy="keep", **english),
    ]
    assert [one.place.line for one in found if one.place] == [5, 5, 5, 5, 14]


def test_tbx_of_2019_in_both_styles() -> None:
    status = (
        '<termNote type="administrativeStatus">supersededTerm-admn-sts</termNote>',
        "<min:administrativeStatus>supersededTerm-admn-sts</min:administrativeStatus>",
    )
    for style, note in zip(("dca", "dct"), status, strict=True):
        content = f"""<tbx type="TBX-Min" style="{style}" xml:lang="de" xmlns="urn:iso:std:iso:30042:ed-2"
            xmlns:min="http://www.tbxinfo.net/ns/min"><text><body><conceptEntry id="1">
            <langSec xml:lang="de"><termSec><term>Haus</term></termSec></langSec>
            <langSec xml:lang="en"><termSec><term>shack</term>{note}</termSec></langSec>
            </conceptEntry></body></text></tbx>"""
        assert without_places(parse_glossary(content.encode(), "tbx")) == [
            entry("Haus", "shack", policy="avoid")
        ]


def test_a_direction_can_be_turned_round() -> None:
    found = parse_glossary(TBX_2008.encode(), "tbx", source_language="fr", target_language="de")
    assert [(one.source, one.targets) for one in found if one.policy == "must"] == [
        ("maison", ("Haus", "Heim"))
    ]


TMX = """<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="de" datatype="html"/><body>
<tu>
<tuv xml:lang="en"><seg>the <bpt i="1">&lt;b&gt;</bpt>big<ept i="1"/> <hi>house</hi></seg></tuv>
<tuv lang="DE"><seg>das große Haus</seg></tuv></tu>
</body></tmx>"""


def test_tmx_has_its_source_language_and_markup_is_no_text() -> None:
    (found,) = parse_glossary(TMX.encode(), "tmx")
    assert (found.source, found.targets) == ("das große Haus", ("the big house",))


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"Haus,house|home\nBank,bank\n", "csv"),
        (b"\xef\xbb\xbfsource;target\r\nHaus;house|home\r\n\r\nBank;bank\r\n", "csv"),
        (b"de,en\nHaus,house|home\nBank,bank", "csv"),
        (b"note,target,source\n,house|home,Haus\n,bank,Bank\n", "csv"),
        ("de\ten\nHaus\thouse|home\nBank\tbank\n".encode("utf-16"), "tsv"),
        (b"fr\tde\ten\nmaison\tHaus\thouse|home\nbanque\tBank\tbank\n", "tsv"),
    ],
)
def test_columns_as_people_write_them(content: bytes, format: str) -> None:
    found = parse_glossary(content, format, source_language="de", target_language="en")  # type: ignore[arg-type]
    assert [(one.source, one.targets) for one in found] == [("Haus", ("house", "home")), ("Bank", ("bank",))]


def test_rows_with_languages_of_their_own() -> None:
    content = b"source,target,source_language,target_language\nHaus,house,de,en\nHaus,maison,de,fr\nx,y,,\n"
    found = parse_glossary(content, "csv", source_language="de", target_language="fr")
    assert [one.targets for one in found] == [("maison",), ("y",)]
    assert len(parse_glossary(content, "csv")) == 3


def test_a_note_over_two_lines_does_not_shift_the_count() -> None:
    content = b'source,target,note\nHaus,house,"one\ntwo"\nBank,,\n'
    with pytest.raises(LexalignError, match="terms, line 4: the target is empty"):
        parse_glossary(content, "csv", name="terms")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    without_languages = Glossary((Entry(source="Haus", targets=("house",)),))
    with pytest.raises(LexalignError, match='languages of "Haus" are not known'):
        write_glossary(without_languages, tmp_path / "terms.tbx")
    assert not list(tmp_path.iterdir())
    write_glossary(without_languages, tmp_path / "terms.TSV")
    assert without_places(read_glossary(tmp_path / "terms.TSV")) == list(without_languages)
