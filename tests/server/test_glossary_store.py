"""Glossaries survive, whole, whatever ends the process."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.glossary import Entry, Glossary, parse_term
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossaries import GlossaryStore, UnknownGlossaryError

WRITER = """
import sys
from lexalign.glossary import Entry, Glossary
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossaries import GlossaryStore

store = GlossaryStore(Database(sys.argv[1]))
for number in range(10_000):
    entries = tuple(Entry(source=f"term {place}", targets=(str(number),)) for place in range(2_000))
    info = store.add(f"glossary {number}", Glossary(entries))
    print(info.id, flush=True)
"""


def test_entries_come_back_as_they_were(location: str | Path) -> None:
    entries = (
        Entry(
            source="Haus", targets=("house", "a|b"), note="„so“", source_language="de", target_language="en"
        ),
        Entry(source="München", policy="keep", case="as-typed"),
        Entry(source="Hund", targets=("cur",), policy="avoid"),
    )
    made = GlossaryStore(Database(location)).add("Ünïcode", Glossary(entries))
    again = GlossaryStore(Database(location))
    assert again.get(made.id).entries == entries
    assert again.get(made.id) is again.get(made.id)
    assert again.list() == [made]
    assert made.sizes == {("de", "en"): 1, (None, None): 2}


def test_changes(database: Database) -> None:
    store = GlossaryStore(database)
    one = store.add("one", Glossary((parse_term("a=b"),)))
    before = store.get(one.id)
    assert store.replace(one.id, name="two").name == "two"
    assert store.get(one.id) is before
    store.replace(one.id, glossary=Glossary((parse_term("c=d"), parse_term("e=f"))))
    assert [entry.source for entry in store.get(one.id)] == ["c", "e"]
    store.delete(one.id)
    for act in (store.get, store.info, store.delete):
        with pytest.raises(UnknownGlossaryError):
            act(one.id)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "db"
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(LexalignError, match="cannot be used"):
        Database(path)


def test_kill_in_the_middle_of_writing(location: str | Path) -> None:
    """Every glossary that was acknowledged is there, and every one that is there is whole."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(location)], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stdout is not None
    acknowledged = [process.stdout.readline().strip()]
    time.sleep(random.uniform(0.0, 0.15))
    process.send_signal(signal.SIGKILL)
    acknowledged += process.stdout.read().split()
    process.wait()
    store = GlossaryStore(Database(location))
    kept = store.list()
    assert set(acknowledged) <= {info.id for info in kept}
    assert len(kept) <= len(acknowledged) + 1
    for info in kept:
        entries = store.get(info.id).entries
        assert len(entries) == 2_000
        assert {entry.targets for entry in entries} == {(info.name.removeprefix("glossary "),)}
