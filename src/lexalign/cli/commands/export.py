"""`lexalign export`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from lexalign.cli.options.model_choice import ModelSource, ModelTarget


def export(
    model: Annotated[Path, typer.Argument(help="The folder of the model.")],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write.")],
    output_format: Annotated[
        Literal["marian", "ctranslate2"],
        typer.Option("--format", help="HuggingFace's Marian, or CTranslate2 where it is installed."),
    ] = "marian",
    source_language: ModelSource = None,
    target_language: ModelTarget = None,
    quantization: Annotated[
        Literal["float32", "float16", "int8"], typer.Option(help="Of a CTranslate2 model.")
    ] = "float32",
) -> None:
    """Write a model for other toolkits.

    Marian's format is read by transformers and by CTranslate2's converter; it has a place for models of our
    own shape and for imported Marian models. It names the model's languages, where its folder says them or
    they are given.

    Example: lexalign export run/model --to marian-de-en
    """
    from lexalign.contracts.errors import LexalignError
    from lexalign.interop.ctranslate2 import export_ctranslate2
    from lexalign.interop.marian import export_marian
    from lexalign.models.folder import load_model
    from lexalign.text.model_languages import check_languages, languages_of_folder

    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise LexalignError(f"{to} exists; export to a new folder")
    weights, tokenizer = load_model(model, precision="float32")
    if output_format == "marian":
        known = languages_of_folder(model)
        check_languages(model, known, (source_language, target_language))
        source, target = known or (source_language or "", target_language or "")
        export_marian(weights, tokenizer, to, source, target)
    else:
        export_ctranslate2(weights, tokenizer, to, quantization)
