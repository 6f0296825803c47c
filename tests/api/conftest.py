"""The bundled models, loaded once."""

import pytest

import lexalign


@pytest.fixture(scope="session")
def translator() -> lexalign.Translator:
    return lexalign.load("de", "en", device="cpu")
