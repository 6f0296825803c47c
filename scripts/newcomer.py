"""Time a newcomer's first hour: an empty folder, a new environment, and the first result of each kind.

    python scripts/newcomer.py

Lexalign is installed from this clone, with the versions of `constraints.txt`. The table is that of
docs/research/newcomer.md; below it stands all that was typed. A command that fails ends the script. The model
that is imported is the bundled one, exported in the format of OPUS-MT; the export is not timed.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPT = """import lexalign

translator = lexalign.load("de", "en")
found = translator.translate("Das Haus hat einen Garten.", glossary={"Garten": "yard"})
print(found.text, found.terms)
"""
STEPS = [
    ("first translation", "all", ["lexalign translate 'Wo ist der nächste Bahnhof?'"]),
    (
        "first glossary",
        "localisation",
        [
            r"printf 'de,en\nBahnhof,railway terminal\n' > terms.csv",
            "lexalign translate --glossary terms.csv 'Wo ist der nächste Bahnhof?'",
        ],
    ),
    (
        "first document with a report",
        "localisation",
        [
            r"printf '<p>Der <b>Bahnhof</b> liegt im Norden.</p>\n' > page.html",
            "lexalign translate file page.html page.en.html --glossary terms.csv --report report.html",
        ],
    ),
    (
        "first alignment picture",
        "research",
        [
            r"printf 'Das alte Haus brennt .\n' > test.de",
            r"printf 'The old house is burning .\n' > test.en",
            "lexalign align test.de test.en --words words --format probabilities --output test.links",
            "lexalign align plot test.de test.en picture.png --alignment PostAln=test.links",
        ],
    ),
    (
        "first Python script, with a glossary",
        "developer",
        [f"cat > first.py <<'END'\n{SCRIPT}END", "python first.py"],
    ),
    (
        "first imported model (in OPUS-MT's format) with a term",
        "developer",
        [
            "lexalign models import opus-mt-de-en --output mine",
            "lexalign translate --model mine --term 'Bericht=dossier' 'Das Haus hat den Bericht angenommen.'",
        ],
    ),
]


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None).parse_args()
    install = f"pip install -q -c {ROOT}/constraints.txt '{ROOT}[files,models,train]'"
    steps = [("install", "all", [f"{sys.executable} -m venv venv", install])]
    steps += STEPS
    with tempfile.TemporaryDirectory() as folder:
        print("| | for | commands | seconds | of a core |\n|---|---|---|---|---|")
        for name, user, commands in steps:
            if "imported" in name:
                _run("lexalign models export de-en --output opus-mt-de-en", Path(folder))
            start, before = time.perf_counter(), _processor_seconds()
            shown = "".join(_run(one, Path(folder)) for one in commands)
            print(
                f"| {name} | {user} | {len(commands)} | {time.perf_counter() - start:.1f} | "
                f"{_processor_seconds() - before:.1f} |",
                flush=True,
            )
            print(shown, end="", file=sys.stderr)
    print(f"load: {os.getloadavg()[0]:.1f}")


def _processor_seconds() -> float:
    """Of the commands so far; unlike seconds of a clock, other programs hardly change them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(command: str, folder: Path) -> str:
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    bare |= {"PATH": f"{folder}/venv/bin{os.pathsep}{bare['PATH']}", "LEXALIGN_HOME": f"{folder}/cache"}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=bare, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"$ {command}\n{done.stdout}{done.stderr}")
    return f"$ {command}\n{done.stdout}{done.stderr}"


if __name__ == "__main__":
    main()
