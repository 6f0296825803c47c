"""Build the wheel and the source distribution, check them, and run the README's session with the wheel.

    python scripts/check_package.py

The wheel is installed into an empty environment. Installing torch takes minutes, so the environment borrows
the packages that the wheel depends on from this one, and no others. The commands of the README then run in an
empty folder, and must print what the README says.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
MOST_BYTES = 40_000_000  # of the wheel; an index takes 100 MB, and the models are 31 of them
_BLOCK = r"^```{}\n(.*?)^```"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        wheel = _build(work / "dist")
        _check_content(wheel)
        environment = _install(wheel, work / "environment")
        (work / "empty").mkdir()
        _run_session(environment, work / "empty")
        _run_python(environment, work / "empty")
    print("the README's session runs with the wheel")


def _build(folder: Path) -> Path:
    _call([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT])
    built = sorted(folder.iterdir())
    _call([sys.executable, "-m", "twine", "check", "--strict", *built])
    for path in built:
        print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")
    (wheel,) = folder.glob("*.whl")
    return wheel


def _check_content(wheel: Path) -> None:
    if wheel.stat().st_size > MOST_BYTES:
        sys.exit(f"{wheel.name} has over {MOST_BYTES / 1e6:.0f} MB")
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("lexalign/py.typed", "lexalign/bundled/de-en/model.safetensors"):
        if needed not in names:
            sys.exit(f"{needed} is not in the wheel")
    if strange := [name for name in names if not name.startswith(("lexalign/", "lexalign-"))]:
        sys.exit(f"{strange[0]} should not be in the wheel")


def _install(wheel: Path, folder: Path) -> Path:
    _call([sys.executable, "-m", "venv", "--without-pip", folder])
    python = folder / "bin" / "python"
    _call([sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel])
    (packages,) = folder.glob("lib/python*/site-packages")
    (own,) = packages.glob("lexalign-*.dist-info")
    _borrow(PathDistribution(own).requires or [], packages, set())
    place = _call([python, "-c", "import lexalign; print(lexalign.__file__)"])
    if not Path(place.strip()).is_relative_to(folder):
        sys.exit(f"not the wheel was imported, but {place}")
    return folder


def _borrow(requirements: list[str], packages: Path, borrowed: set[str]) -> None:
    """Link what is required without extras, and what that requires."""
    for needed in map(Requirement, requirements):
        if needed.name in borrowed or (needed.marker and not needed.marker.evaluate({"extra": ""})):
            continue
        borrowed.add(needed.name)
        found = distribution(needed.name)
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(found.locate_file(top))))
        _borrow(found.requires or [], packages, borrowed)


def _run_session(environment: Path, folder: Path) -> None:
    for command, expected in read_session(ROOT / "README.md"):
        shown = _call(["sh", "-c", command], cwd=folder, path=environment / "bin")
        if _comparable(shown) != _comparable(expected):
            sys.exit(f"$ {command}\n{shown}\nbut the README says\n{expected}")


def read_session(page: Path) -> list[tuple[str, str]]:
    """The commands of a page's sessions, and what they print."""
    text = page.read_text(encoding="utf-8")
    found = []
    for block in re.findall(_BLOCK.format("console"), text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            found.append((command, expected))
    return found


def _run_python(environment: Path, folder: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(_BLOCK.format("python"), text, re.DOTALL | re.MULTILINE)
    (expected,) = re.findall(_BLOCK.format("text"), text, re.DOTALL | re.MULTILINE)
    shown = _call([environment / "bin" / "python", "-c", code], cwd=folder)
    if _comparable(shown) != _comparable(expected):
        sys.exit(f"{shown}\nbut the README says\n{expected}")


def _comparable(shown: str) -> str:
    """Probabilities differ a little from machine to machine, and with them the columns of a table."""
    numbers = re.sub(r"\b(\d+ %|\d\.\d{2})", "N", shown)
    return "\n".join(" ".join(line.split()) for line in numbers.strip().splitlines())


def _call(command: list[object], cwd: Path | None = None, path: Path | None = None) -> str:
    """What a command prints; its failure ends this script with what it said."""
    words = [str(word) for word in command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=environment)
    if done.returncode:
        sys.exit(f"$ {shlex.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
