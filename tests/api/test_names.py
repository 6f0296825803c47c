"""The names that users may rely on, and what importing them costs."""

import subprocess
import sys
from dataclasses import fields, is_dataclass

import pytest

import lexalign

NAMES = [
    "Alignment",
    "Chunk",
    "Entry",
    "Glossary",
    "GlossaryError",
    "LanguageError",
    "LexalignError",
    "MissingExtraError",
    "ModelNotFoundError",
    "OptionError",
    "Term",
    "TranslateKeywords",
    "Translation",
    "Translator",
    "WordLink",
    "__version__",
    "align",
    "download",
    "list_models",
    "load",
    "stream",
    "translate",
]


def test_the_public_names() -> None:
    """A name that is missing here breaks somebody's program: see CHANGELOG.md before changing the list."""
    assert sorted(lexalign.__all__) == sorted(NAMES) == dir(lexalign)
    for name in NAMES:
        assert getattr(lexalign, name) is not None


def test_importing_loads_nothing() -> None:
    code = "import sys, lexalign; print([name for name in ('torch', 'typer') if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match="translte"):
        lexalign.translte  # noqa: B018


@pytest.mark.parametrize("name", [name for name in NAMES if name != "__version__"])
def test_every_name_is_documented(name: str) -> None:
    found = getattr(lexalign, name)
    assert found.__doc__, name
    for member, value in vars(found).items() if isinstance(found, type) else ():
        if not member.startswith("_") and callable(value):
            assert value.__doc__, f"{name}.{member}"
    for field in fields(found) if is_dataclass(found) else ():
        assert f"        {field.name}: " in (found.__doc__ or ""), f"{name}.{field.name}"
