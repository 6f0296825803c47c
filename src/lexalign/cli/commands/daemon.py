"""`lexalign daemon`: a helper process that makes translations from the shell start at once."""

import subprocess
import sys
import time
from typing import Annotated

import typer

from lexalign.cli.messages import say
from lexalign.contracts.errors import LexalignError

_START_S = 60.0


def daemon(
    idle_minutes: Annotated[
        float, typer.Option("--idle-minutes", min=0.01, help="Stop after this long without work.")
    ] = 30.0,
    foreground: Annotated[
        bool,
        typer.Option("--foreground", help="Run in this process, until Ctrl-C or `lexalign daemon stop`."),
    ] = False,
) -> None:
    """Keep torch and models in memory, so that `lexalign translate` answers at once.

    The helper serves this user alone, and stops by itself. Each command has a process of its own, with its
    own options, folder and environment. A command that the helper cannot serve runs as usual.

    Example: lexalign daemon && lexalign translate "Guten Tag!"
    """
    from lexalign.cli.daemon.client import ask

    if sys.platform == "win32":
        raise LexalignError("the helper needs a Unix system; commands run without it")
    if running := ask("status"):
        say(f"the helper runs already, as process {running['process']}")
    elif foreground:
        _serve(60 * idle_minutes)
    else:
        _start(idle_minutes)


def stop() -> None:
    """Stop the helper."""
    from lexalign.cli.daemon.client import ask

    answer = ask("stop")
    say("there is no helper" if answer is None else f"stopped process {answer['process']}")


def status() -> None:
    """Show the helper's process and the models it holds."""
    from lexalign.cli.daemon.client import ask

    answer = ask("status")
    if answer is None:
        typer.echo("there is no helper; start one by: lexalign daemon")
        raise typer.Exit(1)
    typer.echo(f"process {answer['process']}")
    for folder in answer["models"]:
        typer.echo(f"model {folder}")


def _start(idle_minutes: float) -> None:
    from lexalign.cli.daemon.client import ask

    command = [
        sys.executable,
        "-m",
        "lexalign",
        "daemon",
        "--foreground",
        "--idle-minutes",
        str(idle_minutes),
    ]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    end = time.monotonic() + _START_S
    while time.monotonic() < end and process.poll() is None:
        if ask("status"):
            say(
                f"the helper is ready, as process {process.pid}; it stops after {idle_minutes:g} idle minutes"
            )
            return
        time.sleep(0.05)
    process.kill()
    raise LexalignError("the helper does not start; to see why: lexalign daemon --foreground")


def _serve(idle_s: float) -> None:
    from lexalign.cli.daemon.messages import socket_path
    from lexalign.cli.daemon.service import Helper

    Helper(socket_path(), idle_s).run()
