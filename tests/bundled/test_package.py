"""The bundled models, as far as they are in this checkout."""

from pathlib import Path

import pytest

import lexalign.bundled
from lexalign.alignment.head_files import saved_heads
from lexalign.bundled import BundledModels
from lexalign.interop.quantization import folder_size
from lexalign.models.folder import stored_precision
from lexalign.translator import TranslateOptions, Translator

FOLDERS = BundledModels.within(Path(lexalign.bundled.__file__).parent).folders


@pytest.mark.parametrize("direction", list(FOLDERS))
def test_a_model_is_small_whole_and_described(direction: tuple[str, str]) -> None:
    folder = FOLDERS[direction]
    assert stored_precision(folder) == "int8"
    assert folder_size(folder) < 18e6
    assert "post-aln" in saved_heads(folder)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "## Licence" in card
    assert "## Training data" in card
    assert "not stated" not in card  # the terms of some text


@pytest.mark.parametrize(
    ("direction", "text", "expected"),
    [
        (("de", "en"), "Das Haus ist groß.", "house"),
        (("en", "de"), "The house is big.", "Haus"),
    ],
)
def test_a_model_translates_and_aligns(direction: tuple[str, str], text: str, expected: str) -> None:
    if direction not in FOLDERS:
        pytest.skip("this checkout comes without it")
    found = Translator.load(FOLDERS[direction], device="cpu").translate(
        text, TranslateOptions(align="post-aln")
    )
    assert expected.lower() in found.text.lower()
    assert found.links
