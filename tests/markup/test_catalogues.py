"""Message catalogues: what is translated, and how syntax is written again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.markup import (
    DocumentOptions,
    FormatName,
    TaggedText,
    WordForWord,
    read_document,
    translate_document,
)
from lexalign.markup.documents.catalogues.yaml_scalars import write_scalar
from lexalign.markup.inline.accelerators import take_accelerator


def translated(content: str, format_name: FormatName, **options: str) -> str:
    document = read_document(content.encode(), format_name, DocumentOptions(**options))  # type: ignore[arg-type]
    return translate_document(document, WordForWord()).decode()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("{n, plural, one {# Datei} other {# Dateien}}", "{n, plural, one {# DATEI} other {# DATEIEN}}"),
        (
            "Du hast {n, plural, one {# Datei} other {# Dateien}} da.",
            "{n, plural, one {DU HAST # DATEI DA.} other {DU HAST # DATEIEN DA.}}",
        ),
        (
            "{g, select, f {sie} other {er}} sieht {h, select, f {sie} other {ihn}}",
            "{g, select, f {{h, select, f {SIE SIEHT SIE} other {SIE SIEHT IHN}}}"
            " other {{h, select, f {ER SIEHT SIE} other {ER SIEHT IHN}}}}",
        ),
        # Two plurals have two numbers, and # would mean the inner one in both.
        (
            "{n, plural, other {# Tage}} und {m, plural, other {# Nächte}}",
            "{n, plural, other {# TAGE}} UND {m, plural, other {# NÄCHTE}}",
        ),
        ("{d, date, ::yMMMd} ist da", "{d, date, ::yMMMd} IST DA"),
        ("Das ist '{kein}' Argument {a}", "DAS IST '{kein}' ARGUMENT {a}"),
        (
            "{n, plural, offset:1 =0 {niemand} other {# Leute}}",
            "{n, plural, offset:1 =0 {NIEMAND} other {# LEUTE}}",
        ),
        ("Ida''s {a}", "IDA''S {a}"),
        ("Ida's {{a}}", "IDA'S {{a}}"),
        ("{{count}} Datei, $t(a.b)", "{{count}} DATEI, $t(a.b)"),
    ],
)
def test_icu_messages_are_taken_apart(message: str, expected: str) -> None:
    assert translated(f'{{"a": "{message}"}}', "json") == f'{{"a": "{expected}"}}'


def test_a_broken_icu_message_is_refused_with_its_place() -> None:
    with pytest.raises(LexalignError, match=r"line 2: 'a\.b'"):
        translated('{"a":\n{"b": "{n, plural, one {x"}}', "json")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a=Hallo", "a=HALLO"),
        ("a : Hallo \\\n   Welt\nb=zwei", "a : HALLO WELT\nb=ZWEI"),
        ("# nein\n! nein\na=ja", "# nein\n! nein\na=JA"),
        ("a=caf\\u00e9", "a=CAF\\u00c9"),
        ("a=It''s {0}", "a=IT''S {0}"),
        ("a=It's", "a=IT'S"),
        ("a=\\ Hallo", "a=\\ HALLO"),
        ("a\\=b=c", "a\\=b=C"),
        ("nur", "nur"),
    ],
)
def test_properties(source: str, expected: str) -> None:
    assert translated(source, "properties") == expected


@given(
    value=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30),
    raw=st.sampled_from(["x", "'x'", '"x"', "|\n  x\n", ">-\n  x\n", "&a x"]),
    in_flow=st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_yaml_scalars_are_read_as_they_were_written(value: str, raw: str, in_flow: bool) -> None:
    import yaml

    value = value.strip() or "x"
    if in_flow and raw[0] in "|>":
        return
    written = write_scalar(value, raw, in_flow=in_flow)
    document = f"k: [{written}]\n" if in_flow else f"k: {written}"
    read = yaml.safe_load(document)["k"]
    assert (read[0] if in_flow else read) == (value + "\n" if raw.startswith("|\n") else value)


@pytest.mark.parametrize(
    ("source", "mark", "target", "expected"),
    [
        ("&Speichern", "&", "Save", "&Save"),
        ("S&peichern", "&", "Save up", "Save u&p"),
        ("_Öffnen", "_", "Open", "_Open"),
        ("Öffnen && los", None, "", ""),
        ("R&D", None, "", ""),
        ("a &amp; b", None, "", ""),
        ("user_name", None, "", ""),
        ("https://a.b/?c=1&d=2", None, "", ""),
        ("&Datei {name}", "&", "{name} file", "{name} &file"),
    ],
)
def test_accelerators(source: str, mark: str | None, target: str, expected: str) -> None:
    text, accelerator = take_accelerator(TaggedText(source))
    if mark is None:
        assert accelerator is None
        assert text.text == source
    else:
        assert accelerator is not None
        assert text.text == source.replace(mark, "")
        assert accelerator.put(TaggedText(target)).text == expected


def test_a_language_at_the_root_becomes_the_target() -> None:
    assert translated("de:\n  a: Hallo\n", "yaml", target_language="en") == "en:\n  a: HALLO\n"
    assert translated("de:\n  a: Hallo\n", "yaml") == "de:\n  a: HALLO\n"
