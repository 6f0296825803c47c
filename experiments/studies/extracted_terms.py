"""The loop closed: terms that were extracted from a memory, used to translate other text of the same kind.

    python -m experiments.studies.extracted_terms --memory-source docs.en --memory-target docs.de \\
        --source test.en --target test.de --limit 300 --max-terms 5000

Translates with the bundled model: without a glossary, with all terms, and with those that the model needs by
the memory's own sentences. BLEU and chrF are sacreBLEU's; the term accuracy is over the places of all terms
where the reference has a translation that the glossary asks for, in any form: the share of them where the
translation has it too.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import sacrebleu

from lexalign import __version__
from lexalign.bundled.registry import find_model
from lexalign.data.reader import read_lines
from lexalign.glossary import Glossary, Matcher
from lexalign.glossary.entries import Place
from lexalign.terminology.alignment import AlignedUnit
from lexalign.terminology.checking.rules.terms import TermRule
from lexalign.terminology.checking.target_terms import TargetTerms
from lexalign.terminology.extraction.entries import EntryOptions, KnownTerms, new_entries
from lexalign.terminology.extraction.job import extract_terms
from lexalign.terminology.extraction.needed_terms import needed_entries
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.reading import BilingualFile, Languages
from lexalign.terminology.units import Unit
from lexalign.translator import TranslateOptions, Translator

_USED = ("as-asked", "compound", "other-form")


def main() -> None:
    options = _parse()
    source, target = options.languages.split(":")
    memory = BilingualFile(options.memory_source, options.memory_target)
    found = extract_terms([memory], Languages(source, target), ExtractOptions(), work=options.work)
    entry_options = EntryOptions(min_confidence=options.min_confidence)
    candidates = found.candidates[: options.max_terms]
    entries = new_entries(candidates, KnownTerms(Glossary(), source, target), entry_options, (source, target))
    if options.policy == "prefer":
        entries = [replace(one, policy="prefer") if one.policy == "must" else one for one in entries]
    translator = Translator.load(find_model(source, target), device="cpu", precision="int8")
    one_process = TranslateOptions(workers=1)

    def translate(sources: Sequence[str], glossary: Matcher | None = None) -> list[str]:
        return [one.text for one in translator.translate_stream(sources, one_process, glossary=glossary)]

    needed = needed_entries(entries, candidates, translate, (source, target))
    texts, references = (
        list(islice(read_lines(path), options.limit)) for path in (options.source, options.target)
    )
    print(
        f"lexalign {__version__}, {found.split.num_units:,} units, {len(entries):,} terms, "
        f"{len(needed):,} of them needed, {len(texts)} texts"
    )
    matchers = [
        Matcher(Glossary(tuple(one)), source_language=source, target_language=target)
        for one in (entries, needed)
    ]
    rule = TermRule(matchers[0], TargetTerms(target), frozenset())
    plain = translate(texts)
    _report("no glossary", texts, plain, references, rule)
    for name, matcher in zip(("all terms", "needed terms"), matchers, strict=True):
        outputs = translate(texts, matcher)
        _report(name, texts, outputs, references, rule)
        rows = zip(texts, references, plain, outputs, strict=True)
        different = [one for one in rows if one[2] != one[3]]
        print(f"  {len(different)} translations differ")
        for one in different[: options.show]:
            print("\n".join(("", *one)))


def _report(
    name: str,
    texts: Sequence[str],
    outputs: Sequence[str],
    references: Sequence[str],
    rule: TermRule,
) -> None:
    bleu, chrf = sacrebleu.BLEU(), sacrebleu.CHRF()
    scores = [metric.corpus_score(list(outputs), [list(references)]).score for metric in (bleu, chrf)]
    asked = met = places = 0
    for text, output, reference in zip(texts, outputs, references, strict=True):
        wanted = _used(rule, text, reference)
        got = _used(rule, text, output)
        places += len(wanted)
        asked += sum(wanted)
        met += sum(one and two for one, two in zip(wanted, got, strict=True))
    print(
        f"{name:20} BLEU {scores[0]:.1f} chrF {scores[1]:.1f}, terms of the reference {met} of {asked} "
        f"({100 * met / max(1, asked):.1f} %), {places} places"
    )
    print(f"  {bleu.get_signature()} {chrf.get_signature()}")


def _used(rule: TermRule, source: str, target: str) -> list[bool]:
    aligned = AlignedUnit.unlinked(Unit(source, target or "-", Place("text")))
    return [finding.kind in _USED for _, finding in rule.verdicts(aligned)]


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("memory-source", "memory-target", "source", "target"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--languages", default="en:de")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--max-terms", type=int, default=5_000)
    parser.add_argument("--min-confidence", type=float, default=0.7)
    parser.add_argument("--policy", choices=("must", "prefer"), default="must")
    parser.add_argument("--needed", action="store_true", help="only terms that the model needs")
    parser.add_argument("--show", type=int, default=0, help="print so many translations that differ")
    parser.add_argument("--work", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
