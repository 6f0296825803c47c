"""How many known terms of a text an extraction finds, and how many with their known translation.

    python -m experiments.studies.term_extraction --source docs.en --target docs.de --terms ui-terms.dev.jsonl
    python -m experiments.studies.term_extraction --source europarl.en --target europarl.de --limit 100000 \\
        --terms iate.414.jsonl --terms wikt.727.jsonl --baseline

The terms are those of annotated sentences, in one of two forms: `constraints` with `source_text` and
`target`, or `terms` with `src` and `tgt`. Those are counted that occur in the text at all, in any form, as
consecutive words; recall is over them, among the first so many candidates. `--baseline` are the most frequent
windows, each with its most frequent phrase pair by fast_align.

`--sample FILE` writes 200 candidates of the first 5,000, evenly spaced, for a person to judge; `--conflicts`
prints ten terms with several translations and their contexts.
"""

import argparse
import json
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from lexalign import __version__
from lexalign.data.reader import read_lines
from lexalign.glossary.matching.words import split
from lexalign.storage import write_text
from lexalign.terminology.alignment import FastAligner
from lexalign.terminology.extraction.aligned_shards import align_texts
from lexalign.terminology.extraction.candidates import TermCandidate, make_candidate
from lexalign.terminology.extraction.counting import TermCount, count_terms
from lexalign.terminology.extraction.general_frequencies import find_frequencies
from lexalign.terminology.extraction.job import extract_terms
from lexalign.terminology.extraction.options import ExtractOptions
from lexalign.terminology.extraction.ranking import RankedTerm, listed_form
from lexalign.terminology.extraction.term_keys import TermKeys
from lexalign.terminology.extraction.translations import TermEvidence, TranslationCounter
from lexalign.terminology.extraction.windows import WindowFinder
from lexalign.terminology.reading import BilingualFile, Languages, read_units
from lexalign.terminology.units import Unit

SIZES = (1_000, 5_000, 20_000)
_LONGEST = 8  # words of a known term
Known = dict[str, set[str]]  # the keys of a term's translations, by the term's key


def main() -> None:
    options = _parse()
    with TemporaryDirectory() as name:
        files = [_first_lines(path, options.limit, Path(name)) for path in (options.source, options.target)]
        bilingual = BilingualFile(*files)
        languages = Languages(*options.languages.split(":"))
        known = [
            (path.stem, _occurring(_read_terms(path, languages), files[0], languages))
            for path in options.terms
        ]
        start = time.process_time()
        found = extract_terms([bilingual], languages, ExtractOptions(), work=options.work)
        used = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        version, num_units = f"lexalign {__version__}", found.split.num_units
        print(f"{version}, {num_units:,} units, {options.languages}, {used:.0f} CPU s, {memory:.0f} MiB")
        _report("extraction", found.candidates, known)
        if options.baseline:
            _report("frequency, fast_align", _baseline(bilingual, languages), known)
        if options.sample:
            _write_sample(options.sample, found.candidates)
        if options.conflicts:
            _show_conflicts(found.candidates)


def _report(name: str, candidates: Sequence[TermCandidate], known: Sequence[tuple[str, Known]]) -> None:
    for title, terms in known:
        for size in SIZES:
            found = {one.lemma: one for one in candidates[:size] if one.lemma in terms}
            best = sum(one.best.lemma in terms[key] for key, one in found.items())
            among = sum(
                any(two.lemma in terms[key] for two in one.translations) for key, one in found.items()
            )
            share = 100 * len(found) / max(1, len(terms))
            print(
                f"{name:24}{title:14}{size:7,}: {len(found):4} of {len(terms)} found ({share:.1f} %), "
                f"{best} with the known translation, {among} with it among others"
            )


def _read_terms(path: Path, languages: Languages) -> Known:
    keys = TermKeys(languages.source), TermKeys(languages.target)
    known: Known = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pairs = [(one["source_text"], one["target"]) for one in row.get("constraints", ())]
        pairs += [(one["src"], one["tgt"]) for one in row.get("terms", ())]
        for source, target in pairs:
            words = split(source), split(target)
            if words[0] and words[1]:
                known.setdefault(keys[0].key(words[0]), set()).add(keys[1].key(words[1]))
    return known


def _occurring(known: Known, path: Path, languages: Languages) -> Known:
    """The terms that occur in the text, whatever their shape."""
    keys = TermKeys(languages.source)
    first = {key.split(" ")[0] for key in known}
    found: set[str] = set()
    for line in read_lines(path):
        words = split(line)
        for start, word in enumerate(words):
            if not {keys.word(word, last=True), keys.word(word, last=False)} & first:
                continue
            for end in range(start + 1, min(len(words), start + _LONGEST) + 1):
                key = keys.key(words[start:end])
                if key in known:
                    found.add(key)
    return {key: known[key] for key in found}


def _baseline(bilingual: BilingualFile, languages: Languages) -> list[TermCandidate]:
    units = [one for one in read_units([bilingual], languages) if isinstance(one, Unit)]
    pairs = [(" ".join(unit.source.split()), " ".join(unit.target.split())) for unit in units]
    sources, targets = zip(*((source, target) for source, target in pairs if source and target), strict=True)
    words = find_frequencies(languages.source, []), find_frequencies(languages.target, [])
    finder, keys = WindowFinder(words[0].function_words, languages.source), TermKeys(languages.source)
    counts = count_terms(sources, finder, keys).terms()
    ordered = sorted(counts, key=lambda key: (-counts[key].count, key))[: SIZES[-1]]
    counter = TranslationCounter(
        chosen=frozenset(ordered),
        finder=finder,
        source_keys=keys,
        target_keys=TermKeys(languages.target),
        function_words=(words[0].function_words, words[1].function_words),
        num_examples=1,
    )
    evidence = counter.count(align_texts(sources, targets, FastAligner(), [(0, 0)] * len(sources)))
    found = (_candidate(key, counts[key], evidence[key], languages) for key in ordered if key in evidence)
    return [one for one in found if one is not None]


def _candidate(
    key: str, count: TermCount, evidence: TermEvidence, languages: Languages
) -> TermCandidate | None:
    term = RankedTerm(key, listed_form(key, count.forms), count, count.count)
    return make_candidate(term, evidence, (languages.source, languages.target), lambda _: ("", "", ""))


def _first_lines(path: Path, limit: int | None, folder: Path) -> Path:
    if limit is None:
        return path
    new = folder / path.name
    write_text(new, "".join(f"{line}\n" for line in islice(read_lines(path), limit)))
    return new


def _write_sample(path: Path, candidates: Sequence[TermCandidate]) -> None:
    step = max(1, min(len(candidates), 5_000) // 200)
    rows = [
        f"{one.source}\t{one.best.target}\t{one.policy}\t{one.count}\t{one.confidence:.2f}"
        for one in candidates[: 200 * step : step]
    ]
    write_text(path, "\n".join(rows) + "\n")


def _show_conflicts(candidates: Iterable[TermCandidate]) -> None:
    conflicting: Iterator[TermCandidate] = (one for one in candidates if one.conflicting)
    for one in islice(conflicting, 0, 100, 10):
        print(f"\n{one.source} ({one.count})")
        for two in (one.best, *one.conflicting):
            place, source, target = two.examples[0]
            print(f"  {two.target} ({two.count}): {source} / {target} ({place})")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--languages", default="en:de")
    parser.add_argument("--terms", type=Path, action="append", required=True)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--baseline", action="store_true")
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--conflicts", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
