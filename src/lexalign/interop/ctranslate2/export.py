"""Export to CTranslate2, by way of a HuggingFace folder and CTranslate2's own converter."""

import contextlib
import io
import os
import shutil
import tempfile
import warnings
from importlib.util import find_spec
from pathlib import Path

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.interop.hub_export import export_huggingface
from lexalign.models.transformer import Transformer
from lexalign.storage import new_folder
from lexalign.text.subwords import ModelTokenizer


def export_ctranslate2(
    model: Transformer, tokenizer: ModelTokenizer, folder: Path, quantization: str = "float32"
) -> None:
    """Write the folder atomically."""
    for package in ("ctranslate2", "transformers"):
        if find_spec(package) is None:
            raise MissingExtraError(f"this format needs {package}: pip install 'lexalign[peers]'")
    config = model.config
    if config.encoder_heads != config.decoder_heads:
        raise LexalignError(
            f"CTranslate2 converts models with one number of heads, and this one has {config.encoder_heads} "
            f"in the encoder and {config.decoder_heads} in the decoder; export it to HuggingFace"
        )
    with tempfile.TemporaryDirectory() as scratch:
        export_huggingface(model, tokenizer, Path(scratch) / "model", "", "")
        with new_folder(folder) as new:
            _convert(Path(scratch) / "model", new, quantization)
            for name in ("source.spm", "target.spm"):  # which the converter leaves behind
                shutil.copyfile(Path(scratch) / "model" / name, new / name)


def _convert(model: Path, folder: Path, quantization: str) -> None:
    # Messages of transformers about optional packages do not concern the user.
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    from ctranslate2.converters import TransformersConverter

    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        converter = TransformersConverter(str(model))
        converter.convert(str(folder), quantization=quantization, force=True)
