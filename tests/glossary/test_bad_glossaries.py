"""Errors in glossary files are one line with their location and what to do."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import (
    Entry,
    Glossary,
    GlossaryFormat,
    parse_glossary,
    read_glossary,
    render_glossary,
)
from lexalign.glossary.formats.files import FORMATS
from lexalign.glossary.lint import lint_file

BOMB = b"""<?xml version="1.0"?><!DOCTYPE tmx [
<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><tmx>&b;</tmx>"""
THEFT = b'<!DOCTYPE martif [<!ENTITY x SYSTEM "file:///etc/passwd">]><martif>&x;</martif>'
PARAMETER = b'<!DOCTYPE tmx [<!ENTITY % d SYSTEM "http://127.0.0.1/x.dtd"> %d;]><tmx/>'
ONE_LANGUAGE = b'<tmx version="1.4"><body><tu><tuv xml:lang="de"><seg>Haus</seg></tuv></tu></body></tmx>'
HOLE = (
    b'<tmx version="1.4"><header srclang="de"/><body>\n<tu><tuv xml:lang="de"><seg>Haus</seg></tuv>'
    b'<tuv xml:lang="en"><seg/></tuv></tu></body></tmx>'
)

BAD = {
    "no-target.csv": (b"source,target\nHaus,house\nBank,\n", "line 3: the target is empty"),
    "no-source.csv": (b"Haus,house\n ,bank\n", "line 2: the source is empty"),
    "latin1.csv": ("Haus,house\nStraße,street\n".encode("latin-1"), "line 2: byte 5 is not valid UTF-8"),
    "half.tsv": (b"\xff\xfeH", "begins as UTF-16 but is not"),
    "nul.tsv": (b"Haus\thouse\nBa\0nk\tbank\n", "line 2: a NUL character"),
    "columns.csv": (b"source,target\nHaus,house,home\n", "line 2: 3 columns where 2 are needed"),
    "one-column.tsv": (b"Haus house\n", "line 1: 1 column and no header"),
    "unknown-column.csv": (b"source,target,colour\nHaus,house,red\n", "unknown column 'colour'"),
    "twice.csv": (b"source,target,note,note\na,b,c,d\n", "line 1: a column is named twice"),
    "policy.csv": (b"source,target,policy\nHaus,house,shall\n", "line 2: unknown policy 'shall'"),
    "case.csv": (b"source,target,case\nHaus,house,UPPER\n", "line 2: unknown case rule 'upper'"),
    "kept.csv": (b"source,target,policy\nHaus,house,keep\n", "line 2: a term that is kept untranslated"),
    "quote.csv": (b'Haus,house\n"Bank,bank\n', "line 2: unexpected end of data"),
    "which.csv": (
        b"de,en,fr\nHaus,house,maison\n",
        "holds de, en, fr; choose the source and the target language",
    ),
    "cut.tbx": (b"<martif><text><body>\n<termEntry>", "line 2: not well-formed XML"),
    "empty.tbx": (b"", "not well-formed XML"),
    "page.tbx": (b"<html/>", "not TBX: the root element is html"),
    "other.tmx": (b"<martif/>", "not TMX: the root element is martif"),
    "bomb.tmx": (BOMB, "line 2: declares an XML entity"),
    "utf16-bomb.tmx": (BOMB.decode().encode("utf-16"), "line 2: declares an XML entity"),
    "theft.tbx": (THEFT, "line 1: declares an XML entity"),
    "parameter.tmx": (PARAMETER, "line 1: declares an XML entity"),
    "one-language.tmx": (ONE_LANGUAGE, "holds de; two are needed"),
    "hole.tmx": (HOLE, "line 2: a target is empty"),
    "terms.xlsx": (b"PK", "name ends in .csv, .tsv, .tbx, .tmx"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_glossary_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LexalignError) as refusal:
        read_glossary(tmp_path / name)
    said = str(refusal.value)
    assert said.startswith(str(tmp_path / name))
    assert message in said
    assert "\n" not in said


@pytest.mark.parametrize("name", BAD)
def test_lint_finds_the_same(tmp_path: Path, name: str) -> None:
    content, message = BAD[name]
    (tmp_path / name).write_bytes(content)
    _, findings = lint_file(tmp_path / name)
    where, _, what = message.partition(": ")
    (finding,) = findings
    assert finding.kind == "error"
    if where.startswith("line "):
        assert finding.line == int(where.removeprefix("line "))
        assert what in finding.message
    else:
        assert message in finding.message


def test_nothing_is_fetched_or_expanded(tmp_path: Path) -> None:
    """A document type that is only named is common, harmless, and not loaded."""
    (tmp_path / "secret.dtd").write_text('<!ENTITY gift "from outside">')
    content = f'<!DOCTYPE tmx SYSTEM "{tmp_path}/secret.dtd"><tmx><body><tu>&gift;</tu></body></tmx>'
    (tmp_path / "terms.tmx").write_text(content)
    with pytest.raises(LexalignError) as refusal:
        read_glossary(tmp_path / "terms.tmx")
    assert "from outside" not in str(refusal.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LexalignError, match=r"cannot read .*: No such file"):
        read_glossary(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(LexalignError, match=r"cannot read .*: Is a directory"):
        read_glossary(tmp_path / "folder.csv")


GOOD = {
    format: render_glossary(
        Glossary(
            tuple(
                Entry(source=word, targets=(word.upper(), "ü"), source_language="de", target_language="en")
                for word in ("a", "b|", 'c"')
            )
        ),
        format,
    )
    for format in FORMATS
}


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_damaged_files_are_read_or_refused_and_nothing_else(
    format: GlossaryFormat, data: st.DataObject
) -> None:
    content = bytearray(GOOD[format])
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 30)))
        content[start:end] = data.draw(
            st.binary(max_size=8) | st.sampled_from([b"<!--", b"&x;", b"</", b'"', b"\n"])
        )
    said = refusal(bytes(content), format)
    assert said is None or (said.startswith("glossary") and "\n" not in said)


def refusal(content: bytes, format: GlossaryFormat) -> str | None:
    try:
        parse_glossary(content, format)
    except LexalignError as error:
        return str(error)
    return None
