"""How a command fails: one line on standard error and a status that scripts can tell apart.

2    the input or the environment is at fault, and the line says what to do
130  Ctrl-C
141  whoever read standard output has gone away, as with `| head`; there is nothing to say
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
        print("lexalign: interrupted", file=sys.stderr)  # noqa: T201
        raise typer.Exit(130) from None
    except BrokenPipeError:
        _drop_standard_output()
        raise typer.Exit(141) from None
    except OSError as error:
        _drop_standard_output()
        where = f"{error.filename}: " if error.filename else ""
        raise _exit(f"{where}{error.strerror or error}", 2) from None


def warn(message: str) -> None:
    print(f"lexalign: warning: {message}", file=sys.stderr)  # noqa: T201


def _exit(message: str, status: int) -> typer.Exit:
    print(f"lexalign: error: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201
    return typer.Exit(status)


def _drop_standard_output() -> None:
    """What is still buffered cannot be written; Python would try once more at its end, and complain."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError):  # not a real file, as in tests
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
