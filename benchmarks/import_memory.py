"""Memory to import a model of NLLB's distilled size (615M parameters), and to translate with it in int8.

    python benchmarks/import_memory.py --quick
    python benchmarks/import_memory.py --json memory.json

The model has the shape of nllb-200-distilled-600M and as many entries, random weights, and a small tokenizer
of synthetic words. Every command runs in a process of its own, and tells its peak at its end (Linux). Needs
transformers, to write the folder.
"""

import argparse
import io
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import sentencepiece
import torch
from rich.console import Console
from rich.table import Table

from harness.engines.rounds import quieten
from harness.machine import signature
from harness.options import make_parser, write_json
from lexalign.storage import write_text

_SHAPE = {"vocab_size": 256_206, "d_model": 1024, "layers": 12, "ffn_dim": 4096, "heads": 16}
_SMALL = {"vocab_size": 8_192, "d_model": 256, "layers": 2, "ffn_dim": 512, "heads": 4}
_PIECES = 2_000
_WORDS = 24
_MAX_LENGTH = 40
# To a parent the system tells no less than the parent's own peak, so a command tells it by itself.
_COMMAND = """
import atexit, re, runpy
from pathlib import Path
status = Path("/proc/self/status")
atexit.register(lambda: print(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]))
runpy.run_module("lexalign", run_name="__main__", alter_sys=True)
"""


def main() -> None:
    arguments = parse()
    quieten()
    generator = random.Random(arguments.seed)
    words = ["".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(3_000)]
    with tempfile.TemporaryDirectory(dir=arguments.scratch) as scratch:
        shape = _SMALL if arguments.quick else _SHAPE
        rows = [
            measure(Path(scratch), dtype, shape, words, arguments.seed)
            for dtype in (torch.float32, torch.float16)
        ]
    show(rows, Console())
    named = signature("cpu", shape=shape, seed=arguments.seed)
    write_json(arguments.json, {"signature": named, "results": rows})


def parse() -> argparse.Namespace:
    parser = make_parser(__doc__, quick="a small model")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scratch", type=Path, help="a folder with room for 6 GB")
    return parser.parse_args()


def measure(
    scratch: Path, dtype: torch.dtype, shape: dict[str, int], words: list[str], seed: int
) -> dict[str, object]:
    """Peaks and sizes of files in bytes."""
    theirs, plain, small = scratch / "theirs", scratch / "plain", scratch / "small"
    write_folder(theirs, dtype, shape, words, seed)
    languages = ("--from", "deu_Latn", "--to", "eng_Latn")
    search = ("--device", "cpu", "--max-length", str(_MAX_LENGTH), " ".join(words[:_WORDS]))
    row = {
        "precision": str(dtype).removeprefix("torch."),
        "file": weights_of(theirs),
        "import": peak("import", str(theirs), "--to", str(plain)),
        "import_int8": peak("import", str(theirs), "--int8", "--to", str(small)),
        "file_int8": weights_of(small),
        "translate_int8": peak("translate", "--model", str(small), *languages, *search),
    }
    for folder in (theirs, plain, small):
        folder.rename(folder.with_name(f"{folder.name}-{row['precision']}"))
    return row


def write_folder(
    folder: Path, dtype: torch.dtype, shape: dict[str, int], words: list[str], seed: int
) -> None:
    from transformers import M2M100Config, M2M100ForConditionalGeneration

    folder.mkdir()
    sides = ("encoder", "decoder")
    config = M2M100Config(
        vocab_size=shape["vocab_size"],
        d_model=shape["d_model"],
        activation_function="relu",
        scale_embedding=True,
        max_position_embeddings=1024,
        **{f"{side}_layers": shape["layers"] for side in sides},
        **{f"{side}_ffn_dim": shape["ffn_dim"] for side in sides},
        **{f"{side}_attention_heads": shape["heads"] for side in sides},
    )
    torch.manual_seed(seed)
    M2M100ForConditionalGeneration(config).to(dtype).save_pretrained(folder)
    pieces = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(words),
        model_writer=pieces,
        vocab_size=_PIECES,
        model_type="bpe",
        minloglevel=2,
    )
    (folder / "sentencepiece.bpe.model").write_bytes(pieces.getvalue())
    write_text(folder / "tokenizer_config.json", json.dumps({"tokenizer_class": "NllbTokenizer"}))


def weights_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def peak(*command: str) -> int:
    """The most memory that a command of ours had resident."""
    run = [sys.executable, "-c", _COMMAND, *command]
    output = subprocess.run(run, stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(output.split()[-1]) * 1024


def show(rows: list[dict[str, object]], console: Console) -> None:
    table = Table(title="MB; in parentheses, over the file", title_justify="left")
    names = ["file", "import", "import_int8", "file_int8", "translate_int8"]
    for name in ("precision", *names):
        table.add_column(name.replace("_", " "), justify="left" if name == "precision" else "right")
    for row in rows:
        cells = [f"{row[name] / 1e6:,.0f} ({row[name] / row['file']:.2f})" for name in names]  # type: ignore[operator]
        table.add_row(str(row["precision"]), *cells)
    console.print(table)


if __name__ == "__main__":
    main()
