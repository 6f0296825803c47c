"""The program `lexalign`: by the helper, if there is one, or here."""

import sys


def run() -> None:
    from lexalign.cli.daemon.client import run_by_helper

    if (status := run_by_helper(sys.argv[1:])) is not None:
        raise SystemExit(status)
    from lexalign.cli.main import run as run_here

    run_here()
