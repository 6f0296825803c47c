"""`lexalign import`."""

from pathlib import Path
from typing import Annotated

import typer

from lexalign.cli.options.model_choice import ModelSource, ModelTarget, both_languages


def import_model(
    path: Annotated[
        Path, typer.Argument(help="A HuggingFace folder, or a fairseq checkpoint beside its dictionaries.")
    ],
    to: Annotated[Path, typer.Option(metavar="DIR", help="The folder that the model is written to.")],
    int8: Annotated[
        bool, typer.Option("--int8", help="Store weights in 8 bits: a quarter of float32's size.")
    ] = False,
    source_language: ModelSource = None,
    target_language: ModelTarget = None,
) -> None:
    """Make a model of another toolkit one of ours, tokenizer and languages included.

    From HuggingFace: Marian (OPUS-MT), M2M100, NLLB, mBART-50 and BART. From fairseq: Transformer models for
    one pair of languages. Without --int8 weights keep their precision. They are copied one by one, so that a
    large model needs no memory for all of it.

    The languages of a model of one pair are what its files or its name say, or
    --source-language and --target-language.

    Example: lexalign import opus-mt-de-en --to de-en
    """
    from lexalign.interop.importing import import_model as bring
    from lexalign.text.model_languages import languages_of_folder
    from lexalign.text.tokenizer_files import load_tokenizer

    config = bring(path, to, int8=int8, languages=both_languages(source_language, target_language))
    languages, pair = load_tokenizer(to).languages, languages_of_folder(to)
    shape = f"{config.encoder_layers}+{config.decoder_layers} layers of width {config.width}"
    spoken = f", {len(languages)} languages to choose from by --from and --to" if languages else ""
    spoken += f", {pair[0]} to {pair[1]}" if pair else ""
    typer.echo(f"{to}: {shape}, {config.vocabulary_size:,} entries{spoken}", err=True)
