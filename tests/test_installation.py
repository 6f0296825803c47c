"""Extras: what users choose from, and what old names still mean."""

import re
import tomllib
from pathlib import Path

import pytest

from lexalign import installation
from lexalign.installation import EXTRAS, installed_extras

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
NEEDED = [
    f"{one.split(';')[0].strip()}; extra == '{extra}'"
    for extra, packages in PROJECT["optional-dependencies"].items()
    for one in packages
]


def test_all_extras_have_packages() -> None:
    for extra in EXTRAS:
        assert installation._packages(extra, NEEDED)
    assert installation._packages("hub", NEEDED) == installation._packages("models", NEEDED)
    assert installation._packages("files", NEEDED) >= {"lxml", "polib", "rapidfuzz"}
    assert installation._packages("all", NEEDED) >= installation._packages("files", NEEDED)


def test_errors_name_extras_that_there_are() -> None:
    source = Path(installation.__file__).parent
    named = {
        extra
        for path in source.rglob("*.py")
        for extra in re.findall(r"pip install 'lexalign\[([a-z-]+)\]'", path.read_text(encoding="utf-8"))
    }
    assert named
    assert named <= set(PROJECT["optional-dependencies"])


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "requires", lambda _: NEEDED)
    monkeypatch.setattr(installation, "_is_installed", lambda package: package != "lxml")
    missing = {one.name: one.missing for one in installed_extras()}
    assert missing["files"] == missing["server"] == ("lxml",)
    assert missing["corpus"] == ()
