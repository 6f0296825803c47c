"""Bilingual files: all formats give the same units, broken lines are told, and harmful files refused."""

import bz2
from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.terminology.reading import Languages, list_inputs, read_units
from lexalign.terminology.units import Rejected, Unit

TMX = """<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>
<tu tuid="a"><tuv xml:lang="en-US">
<seg>Open the <bpt i="1">&lt;b&gt;</bpt>order<ept i="1">&lt;/b&gt;</ept>.</seg></tuv>
<tuv xml:lang="de"><seg>Öffnen Sie den Auftrag.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>Only English.</seg></tuv></tu></body></tmx>"""
XLIFF = """<?xml version="1.0"?><xliff version="1.2"><file original="x" source-language="en"><body>
<trans-unit id="1"><source>Open the <g id="1">order</g>. Close it.</source>
<seg-source><mrk mtype="seg" mid="1">Open the <g id="1">order</g>.</mrk>
<mrk mtype="seg" mid="2">Close it.</mrk></seg-source>
<target><mrk mtype="seg" mid="1">Öffnen Sie den Auftrag.</mrk>
<mrk mtype="seg" mid="2">Schließen.</mrk></target>
<alt-trans><target>Etwas anderes</target></alt-trans></trans-unit>
<trans-unit id="2" translate="no"><source>ABC</source><target>ABC</target></trans-unit>
<trans-unit id="3"><source>New</source></trans-unit></body></file></xliff>"""
XLIFF2 = """<?xml version="1.0"?><xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0">
<file id="f"><unit id="u"><segment><source>Open the <pc id="1">order</pc>.</source>
<target>Öffnen Sie den Auftrag.</target></segment></unit></file></xliff>"""
PO = r"""msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "Open the order."
msgstr "Öffnen Sie den Auftrag."

#, fuzzy
msgid "No"
msgstr "Nein"
"""


def read(path: Path, content: str | bytes, languages: Languages | None = None) -> list[Unit | Rejected]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(read_units(list_inputs([path]), languages or Languages()))


def texts(reads: list[Unit | Rejected]) -> list[tuple[str, str]]:
    return [(one.source, one.target) for one in reads if isinstance(one, Unit)]


FIRST = ("Open the order.", "Öffnen Sie den Auftrag.")


def test_tmx_has_units_in_both_languages_and_tells_of_others(tmp_path: Path) -> None:
    found = read(tmp_path / "m.tmx", TMX)
    assert texts(found) == [FIRST]
    assert isinstance(found[0], Unit)
    assert (found[0].identifier, found[0].place.line) == ("a", 2)
    assert (found[0].source_tags, found[0].target_tags) == (("bpt 1",), ())
    assert isinstance(found[1], Rejected)
    assert "de" in found[1].reason


def test_tmx_is_read_backwards_and_compressed(tmp_path: Path) -> None:
    found = read(tmp_path / "m.tmx.bz2", bz2.compress(TMX.encode()), Languages("de", "en"))
    assert texts(found) == [FIRST[::-1]]


def test_xliff_is_read_segment_by_segment_without_alternatives(tmp_path: Path) -> None:
    found = read(tmp_path / "m.xlf", XLIFF)
    assert texts(found) == [FIRST, ("Close it.", "Schließen."), ("New", "")]
    assert isinstance(found[0], Unit)
    assert found[0].source_tags == ("g 1",)


def test_xliff_2(tmp_path: Path) -> None:
    assert texts(read(tmp_path / "m.xliff", XLIFF2)) == [FIRST]


def test_po_without_fuzzy_messages(tmp_path: Path) -> None:
    assert texts(read(tmp_path / "m.po", PO)) == [FIRST]


def test_broken_lines_do_not_stop_the_others(tmp_path: Path) -> None:
    lines = [b"one\teins", b"two", b"\xff\tzwei", b"a\tb\tc", b"three\tdrei", b"x" * (1 << 20) + b"\ty"]
    found = read(tmp_path / "m.tsv", b"\n".join(lines) + b"\n")
    assert texts(found) == [("one", "eins"), ("three", "drei")]
    assert [one.place.line for one in found if isinstance(one, Rejected)] == [2, 3, 4, 6]


def test_two_files_must_have_as_many_lines(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one\ntwo\n")
    (tmp_path / "b").write_text("eins\n")
    inputs = list_inputs([], [tmp_path / "a"], [tmp_path / "b"])
    with pytest.raises(LexalignError, match="b has only 1 lines"):
        list(read_units(inputs, Languages()))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("m.tmx", '<!DOCTYPE t [<!ENTITY a "b">]><tmx/>', "entity"),
        ("m.tmx", "<tmx><body>", "not well-formed"),
        ("m.tmx", "<xliff/>", "not TMX"),
        ("m.xlf", "<tmx/>", "not XLIFF"),
        ("m.po", "nonsense\n", "not a PO file"),
        ("m.xlf", "<xliff>" + "<g>" * 300 + "</g>" * 300 + "</xliff>", "nested too deep"),
    ],
)
def test_bad_files_are_refused_in_a_line(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(LexalignError, match=message):
        read(tmp_path / name, content)


def test_several_languages_need_a_choice(tmp_path: Path) -> None:
    three = TMX.replace("</tuv></tu>\n<tu>", '</tuv><tuv xml:lang="fr"><seg>x</seg></tuv></tu>\n<tu>')
    with pytest.raises(LexalignError, match="choose two"):
        read(tmp_path / "m.tmx", three)


def test_half_a_pair_of_tags_in_tmx_is_another_tag(tmp_path: Path) -> None:
    whole, half = TMX, TMX.replace('<ept i="1">&lt;/b&gt;</ept>', "")
    tags = [read(tmp_path / "m.tmx", content)[0].source_tags for content in (whole, half)]  # type: ignore[union-attr]
    assert tags == [("bpt 1",), ("bpt 1 opening",)]


def test_a_text_of_tmx_over_the_limit_is_rejected(tmp_path: Path) -> None:
    long = f"<tmx><body><tu>{''.join(_tuv(code, 'a ' * 150_000) for code in ('en', 'de'))}</tu></body></tmx>"
    (rejected,) = read(tmp_path / "m.tmx", long, Languages("en", "de"))
    assert isinstance(rejected, Rejected)
    assert rejected.reason == "over 200,000 characters"


def _tuv(code: str, text: str) -> str:
    return f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>'
