"""The examples in docstrings, on the bundled models."""

import doctest
from importlib import import_module

import pytest

MODULES = [
    "lexalign",
    "lexalign.api.functions",
    "lexalign.api.glossary",
    "lexalign.api.loading",
    "lexalign.api.translator",
    "lexalign.integrations.pipelines",
    "lexalign.integrations.tables",
    "lexalign.integrations.word_alignment",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
    assert found.attempted
    assert not found.failed
