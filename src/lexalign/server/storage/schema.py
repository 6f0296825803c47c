"""The tables, one definition for SQLite and PostgreSQL, and how older ones are brought to it."""

from collections.abc import Sequence

import sqlalchemy as sql
from sqlalchemy.dialects import postgresql, sqlite

SCHEMA_VERSION = 6
_metadata = sql.MetaData()


def _table(name: str, *parts: sql.schema.SchemaItem) -> sql.Table:
    return sql.Table(name, _metadata, *parts, sqlite_strict=True)


def _text(name: str, default: str | None = None) -> sql.Column[str]:
    return sql.Column(name, sql.Text, nullable=False, server_default=default)


def _number(name: str, default: int | None = None) -> sql.Column[int]:
    stored = sql.BigInteger().with_variant(sql.Integer, "sqlite")
    return sql.Column(name, stored, nullable=False, server_default=None if default is None else str(default))


def _seconds(name: str, *, nullable: bool = False) -> sql.Column[float]:
    """A moment, in seconds since 1970."""
    return sql.Column(name, sql.Double().with_variant(sql.REAL, "sqlite"), nullable=nullable)


def _identifier(name: str = "id") -> sql.Column[str]:
    return sql.Column(name, sql.Text, primary_key=True, nullable=False)


def _optional_number(name: str) -> sql.Column[int | None]:
    return sql.Column(name, sql.BigInteger().with_variant(sql.Integer, "sqlite"), nullable=True)


glossaries = _table("glossaries", _identifier(), _text("name"), _text("created"), _number("version", 1))
entries = _table(
    "entries",
    sql.Column(
        "glossary_id",
        sql.Text,
        sql.ForeignKey("glossaries.id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    ),
    sql.Column("position", sql.Integer, primary_key=True, nullable=False, autoincrement=False),
    sql.Column("source_language", sql.Text),
    sql.Column("target_language", sql.Text),
    _text("source"),
    _text("targets"),
    _text("policy"),
    _text("case_rule"),
    _text("note"),
    _text("form_rule", "default"),
    _text("compound_rule", "default"),
)
keys = _table(
    "keys",
    _identifier("name"),
    sql.Column("digest", sql.LargeBinary, nullable=False),
    _text("created"),
    _number("admin", 0),
    _optional_number("monthly_characters"),
    _optional_number("requests_per_minute"),
)
usage = _table(
    "usage", _identifier("owner"), _identifier("month"), _number("characters", 0), _number("requests", 0)
)
jobs = _table(
    "jobs",
    _identifier(),
    _text("kind"),
    _text("status"),
    _text("created"),
    _text("request"),
    sql.Column("result", sql.Text),
    _text("message", ""),
    _text("owner", ""),  # the name of a key
    sql.Column("holder", sql.Text),  # the server that runs it
    _seconds("held_until", nullable=True),
    _number("done", 0),
    _number("total", 0),
    _number("attempts", 0),  # how often it was begun, but for those that ended with their server in order
)
blobs = _table(
    "blobs",
    _identifier(),
    _text("owner"),
    _text("kind"),
    _text("name"),
    _text("media_type"),
    _text("created"),
    _seconds("expires"),
    _number("size"),
    sql.Column("content", sql.LargeBinary, nullable=False),
)
replies = _table(
    "replies",
    _identifier("owner"),
    _identifier("key"),
    sql.Column("fingerprint", sql.LargeBinary, nullable=False),
    _seconds("expires"),
    _number("status", 0),
    _text("media_type", ""),
    sql.Column("content", sql.LargeBinary),
)
_versions = sql.Table("lexalign_schema", sql.MetaData(), sql.Column("version", sql.Integer, nullable=False))

# From each version of an SQLite file to the next one; PostgreSQL came with version 5.
_MIGRATIONS: dict[int, Sequence[str]] = {
    1: ("alter table glossaries add column version integer not null default 1",),
    2: (
        "alter table entries add column form_rule text not null default 'default'",
        "alter table entries add column compound_rule text not null default 'default'",
    ),
    3: (
        "create table jobs (id text primary key, kind text not null, status text not null, created text not "
        "null, request text not null, result text, message text not null default '', owner integer) strict",
    ),
    4: (
        "alter table keys add column admin integer not null default 0",
        "alter table keys add column monthly_characters integer",
        "alter table keys add column requests_per_minute integer",
        "alter table jobs drop column owner",
        "alter table jobs add column owner text not null default ''",
        "alter table jobs add column holder text",
        "alter table jobs add column held_until real",
        "alter table jobs add column done integer not null default 0",
        "alter table jobs add column total integer not null default 0",
    ),
}
# Columns that versions which PostgreSQL has too have got; some builds of version 5 had made theirs already.
_NEW_COLUMNS: dict[int, Sequence[sql.Column[int]]] = {5: (jobs.c.attempts,)}


def read_version(connection: sql.Connection) -> int:
    """The version of the schema; 0 where there are no tables yet."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("pragma user_version").scalar_one())
    if not sql.inspect(connection).has_table(_versions.name):
        return 0
    return int(connection.execute(sql.select(_versions.c.version)).scalar_one())


def migrate(connection: sql.Connection, version: int) -> None:
    """Bring the tables of an older version, or none at all, to the current schema."""
    for number in range(version, SCHEMA_VERSION) if version else ():
        for statement in _MIGRATIONS.get(number, ()):
            connection.exec_driver_sql(statement)
        for column in _NEW_COLUMNS.get(number, ()):
            _add_column(connection, column)
    _metadata.create_all(connection)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"pragma user_version = {SCHEMA_VERSION}")
        return
    _versions.create(connection, checkfirst=True)
    connection.execute(sql.delete(_versions))
    connection.execute(sql.insert(_versions), {"version": SCHEMA_VERSION})


def _add_column(connection: sql.Connection, column: sql.Column[int]) -> None:
    table = column.table.name
    if column.name in (one["name"] for one in sql.inspect(connection).get_columns(table)):
        return
    written = sql.schema.CreateColumn(column).compile(dialect=connection.dialect)
    connection.exec_driver_sql(f"alter table {table} add column {written}")


def insert_or(connection: sql.Connection, table: sql.Table) -> "postgresql.Insert | sqlite.Insert":
    """An insertion that may say what is done where the row is there already (`on_conflict_do_...`)."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def json_rows(connection: sql.Connection, parameter: str) -> str:
    """The elements of a JSON array as rows of one column, `value`."""
    if connection.dialect.name == "postgresql":
        return f"json_array_elements(cast({parameter} as json))"
    return f"json_each({parameter})"
