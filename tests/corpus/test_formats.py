"""All input and output formats give the same translations, and a broken row affects no other."""

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.engines.engine import InProcess
from lexalign.corpus.engines.local import LocalEngine
from lexalign.corpus.inputs import MAX_ROW_BYTES, InputFormat, RawRow, inspect
from lexalign.corpus.job import translate_corpus
from lexalign.corpus.options import ModelSpec
from lexalign.corpus.rows import Columns, RowReader, Segment
from lexalign.glossary import Glossary, Matcher, parse_term
from lexalign.translator import TranslateOptions, Translator
from lexalign.translator.batch_search import BatchSearcher
from tests.corpus.conftest import make_sentences
from tests.corpus.small_jobs import SEARCH, files_of, options, poisoned, records, run

SENTENCES = make_sentences(30, seed=3)
HOUSE = {"source": [0, 3], "target": ["house", "home"]}


def write(folder: Path, format: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / f"corpus.{format}"
    if format == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        rows = [{"constraints": None, **row} for row in rows]  # a table has the columns of its first row
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    elif format == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif format == "tsv":
        cells = [(row["name"], row["text"], json.dumps(row.get("constraints", []))) for row in rows]
        path.write_text("".join("\t".join(cell) + "\n" for cell in cells))
    else:
        path.write_text("".join(row["text"] + "\n" for row in rows))
    return path


def test_a_shard_is_what_the_translator_gives(model: ModelSpec, tmp_path: Path) -> None:
    """To the last digit that is written: a shard is one window of one process."""
    path = write(tmp_path, "txt", [{"text": text} for text in SENTENCES])
    run(path, tmp_path / "out", model, shard_size=30)
    translator = Translator.load(model.path, device="cpu")
    expected = translator.translate(SENTENCES, TranslateOptions(**SEARCH, workers=1))
    found = records(tmp_path / "out")
    assert [(one["source"], one["translation"], one["score"]) for one in found] == [
        (text, one.text, round(one.score, 6)) for text, one in zip(SENTENCES, expected, strict=True)
    ]
    assert [one["row"] for one in found] == list(range(1, 31))


@pytest.mark.parametrize("format", ["tsv", "jsonl", "parquet"])
def test_tables_carry_ids_and_constraints(model: ModelSpec, tmp_path: Path, format: str) -> None:
    rows = [{"name": f"n{number}", "text": text} for number, text in enumerate(SENTENCES)]
    rows[4]["constraints"] = [HOUSE]  # type: ignore[assignment]
    columns: dict[str, Any] = (
        {"text": "2", "constraints": "3", "id": "1"} if format == "tsv" else {"id": "name"}
    )
    report = run(write(tmp_path, format, rows), tmp_path / "out", model, **columns)
    found = records(tmp_path / "out")
    assert [(one["id"], one["source"]) for one in found] == [(row["name"], row["text"]) for row in rows]
    (term,) = found[4]["terms"]
    assert term["met"]
    assert (term["targets"], term["source"]) == (["house", "home"], [0, 3])
    assert found[4]["translation"][slice(*term["target"])].strip() in ("house", "home")
    assert (report.total.terms, report.total.met) == (1, 1)


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip), (".bz2", bz2), (".xz", lzma)])
def test_compressed_files_are_read(model: ModelSpec, tmp_path: Path, suffix: str, compress: Any) -> None:
    plain = write(tmp_path, "jsonl", [{"text": text} for text in SENTENCES])
    packed = tmp_path / f"corpus.jsonl{suffix}"
    packed.write_bytes(compress.compress(plain.read_bytes()))
    run(plain, tmp_path / "plain", model)
    run(packed, tmp_path / "packed", model)
    named = [{**one, "file": str(packed)} for one in records(tmp_path / "plain")]
    assert records(tmp_path / "packed") == named
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(LexalignError, match="damaged or cut off"):
        run(packed, tmp_path / "cut", model)
    assert not (tmp_path / "cut").exists()


