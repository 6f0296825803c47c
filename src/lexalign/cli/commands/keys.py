"""`lexalign serve keys`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.commands.serve import need_extra
from lexalign.cli.groups import Commands
from lexalign.cli.options.serving import Data, DatabaseUrl

if TYPE_CHECKING:
    from lexalign.server.storage.database import Database

keys = typer.Typer(
    cls=Commands, no_args_is_help=True, help="Manage the API keys that clients of the server must send."
)


@keys.command()
def add(
    name: Annotated[str, typer.Argument(help="Name of the key's owner.")],
    data: Data = None,
    database: DatabaseUrl = None,
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

    made = KeyStore(_database(data, database)).add(
        name, admin=admin, monthly_characters=monthly_characters, requests_per_minute=requests_per_minute
    )
    typer.echo(made)


@keys.command(name="list")
def list_keys(data: Data = None, database: DatabaseUrl = None) -> None:
    """Print the names of all keys, when they were created, and their limits."""
    from lexalign.server.storage.keys import KeyStore

    for key in KeyStore(_database(data, database)).list():
        limits = {
            "admin": key.admin,
            f"{key.monthly_characters} characters/month": key.monthly_characters,
            f"{key.requests_per_minute} requests/minute": key.requests_per_minute,
        }
        typer.echo("\t".join([key.name, key.created, *(shown for shown, there in limits.items() if there)]))


@keys.command()
def remove(
    name: Annotated[str, typer.Argument(help="Name of the key's owner.")],
    data: Data = None,
    database: DatabaseUrl = None,
) -> None:
    """Remove a key; running servers reject it within a second."""
    from lexalign.server.storage.keys import KeyStore

    KeyStore(_database(data, database)).remove(name)


@keys.command()
def usage(data: Data = None, database: DatabaseUrl = None) -> None:
    """Print the characters and requests of each key and month."""
    from lexalign.server.storage.usage import UsageStore

    for one in UsageStore(_database(data, database)).list():
        owner = one.owner or "(no key)"
        typer.echo(f"{one.month}\t{owner}\t{one.characters} characters\t{one.requests} requests")


def _database(data: Path | None, database: str | None) -> "Database":
    need_extra()
    from lexalign.server.running import DATABASE, default_data
    from lexalign.server.storage.database import Database

    return Database(database or (data or default_data()) / DATABASE)
