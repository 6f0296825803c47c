"""`export_model`: a model folder in the format of another toolkit."""

from pathlib import Path
from typing import Literal

from lexalign.contracts.errors import LexalignError
from lexalign.interop.ctranslate2.export import export_ctranslate2
from lexalign.interop.hub_export import export_huggingface
from lexalign.models.folder import load_model
from lexalign.text.model_languages import check_languages, languages_of_folder

ExportFormat = Literal["huggingface", "ctranslate2"]


def export_model(
    path: Path,
    folder: Path,
    *,
    format: ExportFormat = "huggingface",
    languages: tuple[str | None, str | None] = (None, None),
    quantization: str = "float32",
) -> None:
    """Write a complete folder or nothing.

    `languages` are named in a HuggingFace folder, where the model's folder does not name them.
    `quantization` is the number format of a CTranslate2 model.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LexalignError(f"{folder} exists; export to a new folder")
    weights, tokenizer = load_model(path, precision="float32")
    if format == "huggingface":
        known = languages_of_folder(path)
        check_languages(path, known, languages)
        source, target = known or (languages[0] or "", languages[1] or "")
        export_huggingface(weights, tokenizer, folder, source, target)
    else:
        export_ctranslate2(weights, tokenizer, folder, quantization)
