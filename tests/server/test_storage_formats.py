"""Databases of former formats, which are brought to the present one when they are opened."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sql

from lexalign.server.storage.blobs import BlobStore
from lexalign.server.storage.database import Database
from lexalign.server.storage.glossaries import GlossaryStore
from lexalign.server.storage.jobs import JobStore
from lexalign.server.storage.keys import Key, KeyStore
from lexalign.server.storage.schema import SCHEMA_VERSION, read_version

FORMAT_4 = """
create table glossaries (
    id text primary key, name text not null, created text not null, version integer not null default 1
) strict;
create table entries (
    glossary_id text not null references glossaries on delete cascade, position integer not null,
    source_language text, target_language text, source text not null, targets text not null,
    policy text not null, case_rule text not null, note text not null,
    form_rule text not null default 'default', compound_rule text not null default 'default',
    primary key (glossary_id, position)
) strict;
create table keys (name text primary key, digest blob not null, created text not null) strict;
create table jobs (
    id text primary key, kind text not null, status text not null, created text not null,
    request text not null, result text, message text not null default '', owner integer
) strict;
insert into glossaries values ('old', 'Old', '2025', 7);
insert into entries values ('old', 0, 'de', 'en', 'Haus', '["house"]', 'must', 'match-source', '', 'default',
    'default');
insert into keys values ('anna', x'00', '2025');
insert into jobs values ('done', 'check', 'done', '2025', '', '{"a": 1}', '', null);
insert into jobs values ('lost', 'check', 'running', '2025', '{}', null, '', 4711);
pragma user_version = 4;
"""


def test_a_file_of_format_4(tmp_path: Path) -> None:
    path = tmp_path / "db"
    with sqlite3.connect(path) as connection:
        connection.executescript(FORMAT_4)
    database = Database(path)
    glossaries, jobs = GlossaryStore(database), JobStore(database)
    assert glossaries.info("old").version == 7
    assert glossaries.get("old").entries[0].source == "Haus"
    assert KeyStore(database).list() == [Key(name="anna", created="2025")]
    assert jobs.get("done")[1] == {"a": 1}
    assert jobs.claim() == ("lost", "check", "{}")
    BlobStore(database).put(b"x", kind="a")
    fresh = Database(tmp_path / "fresh")
    columns = "select m.name, p.name, p.type from sqlite_master m, pragma_table_info(m.name) p order by 1, 2"
    with database.reading() as old, fresh.reading() as new:
        assert old.exec_driver_sql(columns).all() == new.exec_driver_sql(columns).all()


@pytest.mark.parametrize("lacking", [True, False])
def test_a_database_of_format_5(location: str | Path, lacking: bool) -> None:
    """Its jobs have no count of attempts; late builds of that format gave them one, and did not say so."""
    made = JobStore(former := Database(location)).add("check", {"a": 1})
    with former.writing() as connection:
        columns = _columns(connection)
        if lacking:
            connection.exec_driver_sql("alter table jobs drop column attempts")
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("pragma user_version = 5")
        else:
            connection.exec_driver_sql("update lexalign_schema set version = 5")
    former.close()
    with ThreadPoolExecutor(2) as pool:  # two servers of the new version are started at once
        opened = list(pool.map(lambda _: Database(location), range(2)))
    assert JobStore(opened[0]).claim() == (made.id, "check", '{"a": 1}')
    with opened[1].reading() as connection:
        assert read_version(connection) == SCHEMA_VERSION
        assert _columns(connection) == columns
        assert connection.execute(sql.text("select attempts from jobs")).scalar_one() == 1


def _columns(connection: sql.Connection) -> dict[str, tuple[str, object, object]]:
    found = sql.inspect(connection).get_columns("jobs")
    return {one["name"]: (str(one["type"]), one["nullable"], one["default"]) for one in found}
