"""The constrained search of transformers before version 4.57, in a process of its own; see imported_terms.py.

One JSON object a line on standard input: first the Marian folder and how to search, then a source and the
phrases asked of its translation, all in ids. Every line is answered by one: its version, then tokens.
"""

import json
import sys
import warnings
from typing import Any

import torch
import transformers
from transformers import MarianMTModel


def main() -> None:
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    setting = json.loads(sys.stdin.readline())
    torch.set_num_threads(setting["threads"])
    model = MarianMTModel.from_pretrained(setting["folder"]).to(setting["device"]).eval()
    model.generation_config.bad_words_ids = None  # the exported bias rules them out
    answer(transformers.__version__)
    for line in sys.stdin:
        answer(search(model, setting, **json.loads(line)))


@torch.inference_mode()
def search(
    model: MarianMTModel, setting: dict[str, Any], source: list[int], phrases: list[list[int]]
) -> list[int]:
    """One list of phrases goes for a whole batch, so sentences come one by one."""
    output = model.generate(
        torch.tensor([source], device=setting["device"]),
        force_words_ids=phrases or None,
        num_beams=setting["beam"],
        max_length=2 * len(source) + 16,
        early_stopping=False,  # its default, and like ours; the exported folder asks for an exact search
    )
    found: list[int] = output[0, 1:].tolist()
    return found


def answer(content: object) -> None:
    print(json.dumps(content), flush=True)


if __name__ == "__main__":
    main()
