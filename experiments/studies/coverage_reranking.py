"""Does coverage choose better translations of plain search?

    python -m experiments.studies.coverage_reranking --source de --target en --input a.de --reference a.en

The five best translations of each sentence are ranked anew: by their score and so much of the share of source
words that something comes from; or as constrained search does, which charges for what is uncovered beyond
half of the source. BLEU and chrF of the best ones, by each weight.
"""

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lexalign.bundled import find_model
from lexalign.data.reader import read_lines
from lexalign.decoding.policies.coverage import CHARGE, FREE_SHARE
from lexalign.metrics.quality import bleu, chrf
from lexalign.translator import TranslateOptions, Translation, Translator

WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0)


def main() -> None:
    options = parse()
    sources, references = (
        list(read_lines(path))[: options.sentences] for path in (options.input, options.reference)
    )
    translator = Translator.load(find_model(options.source, options.target))
    chosen = TranslateOptions(n_best=5, workers=1, align="post-aln").verbatim()
    found = translator.translate(sources, chosen)
    rankings: dict[str, Callable[[Translation], float]] = {
        f"+ {weight} of coverage": partial(_with_bonus, weight) for weight in WEIGHTS
    }
    rankings["as constrained search"] = _with_charge
    for name, rank in rankings.items():
        texts = [max((best, *best.alternatives), key=rank).text for best in found]
        print(
            f"{name:24}BLEU {bleu(texts, references).value:5.1f}  chrF {chrf(texts, references).value:5.1f}"
        )


def _with_bonus(weight: float, translation: Translation) -> float:
    return translation.score + weight * (translation.covered or 0.0)


def _with_charge(translation: Translation) -> float:
    uncovered = 1.0 - (translation.covered or 0.0)
    return translation.score - CHARGE * max(0.0, uncovered - FREE_SHARE)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", required=True, help="language")
    parser.add_argument("--target", required=True)
    parser.add_argument("--input", type=Path, required=True)
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=400)
    return parser.parse_args()


if __name__ == "__main__":
    main()
