"""The constrained search of transformers before version 4.57, in a process of its own; see imported.py.

Reads a JSON object from standard input: the Marian folder, sources and the phrases asked of each, all in ids.
Writes one to standard output: its version, the seconds that all took, and the tokens found.
"""

import json
import sys
import time
import warnings

import torch
import transformers
from transformers import MarianMTModel


def main() -> None:
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    asked = json.load(sys.stdin)
    torch.set_num_threads(asked["threads"])
    model = MarianMTModel.from_pretrained(asked["folder"]).to(asked["device"]).eval()
    model.generation_config.bad_words_ids = None  # the exported bias rules them out
    found, started = [], time.perf_counter()
    with torch.inference_mode():
        for source, phrases in zip(asked["sources"], asked["phrases"], strict=True):
            # One list of phrases goes for a whole batch, so sentences come one by one.
            output = model.generate(
                torch.tensor([source], device=asked["device"]),
                force_words_ids=phrases or None,
                num_beams=asked["beam"],
                max_length=2 * len(source) + 16,
            )
            found.append(output[0, 1:].tolist())
    seconds = time.perf_counter() - started
    json.dump({"version": transformers.__version__, "seconds": seconds, "found": found}, sys.stdout)


if __name__ == "__main__":
    main()
