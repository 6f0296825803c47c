"""What of the package's extras is installed, by the package's own metadata."""

import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

# Those that users choose from; the others are their parts, or for developers.
EXTRAS = {
    "files": "documents, glossaries and memories in every format",
    "models": "models of other toolkits, by name or from files",
    "server": "translation over HTTP",
    "train": "learning curves and alignment pictures",
    "corpus": "corpora in Parquet files",
    "ray": "corpora on Ray clusters",
}
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[([^\]]*)\])?")
_OF_EXTRA = re.compile(r"extra == [\"']([^\"']+)[\"']")


@dataclass(frozen=True)
class Extra:
    name: str
    purpose: str
    missing: tuple[str, ...]  # packages


def installed_extras() -> list[Extra]:
    """What of each extra is missing; none if the package is not installed, as in a bare clone."""
    try:
        needed = requires("lexalign") or []
    except PackageNotFoundError:
        return []
    return [
        Extra(name, purpose, tuple(one for one in sorted(_packages(name, needed)) if not _is_installed(one)))
        for name, purpose in EXTRAS.items()
    ]


def _packages(extra: str, needed: list[str]) -> set[str]:
    """The packages of an extra, and of the extras that it contains."""
    found: set[str] = set()
    for line in needed:
        named, requirement = _OF_EXTRA.search(line), _REQUIREMENT.match(line)
        if named is None or requirement is None or named[1] != extra or "win32" in line:
            continue
        if requirement[1] == "lexalign":
            for part in requirement[2].split(","):
                found |= _packages(part.strip(), needed)
        else:
            found.add(requirement[1])
    return found


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
