"""Pages that are generated when the site is built: every command, and every HTTP endpoint."""

import pkgutil
from importlib import import_module
from typing import Any

from mkdocs.structure.files import File, Files


def on_files(files: Files, config: Any) -> Files:
    files.append(File.generated(config, "reference/commands.md", content=_commands()))
    files.append(File.generated(config, "reference/endpoints.md", content=_endpoints()))
    return files


def _commands() -> str:
    """The help of each command that help shows."""
    import typer.main

    from lexalign.cli.main import app

    parts = ["# Every command\n\nWhat `lexalign COMMAND -h` prints.\n"]

    def add(command: Any, name: str, parent: Any, depth: int) -> None:
        settings = command.context_settings if parent is None else {}
        context = command.context_class(command, info_name=name.rpartition(" ")[2], parent=parent, **settings)
        parts.append(f"{'#' * min(depth, 4)} {name}\n\n```text\n{command.get_help(context)}\n```\n")
        below = getattr(command, "commands", {})
        for key in command.list_commands(context) if hasattr(command, "list_commands") else below:
            if not below[key].hidden:
                add(below[key], f"{name} {key}", context, depth + 1)

    add(typer.main.get_command(app), "lexalign", None, 2)
    return "\n".join(parts)


def _endpoints() -> str:
    """The endpoints of the server, by their paths, as its OpenAPI document has them."""
    from lexalign.server import api, compatibility

    head = "# Every endpoint\n\n`/docs` on a running server has the schema of each request and response.\n\n"
    rows = sorted(row for package in (api, compatibility) for row in _rows(package))
    return head + "| method | path | | |\n|---|---|---|---|\n" + "\n".join(row for _, row in rows) + "\n"


def _rows(package: Any) -> list[tuple[str, str]]:
    found = []
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        router = getattr(import_module(module.name), "router", None)
        for route in getattr(router, "routes", ()):
            said = (route.endpoint.__doc__ or "").strip().partition("\n")[0]
            for method in sorted(route.methods) if route.include_in_schema else ():
                found.append((route.path, f"| `{method}` | `{route.path}` | {route.summary} | {said} |"))
    return found
