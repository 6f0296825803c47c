"""Groups of commands, and flags of older versions that are still understood.

A group is a command of its own, and has others below it:

    lexalign translate "Guten Tag!"            the group's own command
    lexalign translate file page.html          a command below it
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from lexalign.cli.messages import one_line_failures
from lexalign.text.languages import NAMES

_NO_LIMIT = 10_000  # characters; a line of help is never cut off
_RENAMED = {"--source-language": "--from", "--target-language": "--to"}


class Commands(TyperGroup):
    """A group whose commands all fail with one line."""

    order: ClassVar[tuple[str, ...]] = ()  # of its help, where it is not that of the code

    def invoke(self, ctx: Any) -> Any:
        with one_line_failures():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As above, but a name that there is not is held against names that help shows."""
        self.suggest_commands = False
        try:
            return super().resolve_command(ctx, args)
        except Exception as error:  # typer does not name the class of usage errors
            shown = [name for name, command in self.commands.items() if not command.hidden]
            if hasattr(error, "message") and (near := get_close_matches(args[0], shown, 1)):
                error.message = f"{error.message} Did you mean {near[0]!r}?"
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        listed = [name for name in self.order if name in self.commands]
        others = [name for name in self.commands if name not in listed]
        _list_commands({name: self.commands[name] for name in (*listed, *others)}, formatter)


class Command(TyperCommand):
    """A command that also takes the flags that it had in older versions."""

    old_place: ClassVar[bool] = False  # whether --to was what --output is now

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        flags = {flag for one in self.params for flag in one.opts}
        return super().make_context(info_name, renew(args, flags, self.old_place), parent, **extra)


class PlaceCommand(Command):
    """A command whose --output was called --to."""

    old_place = True


def renew(args: Sequence[str], flags: set[str], old_place: bool) -> list[str]:
    """The arguments with flags as they are called now; `flags` are those of the command."""
    found: list[str] = []
    rest = list(args)
    has_place = any(one == "-o" or one.partition("=")[0] == "--output" for one in rest)
    while rest:
        flag, equals, value = rest[0].partition("=")
        value = value if equals else "".join(rest[1:2])
        if flag in _RENAMED and flag not in flags:
            found.append(_RENAMED[flag] + rest.pop(0)[len(flag) :])
        elif flag == "--languages" and flag not in flags and ":" in value:
            source, _, target = value.partition(":")
            found += ["--from", source, "--to", target]
            rest = rest[1 if equals else 2 :]
        elif flag == "--to" and old_place and not has_place and not _is_language(value):
            found.append("--output" + rest.pop(0)[len(flag) :])
        else:
            found.append(rest.pop(0))
    return found


def _is_language(text: str) -> bool:
    return (len(text) == 2 and text.isalpha()) or text.title() in NAMES.values()


class GroupCommand(Command):
    """A command with others below it; see `group_of`."""

    below: ClassVar[typer.Typer]

    @cached_property
    def commands(self) -> dict[str, Any]:
        return dict(get_group(self.below).commands)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if args and args[0] in self.commands:
            command = self.commands[args[0]]
            return command.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        _list_commands(self.commands, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        from typer.core import CompletionItem  # type: ignore[attr-defined]

        names = [
            CompletionItem(name, help=command.get_short_help_str(_NO_LIMIT))
            for name, command in self.commands.items()
            if name.startswith(incomplete) and not command.hidden
        ]
        return [*names, *super().shell_complete(ctx, incomplete)]


def names_below(*names: str) -> Callable[[str], list[str]]:
    """What completes the first argument of a group's own command: the names of the commands below it."""
    return lambda incomplete: [name for name in names if name.startswith(incomplete)]


def group_of(below: typer.Typer, kind: type[Command] = Command) -> type[GroupCommand]:
    """The class of a command that has the commands of an app below it."""
    return type("GroupCommand", (GroupCommand,), {"below": below, "old_place": kind.old_place})


def new_group(*commands: tuple[str, Callable[..., None], type[Command]]) -> typer.Typer:
    """An app of commands: names, functions, and the kinds of commands that they become."""
    app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, cls=Commands)
    for name, function, kind in commands:
        app.command(name=name, cls=kind)(function)
    return app


def _list_commands(commands: Mapping[str, Any], formatter: Any) -> None:
    shown = {name: command for name, command in commands.items() if not command.hidden}
    rows = [(name, command.get_short_help_str(_NO_LIMIT)) for name, command in shown.items()]
    if rows:
        with formatter.section("Commands"):
            formatter.write_dl(rows)
