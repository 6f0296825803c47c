"""Terms end to end: the glossary itself as input, not terms that somebody has found in the sentences already.

    python -m experiments.studies.glossary_terms --data DATA/terms --model en-de/model --limit 100

DATA holds NAME.jsonl, sentences with their annotated terms in the form of Dinu et al. 2019 (see
`stages/terms.py`). The glossary of a set are all its pairs of terms, each once: what a term bank
would hold. Two questions:

matching     which annotated places the matcher finds (recall), and how many of the places that it finds are
             annotated (precision). A sentence is annotated only where the reference has the target, so a
             place that is not annotated is no error by itself; `confirmed` counts those whose target the
             reference has, annotated or not.
translation  the share of annotated terms whose target stands in the translation (exact match), and BLEU:
             without terms, with the glossary, and with the annotated terms as constraints.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.paper.stages.terms import read_terms
from lexalign import __version__
from lexalign.glossary import Entry, Glossary, Matcher, MatchOptions
from lexalign.glossary.constraint_files import ConstrainedText
from lexalign.metrics.constraint_satisfaction import spans_in
from lexalign.metrics.quality import bleu
from lexalign.metrics.terminology import exact_match
from lexalign.metrics.words import WordOptions
from lexalign.storage import write_text
from lexalign.translator import TranslateOptions, Translator


@dataclass(frozen=True, kw_only=True)
class TermSet:
    """Sentences with what is annotated in them, and their references."""

    name: str
    sentences: tuple[ConstrainedText, ...]
    references: tuple[str, ...]

    @classmethod
    def read(cls, path: Path) -> "TermSet":
        pairs = list(read_terms(path))
        return cls(
            name=path.stem,
            sentences=tuple(sentence for sentence, _ in pairs),
            references=tuple(reference for _, reference in pairs),
        )

    def first(self, limit: int | None) -> "TermSet":
        return TermSet(name=self.name, sentences=self.sentences[:limit], references=self.references[:limit])

    def glossary(self, languages: tuple[str, str]) -> Glossary:
        """Every pair of terms once, as annotated."""
        pairs = dict.fromkeys(
            (text[slice(*constraint.source)], constraint.targets)
            for text, constraints in self.sentences
            for constraint in constraints
            if constraint.source is not None
        )
        source, target = languages
        return Glossary(
            tuple(
                Entry(source=term, targets=targets, source_language=source, target_language=target)
                for term, targets in pairs
            )
        )


@dataclass(frozen=True, kw_only=True)
class Matching:
    annotated: int
    found: int
    right: int
    confirmed: int

    @property
    def row(self) -> dict[str, float]:
        return {
            "precision": round(100 * self.right / max(1, self.found), 1),
            "recall": round(100 * self.right / max(1, self.annotated), 1),
            "confirmed": round(100 * self.confirmed / max(1, self.found), 1),
            **{f"num {name}": count for name, count in asdict(self).items()},
        }


def measure_matching(terms: TermSet, matcher: Matcher) -> Matching:
    annotated = found = right = confirmed = 0
    for (text, constraints), reference in zip(terms.sentences, terms.references, strict=True):
        places = {constraint.source for constraint in constraints}
        matches = matcher.match(text)
        annotated += len(places)
        found += len(matches)
        right += sum(match.span in places for match in matches)
        asked = [match.constraint for match in matches]
        confirmed += sum(span is not None for span in spans_in(reference, asked, WordOptions()))
    return Matching(annotated=annotated, found=found, right=right, confirmed=confirmed)


def measure_translation(
    terms: TermSet, translator: Translator, options: TranslateOptions, system: "str | Matcher"
) -> dict[str, float]:
    """`system` is none, annotated, or a matcher."""
    texts: Sequence[str | ConstrainedText] = terms.sentences
    if system != "annotated":
        texts = [text for text, _ in terms.sentences]
    matcher = system if isinstance(system, Matcher) else None
    found = list(translator.translate_stream(texts, options, glossary=matcher))
    outputs = [translation.text for translation in found]
    asked = [one for translation in found for one in translation.terms]
    return {
        "exact match": round(_accuracy(outputs, terms), 1),
        "BLEU": round(bleu(outputs, terms.references).value, 1),
        "asked": len(asked),
        "met": sum(one.met for one in asked),
    }


def _accuracy(outputs: Sequence[str], terms: TermSet) -> float:
    return exact_match(outputs, [constraints for _, constraints in terms.sentences]).value


def measure(
    terms: TermSet, arguments: argparse.Namespace, translator: Translator | None
) -> dict[str, object]:
    """The glossary is that of the whole set, also where only some of its sentences are translated."""
    languages = (arguments.source_language, arguments.target_language)
    glossary, some = terms.glossary(languages), terms.first(arguments.limit)
    matching = {
        forms: measure_matching(terms, Matcher(glossary, MatchOptions(source_forms=forms))).row
        for forms in ("exact", "inflected")
    }
    result: dict[str, object] = {"glossary": len(glossary), "matching": matching}
    if translator is not None:
        options = TranslateOptions(beam=arguments.beam, workers=arguments.workers).verbatim()
        systems: dict[str, str | Matcher] = {"none": "none", "annotated": "annotated"}
        for forms in ("listed", "all"):
            systems[f"glossary, {forms}"] = Matcher(glossary, MatchOptions(target_forms=forms))
        result["translation"] = {
            name: measure_translation(some, translator, options, system) for name, system in systems.items()
        }
        result["sentences"] = len(some.sentences)
    return result


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of NAME.jsonl files")
    parser.add_argument("--model", type=Path, help="a model folder; without one only matching is measured")
    parser.add_argument("--from", dest="source_language", default="en")
    parser.add_argument("--to", dest="target_language", default="de")
    parser.add_argument("--limit", type=int, help="translate only the first sentences of each set")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--output", type=Path, help="also write the results as JSON")
    arguments = parser.parse_args(given)
    files = sorted(arguments.data.glob("*.jsonl"))
    if not files:
        sys.exit(f"{arguments.data} holds no .jsonl files")
    translator = None
    if arguments.model is not None:
        translator = Translator.load(arguments.model, device=arguments.device)
    results = {path.stem: measure(TermSet.read(path), arguments, translator) for path in files}
    signature = (
        f"beam:{arguments.beam}|limit:{arguments.limit}|policy:guided|case:mixed|version:{__version__}"
    )
    if arguments.output is not None:
        written = json.dumps({"signature": signature, "sets": results}, indent=2, ensure_ascii=False)
        write_text(arguments.output, written + "\n")
    for name, result in results.items():
        print(f"{name}: {result['glossary']} entries")
        for part in ("matching", "translation"):
            for row, values in result.get(part, {}).items():  # type: ignore[attr-defined]
                print(
                    f"  {part:<12} {row:<18} " + "  ".join(f"{key} {value}" for key, value in values.items())
                )
    print(signature)


if __name__ == "__main__":
    main()
