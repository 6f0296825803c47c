"""`lexalign serve keys`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.commands.serve import need_extra
from lexalign.cli.groups import Command, Commands
from lexalign.cli.messages import say
from lexalign.cli.options.serving import Config, Data, DatabaseUrl
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.server.storage.database import Database

keys = typer.Typer(
    cls=Commands, no_args_is_help=True, help="Manage the API keys that clients of the server must send."
)


@keys.command(cls=Command)
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the key's owner.")],
    data: Data = None,
    database: DatabaseUrl = None,
    config: Config = None,
    admin: Annotated[bool, typer.Option("--admin", help="The key may administer the server.")] = False,
    monthly_characters: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of characters in a month.")
    ] = None,
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of requests in a minute.")
    ] = None,
) -> None:
    """Create a key and print it; only its hash is stored, so it cannot be printed again."""
    from lexalign.server.storage.keys import KeyStore

    found = _database(data, database, config)
    made = KeyStore(found).add(
        name, admin=admin, monthly_characters=monthly_characters, requests_per_minute=requests_per_minute
    )
    typer.echo(made)
    say(f"The key of {name}, for servers with {found.shown}.")


@keys.command(name="list", cls=Command)
def list_keys(data: Data = None, database: DatabaseUrl = None, config: Config = None) -> None:
    """Print the names of all keys, when they were created, and their limits."""
    from lexalign.server.storage.keys import KeyStore

    for key in KeyStore(_database(data, database, config)).list():
        limits = {
            "admin": key.admin,
            f"{key.monthly_characters} characters/month": key.monthly_characters,
            f"{key.requests_per_minute} requests/minute": key.requests_per_minute,
        }
        typer.echo("\t".join([key.name, key.created, *(shown for shown, there in limits.items() if there)]))


@keys.command(cls=Command)
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the key's owner.")],
    data: Data = None,
    database: DatabaseUrl = None,
    config: Config = None,
    last: Annotated[
        bool, typer.Option("--last", help="Even the last key, which opens the server to everybody.")
    ] = False,
) -> None:
    """Remove a key; running servers reject it within a second."""
    from lexalign.server.storage.keys import KeyStore

    store = KeyStore(_database(data, database, config))
    if not last and [key.name for key in store.list()] == [name]:
        raise LexalignError(
            f"{name} has the last key; without keys, everyone who reaches the server may use it: "
            "add another first, or give --last"
        )
    store.remove(name)


@keys.command(cls=Command)
def usage(data: Data = None, database: DatabaseUrl = None, config: Config = None) -> None:
    """Print the characters and requests of each key and month."""
    from lexalign.server.storage.usage import UsageStore

    for one in UsageStore(_database(data, database, config)).list():
        owner = one.owner or "(no key)"
        typer.echo(f"{one.month}\t{owner}\t{one.characters} characters\t{one.requests} requests")


def _database(data: Path | None, database: str | None, config: Path | None) -> "Database":
    """That of a server with the same settings."""
    need_extra()
    from lexalign.server.running import DATABASE, default_data
    from lexalign.server.settings import read_settings
    from lexalign.server.storage.database import Database

    settings = read_settings({"data": data, "database": database}, config)
    return Database(settings.database or (settings.data or default_data()) / DATABASE)
