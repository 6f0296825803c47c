"""Words that a model would never choose, as terms: does one stand where the model's own word stood?

    python -m experiments.studies.foreign_words --model DIR --input held-out.de

Of each sentence's plain translation, one word that surely comes from one noun of the source is exchanged for
a word of another sentence. The noun and that word are the term, and the plain translation with the one word
exchanged is what a user would hope for. Asked of every policy:

BLEU      against that hope
exact     the share of translations that are it
twice     the share that have the model's own word as well: the noun was translated twice
"""

import argparse
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from lexalign.contracts.constraint import Constraint
from lexalign.data.reader import read_lines
from lexalign.metrics.quality import bleu
from lexalign.translator import ConstraintOptions, TranslateOptions, Translation, Translator
from lexalign.translator.options import PolicyName

_WORD = re.compile(r"\w+")
_OWN = re.compile(r"[a-z]{5,12}")  # a word of the translation that may be exchanged
_NOUN = re.compile(r"[A-ZÄÖÜ][a-zäöüß]{4,}")
_SURE = 0.6  # of the word's alignment


@dataclass(frozen=True, kw_only=True)
class Case:
    source: str
    noun: tuple[int, int]
    own: str
    foreign: str
    hope: str

    @property
    def constraint(self) -> Constraint:
        return Constraint(targets=(self.foreign,), source=self.noun)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--input", type=Path, required=True, help="German sentences")
    parser.add_argument("--sentences", type=int, default=500, help="of 4 to 22 words, drawn from the input")
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    translator, chance = Translator.load(options.model), random.Random(options.seed)
    lines = [line for line in read_lines(options.input) if 4 <= len(line.split()) <= 22]
    chance.shuffle(lines)
    cases = make_cases(translator, lines[: options.sentences], chance)[: options.cases]
    print(f"{len(cases)} cases, beam {options.beam}, seed {options.seed}")
    for policy in get_args(PolicyName):
        chosen = TranslateOptions(beam=options.beam, constraints=ConstraintOptions(policy=policy)).verbatim()
        asked = [(case.source, (case.constraint,)) for case in cases]
        print(f"{policy:12}{score(cases, list(translator.translate_stream(asked, chosen)))}", flush=True)


def make_cases(translator: Translator, lines: list[str], chance: random.Random) -> list[Case]:
    plain = translator.translate(lines, TranslateOptions(align="post-aln").verbatim())
    found = []
    for line, translation in zip(lines, plain, strict=True):
        if places := places_of(line, translation):
            found.append((line, translation.text, *chance.choice(places)))
    words = [text[slice(*word)] for _, text, _, word in found]
    return [
        Case(
            source=line,
            noun=noun,
            own=text[slice(*word)],
            foreign=(foreign := chance.choice([other for other in words if other not in text])),
            hope=text[: word[0]] + foreign + text[word[1] :],
        )
        for line, text, noun, word in found
    ]


def score(cases: Sequence[Case], found: Sequence[Translation]) -> str:
    texts = [translation.text for translation in found]
    exact = sum(text == case.hope for text, case in zip(texts, cases, strict=True))
    twice = sum(case.own in text.lower() for text, case in zip(texts, cases, strict=True))
    value = bleu(texts, [case.hope for case in cases]).value
    return f"BLEU {value:5.1f}  exact {100 * exact / len(cases):5.1f}  twice {100 * twice / len(cases):5.1f}"


def places_of(line: str, translation: Translation) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Nouns of the source, not at its beginning, and the only words that surely come from them."""
    nouns = [match.span() for match in _WORD.finditer(line) if _NOUN.fullmatch(match[0]) and match.start()]
    places = []
    for match in _WORD.finditer(translation.text):
        links = [
            link
            for link in translation.links
            if link.target[0] < match.end() and match.start() < link.target[1]
        ]
        sure = links and all((link.probability or 0.0) >= _SURE for link in links)
        if not sure or not _OWN.fullmatch(match[0]) or translation.text.count(match[0]) != 1:
            continue
        best = max(links, key=lambda link: link.probability or 0.0).source
        places += [(noun, match.span()) for noun in nouns if noun[0] < best[1] and best[0] < noun[1]]
    return places


if __name__ == "__main__":
    main()
