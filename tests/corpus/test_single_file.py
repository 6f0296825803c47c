"""A corpus into one file, in a language that is detected."""

import json
from pathlib import Path

import pytest

import lexalign
from lexalign.contracts.errors import LexalignError
from lexalign.corpus.options import ModelSpec
from lexalign.corpus.single_file import check_format, job_folder, write_file
from tests.corpus.small_jobs import files_of, records, run
from tests.corpus.test_command import call

WORDS = ("--beam", 1, "--workers", 1, "--device", "cpu", "--shard-size", 2)
TEXTS = ["Guten Tag!", "Das Haus ist groß.", "Wo ist der Bahnhof?"]


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "news.de"
    path.write_text("".join(f"{text}\n" for text in TEXTS), encoding="utf-8")
    return path


def test_a_language_is_detected_and_a_file_written(news: Path, tmp_path: Path) -> None:
    """The bundled model is found, because the text is German."""
    assert call("translate", "corpus", news, tmp_path / "news.en", *WORDS) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news.de", "news.en"]
    expected = [found.text for found in lexalign.translate(TEXTS, source="de", beam=1)]
    assert translations(tmp_path / "news.en") == expected


@pytest.mark.parametrize("name", ["news.txt", "news.jsonl", "news.parquet"])
def test_shards_are_joined_in_their_order(model: ModelSpec, news: Path, tmp_path: Path, name: str) -> None:
    output = tmp_path / name
    run(news, tmp_path / "whole", model, shard_size=100)
    run(news, job_folder(output), model, shard_size=1, output_format=check_format(output, None))
    assert write_file(job_folder(output), output, check_format(output, None))
    assert not job_folder(output).exists()
    assert translations(output) == [one["translation"] for one in records(tmp_path / "whole")]


def translations(path: Path) -> list[str]:
    if path.suffix == ".parquet":
        from lexalign.corpus.parquet import read_table

        return [row["translation"] for row in read_table(path)]
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["translation"] for line in lines] if path.suffix == ".jsonl" else lines


def test_rows_that_cannot_be_translated_leave_their_folder(model: ModelSpec, tmp_path: Path) -> None:
    news = tmp_path / "news.jsonl"
    news.write_text('{"text": "Das Haus ist groß."}\n{"txt": 3}\n', encoding="utf-8")
    output, folder = tmp_path / "out.jsonl", tmp_path / "out.jsonl.job"
    run(news, folder, model)
    assert not write_file(folder, output, "jsonl")
    assert len(translations(output)) == 1
    assert "poisoned.jsonl" in files_of(folder)


def test_names_and_formats(tmp_path: Path) -> None:
    assert check_format(Path("out"), None) == "jsonl"
    assert check_format(Path("out"), "text") == "text"
    assert check_format(Path("news.en"), None) == "text"
    assert job_folder(Path("version-1.2")) == Path("version-1.2")
    (tmp_path / "x.jsonl").mkdir()
    assert job_folder(tmp_path / "x.jsonl") == tmp_path / "x.jsonl"
    with pytest.raises(LexalignError, match="leave out --format text"):
        check_format(Path("news.jsonl"), "text")
