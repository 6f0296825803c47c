"""What a command loads before it answers: nothing that one sentence does not need."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
sys.argv = ["lexalign", *sys.argv[1:]]
from lexalign.cli.main import run
try:
    run()
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_after(*arguments: object) -> set[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    environment.pop("LEXALIGN_MODELS", None)
    shown = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, arguments)], capture_output=True, text=True, env=environment
    )
    return set(json.loads(shown.stderr.splitlines()[-1]))


@pytest.mark.parametrize("precision", ["--int8", "--float32"])
def test_a_sentence_needs_neither_compiler_nor_algebra(model: Path, precision: str) -> None:
    """Torch imports both, for seconds, where tensors without memory are computed with."""
    loaded = modules_after("translate", "--model", model, "--device", "cpu", precision, "Anna kaufte Äpfel.")
    assert "lexalign.models.transformer" in loaded
    unwanted = {"torch._dynamo", "torch._inductor", "sympy", "sacrebleu", "matplotlib", "rich.progress"}
    assert not unwanted & loaded
    assert not {name for name in loaded if name.startswith(("lexalign.training", "lexalign.interop"))}


@pytest.mark.parametrize(
    "arguments", [("--help",), ("translate", "--help"), ("translate", "--from", "xx", "--to", "yy", "text")]
)
def test_help_and_errors_do_not_load_torch(arguments: tuple[str, ...]) -> None:
    assert "torch" not in modules_after(*arguments)
