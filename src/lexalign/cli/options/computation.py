"""Options of the device and the arithmetic."""

from typing import TYPE_CHECKING, Annotated

import typer

from lexalign.cli.options.sections import SPEED
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.models.projection import Precision

Device = Annotated[
    str, typer.Option(metavar="DEVICE", help="cpu, cuda or cuda:1; auto uses a GPU if there is one.")
]
Workers = Annotated[
    int | None,
    typer.Option(help="Number of processes on a CPU; by default one for each core.", rich_help_panel=SPEED),
]
Int8 = Annotated[
    bool | None,
    typer.Option(
        "--int8/--float32",
        help="Arithmetic on a CPU: 8-bit (faster, about as good) or 32-bit; by default as the model is "
        "stored.",
        rich_help_panel=SPEED,
    ),
]
SharedScales = Annotated[
    bool,
    typer.Option(
        "--shared-scales",
        help="8-bit arithmetic with one scale for a whole batch: 3 to 11 % faster, but a translation then "
        "depends on the other texts of its batch.",
        rich_help_panel=SPEED,
    ),
]


def precision_of(int8: bool | None, shared_scales: bool = False) -> "Precision | None":
    if shared_scales:
        if int8 is False:
            raise LexalignError("--shared-scales is an option of 8-bit arithmetic; leave out --float32")
        return "int8-shared"
    return None if int8 is None else "int8" if int8 else "float32"
