"""`python -m lexalign` is `lexalign`."""

from lexalign.cli.main import run

run()
