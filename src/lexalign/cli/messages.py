"""Messages on standard error, and how a command fails: in one line, with an exit code for scripts.

2    the input or the environment is at fault, and the line says what to do
130  Ctrl-C
141  the reader of standard output is gone, as with `| head`; there is no message
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from lexalign.contracts.errors import LexalignError


@contextmanager
def one_line_failures() -> Iterator[None]:
    try:
        yield
    except LexalignError as error:
        raise _exit(str(error), 2) from None
    except KeyboardInterrupt:
        say("lexalign: interrupted")
        raise typer.Exit(130) from None
    except BrokenPipeError:
        _drop_standard_output()
        raise typer.Exit(141) from None
    except OSError as error:
        _drop_standard_output()
        where = f"{error.filename}: " if error.filename else ""
        raise _exit(f"{where}{error.strerror or error}", 2) from None


@contextmanager
def resumable() -> Iterator[None]:
    """Ctrl-C ends a run that has saved its state; the user learns how to continue it."""
    try:
        yield
    except KeyboardInterrupt:
        say("stopped; run the same command again to continue")
        raise typer.Exit(130) from None


def say(line: str) -> None:
    typer.echo(line, err=True)


def warn(message: str) -> None:
    say(f"lexalign: warning: {message}")


def _exit(message: str, status: int) -> typer.Exit:
    say(f"lexalign: error: {' '.join(message.split())}")
    return typer.Exit(status)


def _drop_standard_output() -> None:
    """Discard what is still buffered: Python would try to write it once more at exit, and complain."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # not a real file, as in tests
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
