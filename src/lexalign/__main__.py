"""`python -m lexalign` is `lexalign`."""

from lexalign.cli.entry import run

run()
