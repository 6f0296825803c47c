"""`lexalign export`."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def export(
    model: Annotated[Path, typer.Argument(help="The folder of the model.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write.")],
    output_format: Annotated[
        Literal["marian", "ctranslate2"],
        typer.Option("--format", help="HuggingFace's Marian, or CTranslate2 where it is installed."),
    ] = "marian",
    source_language: Annotated[str, typer.Option(metavar="CODE", help="Noted down in the folder.")] = "",
    target_language: Annotated[str, typer.Option(metavar="CODE", help="Noted down in the folder.")] = "",
    quantization: Annotated[
        Literal["float32", "float16", "int8"], typer.Option(help="Of a CTranslate2 model.")
    ] = "float32",
) -> None:
    """Write a model for other toolkits.

    Marian's format is read by transformers and by CTranslate2's converter; it has a place for models of our
    own shape and for imported Marian models.

    Example: lexalign export de-en/model --to marian-de-en --source-language de --target-language en
    """
    from lexalign.contracts.errors import LexalignError
    from lexalign.interop.ctranslate2 import export_ctranslate2
    from lexalign.interop.marian import export_marian
    from lexalign.models.folder import load_model

    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise LexalignError(f"{to} exists; export to a new folder")
    weights, tokenizer = load_model(model, precision="float32")
    if output_format == "marian":
        export_marian(weights, tokenizer, to, source_language, target_language)
    else:
        export_ctranslate2(weights, tokenizer, to, quantization)
