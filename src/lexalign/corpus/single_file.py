"""A job whose output is one file: it works in a folder beside it, NAME.job, and in the end joins the shards.

The folder is removed with the end of the job, unless rows could not be translated: poisoned.jsonl is in it.
"""

import shutil
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.corpus.results import SUFFIXES, OutputFormat
from lexalign.storage import new_file
from lexalign.text.languages import is_language

_FORMATS: dict[str, OutputFormat] = {suffix: name for name, suffix in SUFFIXES.items()} | {".ndjson": "jsonl"}


def file_format(output: Path) -> OutputFormat | None:
    """The format of a file by its name, as news.jsonl, news.txt or news.en; None where it is a folder's."""
    if output.is_dir():
        return None
    return _FORMATS.get(output.suffix.lower()) or ("text" if is_language(output.suffix[1:]) else None)


def check_format(output: Path, named: OutputFormat | None) -> OutputFormat:
    """The format of the output, which its name and an option must not tell differently."""
    by_name = file_format(output)
    if named is not None and by_name not in (None, named):
        raise LexalignError(f"{output} is named as {by_name}; leave out --format {named}, or name it {named}")
    return named or by_name or "jsonl"


def job_folder(output: Path) -> Path:
    return output if file_format(output) is None else output.with_name(f"{output.name}.job")


def write_file(folder: Path, output: Path, format: OutputFormat) -> bool:
    """Join the shards of a finished job; returns whether its folder is gone."""
    parts = sorted(folder.glob(f"part-*{SUFFIXES[format]}"))
    with new_file(output) as temporary:
        if format == "parquet":
            from lexalign.corpus.parquet import join_tables

            join_tables(parts, temporary)
        else:
            joined = [folder / "translations.txt"] if format == "text" else parts
            with temporary.open("wb") as file:
                for part in joined:
                    with part.open("rb") as content:
                        shutil.copyfileobj(content, file)
    if (folder / "poisoned.jsonl").stat().st_size:
        return False
    shutil.rmtree(folder)
    return True