def test_output_formats_agree(model: ModelSpec, text: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for format in ("jsonl", "parquet", "text"):
        run(text, tmp_path / format, model, output_format=format, align=True)
    expected = records(tmp_path / "jsonl")
    parts = sorted((tmp_path / "parquet").glob("part-*.parquet"))
    rows = [row for part in parts for row in parquet.read_table(part).to_pylist()]
    assert [{name: row[name] for name in one} for row, one in zip(rows, expected, strict=True)] == expected
    assert expected[0]["alignment"]
    assert all(0 < link["probability"] <= 1 for one in expected for link in one["alignment"])
    lines = (tmp_path / "text" / "translations.txt").read_text().split("\n")
    by_row = {one["row"]: one["translation"] for one in expected}
    assert lines == [*(by_row.get(row, "") for row in range(1, 161)), ""]
    assert not list((tmp_path / "text").glob("part-*"))
    poison = {(tmp_path / format / "poisoned.jsonl").read_bytes() for format in ("jsonl", "parquet", "text")}
    assert len(poison) == 1


def test_many_files_and_folders(model: ModelSpec, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "b.txt").write_text("das Haus\nder Hund")  # the last line has no end
    (folder / "a.txt").write_text("")
    (tmp_path / "first.jsonl").write_text('{"text": "die Straße"}\n')
    run([tmp_path / "first.jsonl", folder], tmp_path / "out", model, shard_size=2)
    found = [(Path(one["file"]).name, one["row"], one["source"]) for one in records(tmp_path / "out")]
    assert found == [
        ("first.jsonl", 1, "die Straße"),
        ("b.txt", 1, "das Haus"),
        ("b.txt", 2, "der Hund"),
    ]


def test_poisoned_text_is_put_aside(model: ModelSpec, text: Path, tmp_path: Path) -> None:
    report = run(text, tmp_path, model)
    reasons = poisoned(tmp_path)
    assert list(reasons) == [41, 42]
    assert "byte 2 is not valid UTF-8" in reasons[41]
    assert "NUL" in reasons[42]
    assert (report.total.segments, report.total.poisoned) == (158, 2)
    assert records(tmp_path)[7]["translation"] == ""  # an empty row is no broken one


def test_a_row_that_breaks_the_search_stays_alone(
    model: ModelSpec, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, widest = BatchSearcher.search, Translator.load(model.path, device="cpu").max_source_tokens // 2

    def search(searcher: BatchSearcher, sentences: Any, plan: Any) -> Any:
        if any(len(sentence.ids) > widest for sentence in sentences):
            raise ZeroDivisionError("a bug")
        return plain(searcher, sentences, plan)

    monkeypatch.setattr(BatchSearcher, "search", search)
    run(text, tmp_path / "out", model)
    broken = {row for row, reason in poisoned(tmp_path / "out").items() if "ZeroDivisionError" in reason}
    assert len(broken) > 3
    assert len(records(tmp_path / "out")) == 158 - len(broken)
    monkeypatch.setattr(BatchSearcher, "search", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # there is no use in putting all rows aside
        run(text, tmp_path / "none", model)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"txt": "a"}', 'no "text"'),
        (b'{"text": 3}', 'no "text"'),
        (rb'{"text": "a\ud800"}', "half of a surrogate"),
        (b'{"text": "a", "constraints": 3}', "not a list"),
        (b'{"text": "a", "constraints": [{"source": [0, 9], "target": "b"}]}', r"\[0, 9\] is not a span"),
        (b'{"text": "a", "constraints": [{"target": ""}]}', "constraint 1: a target is empty"),
        (b'{"text": "a", "constraints": "{"}', "not valid JSON"),
        (b'{"text": "' + b"a" * MAX_ROW_BYTES + b'"}', "over 1,048,576 bytes"),
    ],
)
def test_reasons_of_json_rows(row: bytes, reason: str) -> None:
    with pytest.raises(LexalignError, match=reason):
        RowReader("jsonl", Columns()).read(row, 2)


