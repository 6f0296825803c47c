"""How well tags are set into a translation, on segments whose translation has tags set by people.

    python -m experiments.studies.tag_transfer TESTS --model en-de/model --source en --target de --output FILE

TESTS holds `SPLIT-SET.LANGUAGE`, one segment a line with the inline tags of XLIFF, as the tag tests of Amazon
(mt_markup_tags) do. A segment counts where both sides have the same tags.

forced   The tags of the source are set into the reference's own text, by forced alignment, and compared with
         where the reference has them. A tag is right if it encloses the same words and marks (a tag without
         text: if it stands between the same ones); a segment, if all its tags are.
own      The source is translated and the tags are set into that. A pair can be judged only if the words that
         it encloses in the reference stand in our translation exactly once; it is right if it encloses
         them. A segment counts if all its pairs can be judged and it has one. Only `inner` ones, see below.

Both are measured for tags set by links and, as a baseline, by relative position. In many segments all tags
stand at the edges and are hard to set wrong; `inner` are the others.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lexalign import __version__
from lexalign.alignment.words import span_links
from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.errors import LexalignError
from lexalign.markup import Tag, TaggedText, transfer_by_position, transfer_tags
from lexalign.markup.documents.xliff1 import roles
from lexalign.markup.inline.xml import read_xml
from lexalign.markup.units import units_of
from lexalign.translator import TranslateOptions, Translator, WordAligner
from lexalign.translator.word_aligner import read_words

Links = Sequence[SpanLink]
Transfer = Callable[[TaggedText, str, Links], TaggedText]

SYSTEMS: dict[str, Transfer] = {
    "links": transfer_tags,
    "position": lambda source, target, _links: transfer_by_position(source, target),
}


@dataclass(frozen=True)
class Pair:
    source: TaggedText
    reference: TaggedText

    @property
    def is_inner(self) -> bool:
        """Whether some tag is not at the edge: one with text outside it, an empty one with text around it."""
        return any(
            self.source.text[: tag.start].strip() or self.source.text[tag.end :].strip()
            if tag.start < tag.end
            else self.source.text[: tag.start].strip() and self.source.text[tag.end :].strip()
            for tag in self.source.tags
        )


def read_pairs(folder: Path, name: str, languages: Sequence[str]) -> list[Pair]:
    """Segments with tags, the same on both sides."""
    sides = [(folder / f"{name}.{code}").read_text(encoding="utf-8").splitlines() for code in languages]
    found = []
    for number, lines in enumerate(zip(*sides, strict=True), start=1):
        try:
            source, reference = (read_xml(line, roles, f"line {number}") for line in lines)
        except LexalignError:
            continue
        if source.tags and _names(source) == _names(reference):
            found.append(Pair(source, reference))
    return found


def _names(tagged: TaggedText) -> Counter[tuple[str, str]]:
    return Counter((tag.opening, tag.kind) for tag in tagged.tags)


def places(tagged: TaggedText) -> Counter[tuple[str, Span]]:
    """The units that each tag encloses; white space beside them makes no difference."""
    units = units_of(tagged.text)
    found: Counter[tuple[str, Span]] = Counter()
    for tag in tagged.tags:
        inside = [place for place, (start, end) in enumerate(units) if tag.start <= start and end <= tag.end]
        before = sum(end <= tag.start for _, end in units)
        place = (inside[0], inside[-1] + 1) if inside else (before, before)
        found[_element(tag), place] += 1
    return found


def _element(tag: Tag) -> str:
    """The tag without its number, since references count tags in the order of their own text."""
    return tag.opening.split()[0]


def words_inside(tagged: TaggedText) -> dict[str, str]:
    """The text of each pair that encloses some."""
    return {
        tag.opening: " ".join(tagged.text[tag.start : tag.end].split())
        for tag in tagged.tags
        if tagged.text[tag.start : tag.end].strip()
    }


def judge_forced(pairs: Sequence[Pair], links: Sequence[Links], transfer: Transfer) -> dict[str, float]:
    num_segments = num_tags = num_right = 0
    for pair, found in zip(pairs, links, strict=True):
        ours = places(transfer(pair.source, pair.reference.text, found))
        theirs = places(pair.reference)
        num_segments += ours == theirs
        num_tags += theirs.total()
        num_right += (ours & theirs).total()
    return _shares(num_segments, len(pairs), num_right, num_tags)


def judge_own(
    pairs: Sequence[Pair], translations: Sequence[tuple[str, Links]], transfer: Transfer
) -> dict[str, float]:
    num_segments = num_judged = num_tags = num_right = 0
    for pair, (target, links) in zip(pairs, translations, strict=True):
        wanted = words_inside(pair.reference)
        ours = words_inside(transfer(pair.source, target, links))
        comparable = [name for name, words in wanted.items() if _stands_once(words, target)]
        right = [ours.get(name) == wanted[name] for name in comparable]
        num_tags += len(right)
        num_right += sum(right)
        if wanted and len(comparable) == len(wanted):
            num_judged += 1
            num_segments += all(right)
    return _shares(num_segments, num_judged, num_right, num_tags)


def _stands_once(words: str, text: str) -> bool:
    edges = {edge for unit in units_of(text) for edge in unit}
    starts = [place for place in range(len(text)) if text.startswith(words, place)]
    return sum(place in edges and place + len(words) in edges for place in starts) == 1


def _shares(right_segments: int, segments: int, right_tags: int, tags: int) -> dict[str, float]:
    return {
        "segments": segments,
        "segments right": round(100 * right_segments / max(1, segments), 1),
        "tags": tags,
        "tags right": round(100 * right_tags / max(1, tags), 1),
    }


def forced_links(pairs: Sequence[Pair], aligner: WordAligner) -> Iterator[Links]:
    texts = [(read_words(pair.source.text), read_words(pair.reference.text)) for pair in pairs]
    for aligned in aligner.align(texts):
        yield span_links(aligned.subwords.links, aligned.source_spans, aligned.target_spans)


def translate(pairs: Sequence[Pair], translator: Translator, beam: int) -> list[tuple[str, Links]]:
    options = TranslateOptions(beam=beam, align="post-aln")
    found = translator.translate([pair.source.text for pair in pairs], options)
    return [(translation.text, translation.links) for translation in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tests", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--source", default="en")
    parser.add_argument("--target", default="de")
    parser.add_argument("--sets", nargs="+", default=["eurlex", "glossary"])
    parser.add_argument("--split", default="test")
    parser.add_argument("--own", type=int, default=200, help="so many segments of each set are translated")
    parser.add_argument("--limit", type=int, help="so many segments of each set are aligned")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1, help="chooses the segments where not all are taken")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    report = measure(asked)
    if asked.output:
        asked.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1))


def measure(asked: argparse.Namespace) -> dict[str, object]:
    aligner = WordAligner.load(asked.model, device=asked.device)
    translator = Translator.load(asked.model, device=asked.device) if asked.own else None
    results: dict[str, object] = {}
    for name in asked.sets:
        pairs = read_pairs(asked.tests, f"{asked.split}-{name}", [asked.source, asked.target])
        random.Random(asked.seed).shuffle(pairs)
        taken = pairs[: asked.limit]
        links = list(forced_links(taken, aligner))
        some = [pair for pair in pairs if pair.is_inner][: asked.own]
        translations = translate(some, translator, asked.beam) if translator is not None else []
        rows: dict[str, object] = {}
        for system, transfer in SYSTEMS.items():
            rows[f"forced, {system}"] = judge_forced(taken, links, transfer)
            inner = [place for place, pair in enumerate(taken) if pair.is_inner]
            rows[f"forced, inner, {system}"] = judge_forced(
                [taken[place] for place in inner], [links[place] for place in inner], transfer
            )
            if translations:
                rows[f"own, {system}"] = judge_own(some, translations, transfer)
        results[name] = rows
    signature = (
        f"tags|{asked.split}|{asked.source}-{asked.target}|aligner:{aligner.signature}|beam:{asked.beam}|"
        f"own:{asked.own}|limit:{asked.limit}|seed:{asked.seed}|lexalign:{__version__}"
    )
    return {"signature": signature, "results": results}


if __name__ == "__main__":
    main()
