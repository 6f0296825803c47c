"""`lexalign models import`, `export` and `quantize`: models in other formats."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from lexalign.bundled.cache import find_folder
from lexalign.cli.messages import say
from lexalign.cli.options.model_choice import ModelSource, ModelTarget, both_languages

ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", parser=find_folder, help="Folder or name of the model.")
]


def import_model(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="A HuggingFace or CTranslate2 folder, an Argos package, a Marian model or its folder, or a "
            "fairseq checkpoint beside its "
            "dictionaries.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the imported model.")
    ],
    int8: Annotated[
        bool, typer.Option("--int8", help="Store weights in 8 bits: a quarter of the size of float32.")
    ] = False,
    source_language: ModelSource = None,
    target_language: ModelTarget = None,
) -> None:
    """Import a model of another toolkit, with its tokenizer and its languages.

    From HuggingFace: Marian (OPUS-MT), M2M100, NLLB, mBART-50, BART, T5 and MADLAD-400. From CTranslate2 and
    Argos Translate (LibreTranslate): translation models in any number format. From Marian itself: .npz and
    .bin beside their vocabularies, as Firefox's models and OPUS-MT's originals, with a lexical shortlist if
    there is one. From fairseq: Transformer models for one language pair. Without --int8, weights keep their
    precision. They are copied one by one, so that a large model does not have to fit into memory.

    The languages of a bilingual model are read from its files or its name, unless --from and --to are given.

    Example: lexalign models import opus-mt-de-en --output de-en
    """
    from lexalign.interop import importing
    from lexalign.text.foreign.tokenizer import ForeignTokenizer
    from lexalign.text.model_languages import languages_of_folder
    from lexalign.text.tokenizer_files import load_tokenizer

    pair = both_languages(source_language, target_language)
    config = importing.import_model(path, output, int8=int8, languages=pair)
    tokenizer, known = load_tokenizer(output), languages_of_folder(output)
    languages = tokenizer.languages
    shape = f"{config.encoder_layers}+{config.decoder_layers} layers of width {config.width}"
    described = f", {len(languages)} languages to choose from by --from and --to" if languages else ""
    described += f", {known[0]} to {known[1]}" if known else ""
    say(f"{output}: {shape}, {config.vocabulary_size:,} entries{described}")
    if isinstance(tokenizer, ForeignTokenizer) and tokenizer.source_side.spelling == "words":
        say("no SentencePiece model is beside it: texts must come in the pieces of its vocabulary")


def export_model(
    model: ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the exported model.")
    ],
    output_format: Annotated[
        Literal["huggingface", "ctranslate2"],
        typer.Option("--format", help="A HuggingFace folder, or CTranslate2 if it is installed."),
    ] = "huggingface",
    source_language: ModelSource = None,
    target_language: ModelTarget = None,
    quantization: Annotated[
        Literal["float32", "float16", "int8"], typer.Option(help="Number format of a CTranslate2 model.")
    ] = "float32",
) -> None:
    """Export a model to another toolkit.

    A HuggingFace folder is read by transformers and by CTranslate2's converter. Models trained by lexalign,
    the bundled ones, and imported Marian models can be exported: as Marian where norms come behind the
    sub-layers, as Pegasus where they come before. The exported model names its languages, if they are given
    or its folder names them.

    Example: lexalign models export run --output hub-de-en
    """
    from lexalign.interop import exporting

    languages = (source_language, target_language)
    exporting.export_model(
        model, output, format=output_format, languages=languages, quantization=quantization
    )


def quantize_model(
    model: ModelArgument,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder for the quantized model.")
    ],
) -> None:
    """Store a model and its alignment heads in 8 bits: a quarter of the size of float32.

    On a CPU the model computes in 8 bits; on a GPU, or with --float32, its weights are converted back.

    Example: lexalign models quantize run --output small
    """
    from lexalign.interop.quantization import folder_size, quantize_folder

    before = folder_size(model) if model.is_dir() else 0
    size = quantize_folder(model, output)
    say(f"{output}: {size / 1e6:.1f} MB, from {before / 1e6:.1f} MB")
