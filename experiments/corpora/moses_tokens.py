"""Write text as lower-cased Moses tokens, as the paper's models see it.

    python -m experiments.corpora.moses_tokens de < europarl.de > corpora/de-en-paper/train.de

The words of a gold set are tokens already, and are lower-cased alone: `--words`.
"""

import argparse
import sys
from collections.abc import Callable, Sequence

from lexalign.contracts.errors import LexalignError


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language", help="de, en")
    parser.add_argument("--words", action="store_true", help="the text is split into words already")
    options = parser.parse_args(arguments)
    tokenize = (lambda line: line) if options.words else moses_tokenizer(options.language)
    for line in sys.stdin:
        print(tokenize(line.rstrip("\n")).lower())
    return 0


def moses_tokenizer(language: str) -> Callable[[str], str]:
    """Hyphens stay in their words, as in the gold set, and nothing is escaped."""
    try:
        from sacremoses import MosesTokenizer
    except ImportError:
        raise LexalignError("Moses' tokens need sacremoses: pip install 'lexalign[moses]'") from None
    tokenizer = MosesTokenizer(lang=language)
    return lambda line: str(tokenizer.tokenize(line, escape=False, return_str=True))


if __name__ == "__main__":
    sys.exit(main())