def test_other_reasons() -> None:
    with pytest.raises(LexalignError, match="no column 3; the row has 2"):
        RowReader("tsv", Columns(text="3")).read(b"a\tb\n", 1)
    with pytest.raises(LexalignError, match='no "name"'):
        RowReader("jsonl", Columns(id="name")).read(b'{"text": "a"}', 1)
    with pytest.raises(LexalignError, match="not valid UTF-8"):
        RowReader("parquet", Columns()).read({"text": b"a\xff"}, 1)
    with pytest.raises(LexalignError, match="numbers from 1, not 'text'"):
        RowReader("tsv", Columns(text="text"))


def test_a_glossary_adds_to_what_a_row_asks(model: ModelSpec, tmp_path: Path) -> None:
    """In workers as in this process."""
    rows: list[dict[str, Any]] = [{"text": "der Hund läuft"}, {"text": "das Haus und der Hund"}]
    rows[0]["constraints"] = [{"target": "runs"}]
    path = write(tmp_path, "jsonl", rows)
    terms = Matcher(Glossary((parse_term("Hund=dog"),)), source_language="de")
    for name, engine in (("one", InProcess()), ("two", LocalEngine(["cpu"]))):
        translate_corpus([path], tmp_path / name, model, engine, options(), terms=terms)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    asked = [[term["targets"] for term in one["terms"]] for one in records(tmp_path / "one")]
    assert asked == [[["runs"], ["dog"]], [["dog"]]]
    with pytest.raises(LexalignError, match="glossary differs"):
        translate_corpus([path], tmp_path / "one", model, InProcess(), options())


def test_a_row_without_end_does_not_fill_the_memory(model: ModelSpec, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"das Haus\n" + b"x" * (3 * MAX_ROW_BYTES) + b"\nder Hund\n")
    run(path, tmp_path / "out", model)
    assert [one["row"] for one in records(tmp_path / "out")] == [1, 3]
    (line,) = (tmp_path / "out" / "poisoned.jsonl").read_text().splitlines()
    assert json.loads(line)["excerpt"] == "x" * 1000


@settings(max_examples=100, deadline=None)
@given(row=st.binary() | st.text().map(str.encode), format=st.sampled_from(["text", "tsv", "jsonl"]))
def test_any_bytes_are_a_segment_or_a_reason(row: bytes, format: InputFormat) -> None:
    reader = RowReader(format, Columns())
    raw: RawRow = row
    try:
        found = reader.read(raw, 2)
    except LexalignError:
        return  # any other error would end a worker
    else:
        assert isinstance(found, Segment)
        assert "\0" not in found.text or format == "jsonl"  # the translator refuses it there


def test_a_byte_order_mark_is_no_text() -> None:
    assert RowReader("text", Columns()).read("\ufeffdas Haus\r\n".encode(), 1).text == "das Haus"


def test_what_can_be_known_to_be_wrong_is_known_at_once(model: ModelSpec, tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    file.write_text("no Parquet")
    with pytest.raises(LexalignError, match="not a Parquet file"):
        run(file, tmp_path / "out", model)
    with pytest.raises(LexalignError, match="no such file"):
        run(tmp_path / "nowhere", tmp_path / "out", model)
    with pytest.raises(LexalignError, match="no such model folder"):
        run(file, tmp_path / "out", ModelSpec(path=tmp_path / "nowhere"))
    assert not (tmp_path / "out").exists()
    assert inspect(file, "text").num_rows == 1


def test_an_empty_corpus_is_complete(model: ModelSpec, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    assert run(tmp_path / "a.txt", tmp_path / "out", model, output_format="text").total.segments == 0
    assert files_of(tmp_path / "out")["translations.txt"] == b""
