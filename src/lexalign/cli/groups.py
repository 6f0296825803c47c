"""Groups of commands, and flags of older versions that are still understood.

A group is a command of its own, and has others below it:

    lexalign translate "Guten Tag!"            the group's own command
    lexalign translate file page.html          a command below it
"""

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from inspect import cleandoc
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from lexalign.cli.messages import one_line_failures
from lexalign.cli.options.sections import OPTIONS, ORDER
from lexalign.text.languages import NAMES

_NO_LIMIT = 10_000  # characters; a line of help is never cut off
_RENAMED = {"--source-language": "--from", "--target-language": "--to"}


class Commands(TyperGroup):
    """A group whose commands all fail with one line."""

    order: ClassVar[tuple[str, ...]] = ()  # of its help, where it is not that of the code

    def get_short_help_str(self, limit: int = _NO_LIMIT) -> str:  # noqa: ARG002
        return super().get_short_help_str(_NO_LIMIT)

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

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        listed = [name for name in self.order if name in self.commands]
        return [*listed, *(name for name in self.commands if name not in listed)]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        _list_commands({name: self.commands[name] for name in self.list_commands(ctx)}, formatter)


class Command(TyperCommand):
    """A command that also takes the flags that it had in older versions."""

    old_place: ClassVar[bool] = False  # whether --to was what --output is now

    def get_short_help_str(self, limit: int = _NO_LIMIT) -> str:  # noqa: ARG002
        return super().get_short_help_str(_NO_LIMIT)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return ["[OPTIONS]", *(_place(one, usage=True) for one in self.params if _is_argument(one))]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Examples come last, each in one line, so that they can be copied."""
        text = cleandoc(self.help or "")
        examples = _examples(text)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text.partition("\n\nExample: ")[0])
        if examples:
            with formatter.section("Examples" if len(examples) > 1 else "Example"):
                for one in examples:
                    formatter.write(f"{'':{formatter.current_indent}}{one}\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments by their names alone; Typer also shows their types in Python."""
        parameters: list[Any] = list(self.get_params(ctx))
        arguments = [(_place(one), one.help or "") for one in parameters if _is_argument(one)]
        sections: dict[str, list[Any]] = {"Arguments": arguments} | {title: [] for title in ORDER}
        for one in parameters:
            if not _is_argument(one) and (row := one.get_help_record(ctx)):
                sections[getattr(one, "rich_help_panel", None) or OPTIONS].append(_plain(*row))
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        flags = {flag for one in self.params for flag in one.opts}
        try:
            return super().make_context(info_name, renew(args, flags, self.old_place), parent, **extra)
        except Exception as error:  # typer does not name the class of usage errors
            if type(error).__name__ == "MissingParameter" and (examples := _examples(self.help or "")):
                error.message = f"Example: {examples[0]}"  # type: ignore[attr-defined]
            elif said := getattr(error, "message", None):
                error.message = said.replace("Value error, ", "")  # type: ignore[attr-defined]
            raise


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
        first = args[0] if args else ""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except Exception as error:  # typer does not name the class of usage errors
            if "extra argument" in getattr(error, "message", ""):
                error.message += self._advice(f"lexalign {info_name}", first)  # type: ignore[attr-defined]
            raise

    def _advice(self, name: str, first: str) -> str:
        """What may have been meant where there are too many words."""
        if near := get_close_matches(first, self.commands, 1):
            return f"; did you mean {f'{name} {near[0]}'!r}?"
        takes_text = any(one.metavar == "TEXT" for one in self.params)
        return '; put a text of several words in quotes: "..."' if takes_text else ""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        _list_commands(self.commands, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        from typer.core import CompletionItem  # type: ignore[attr-defined]

        names = [
            CompletionItem(name, help=command.get_short_help_str())
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


def _examples(help_text: str) -> list[str]:
    """The examples of a command's help, each in one line."""
    found = re.findall(r"^Example: (.*?)(?:\n\n|\Z)", help_text, re.MULTILINE | re.DOTALL)
    return [" ".join(one.split()) for one in found]


def _plain(option: str, text: str) -> tuple[str, str]:
    """A row of help without the names of types in Python, and without brackets around a described default."""
    option = re.sub(r"<(?:int|float)(?: range)?>", "NUMBER", option)
    return option, re.sub(r"\[default: \((.*)\)", r"[default: \1", text)


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _place(argument: Any, usage: bool = False) -> str:
    """SOURCE, FILE...; in a line of usage [TARGET], where it may be left out."""
    name = argument.metavar + ("..." if argument.nargs != 1 else "")
    return f"[{name}]" if usage and not argument.required else name


def _summary(command: Any) -> str:
    """What it does, and the commands below it."""
    below = [name for name, one in getattr(command, "commands", {}).items() if not one.hidden]
    return f"{command.get_short_help_str()}" + (f" Subcommands: {', '.join(below)}." if below else "")


def _list_commands(commands: Mapping[str, Any], formatter: Any) -> None:
    shown = {name: command for name, command in commands.items() if not command.hidden}
    rows = [(name, _summary(command)) for name, command in shown.items()]
    if rows:
        with formatter.section("Commands"):
            formatter.write_dl(rows)
