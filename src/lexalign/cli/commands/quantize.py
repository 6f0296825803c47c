"""`lexalign quantize`."""

from pathlib import Path
from typing import Annotated

import typer


def quantize(
    model: Annotated[Path, typer.Argument(help="The folder of the model.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The new folder.")],
) -> None:
    """Store a model and its alignment heads in 8 bits: a quarter of float32's size.

    On a CPU it is loaded as it is and computes in 8 bits; on a GPU, or with --float32, it is turned back.

    Example: lexalign quantize run/model --to small
    """
    from lexalign.interop.int8 import folder_size, quantize_folder

    before = folder_size(model) if model.is_dir() else 0
    size = quantize_folder(model, to)
    typer.echo(f"{to}: {size / 1e6:.1f} MB, from {before / 1e6:.1f} MB", err=True)
