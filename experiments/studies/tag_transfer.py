"""How well tags are set into a translation, on segments whose translation has tags set by people.

    python -m experiments.studies.tag_transfer TESTS --model en-de/model --reverse-model de-en/model
        --source en --target de --markdown ui-terms.jsonl --output FILE

TESTS holds `SPLIT-SET.LANGUAGE`, one segment a line with the inline tags of XLIFF, as the tag tests of Amazon
(mt_markup_tags) do. A file of `--markdown` has English and German segments with bold, code and links, as JSON
lines. A segment counts where both sides have the same tags.

forced   The tags of the source are set into the reference's own text, by forced alignment, and compared with
         where the reference has them. A tag is right if it encloses the same words and marks (a tag without
         text: if it stands between the same ones); a segment, if all its tags are.
own      The source is translated and the tags are set into that. A pair can be judged only if the words that
         it encloses in the reference stand in our translation exactly once; it is right if it encloses
         them. A segment counts if all its pairs can be judged and it has one. Only `inner` ones, see below.

Both are measured for tags set by the links of one direction, by the mean of both, and, as a baseline, by
relative position. In many segments all tags stand at the edges and are hard to set wrong; `inner` are the
others. Tags that enclose nothing, and those that enclose a bare function word, are counted where their source
was neither. `--show` writes our own translations with their tags, to be read.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lexalign import __version__
from lexalign.contracts.alignment import Span, SpanLink
from lexalign.contracts.errors import LexalignError
from lexalign.markup import Tag, TaggedText, transfer_by_position, transfer_tags
from lexalign.markup.documents.xliff1 import roles
from lexalign.markup.inline.builder import TagBuilder
from lexalign.markup.inline.xml import read_xml
from lexalign.markup.units import units_of
from lexalign.translator import MutualAligner, TranslateOptions, Translator, WordAligner
from lexalign.translator.mutual_links import unit_links

Links = Sequence[SpanLink]
Transfer = Callable[[TaggedText, str, Links], TaggedText]

SYSTEMS: dict[str, Transfer] = {
    "position": lambda source, target, _links: transfer_by_position(source, target),
    "one direction": transfer_tags,
    "both directions": partial(transfer_tags, mutual=True),
}
_FUNCTION_WORDS = {
    "de": "der die das den dem des ein eine einen einem einer eines und oder in im an am auf aus bei beim "
    "mit nach von vom zu zum zur für durch um über unter vor ist sind wird werden hat sie er es als dass "
    "wenn nicht sich auch nur so",
    "en": "the a an and or in on at of to from with by for is are was be been has have it you this that as "
    "if not which will can s only before after",
}
_MARKDOWN = re.compile(r"(\*\*|`|\[|\]\([^)]*\))")


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


def read_markdown_pairs(path: Path, languages: Sequence[str]) -> list[Pair]:
    """Segments with bold, code and links, the same on both sides; the file is English and German."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        values = json.loads(line)
        sides = {"en": values["source_markdown"], "de": values["reference_markdown"]}
        source, reference = (_read_markdown(sides[code]) for code in languages)
        pairs = all(tag.kind == "pair" for tag in (*source.tags, *reference.tags))
        if source.tags and pairs and _names(source) == _names(reference):
            found.append(Pair(source, reference))
    return found


def _read_markdown(text: str) -> TaggedText:
    builder, is_open = TagBuilder(), set[str]()
    for part in _MARKDOWN.split(text):
        if part.startswith("]("):
            builder.close(part, "[")
        elif part in is_open:
            builder.close(part, part)
            is_open.remove(part)
        elif part in ("**", "`", "["):
            builder.open(part, part)
            is_open |= {part} - {"["}
        else:
            builder.text(part.replace("\\", ""))
    return builder.build()


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
    results = []
    for pair, found in zip(pairs, links, strict=True):
        results.append(transfer(pair.source, pair.reference.text, found))
        ours, theirs = places(results[-1]), places(pair.reference)
        num_segments += ours == theirs
        num_tags += theirs.total()
        num_right += (ours & theirs).total()
    sources = [pair.source for pair in pairs]
    return {**_shares(num_segments, len(pairs), num_right, num_tags), **poor_tags(sources, results)}


def poor_tags(sources: Sequence[TaggedText], results: Sequence[TaggedText]) -> dict[str, float]:
    """How many tags enclose nothing, or a bare function word, where their source did not."""
    words = {word for words in _FUNCTION_WORDS.values() for word in words.split()}
    empty = bare = 0
    for source, result in zip(sources, results, strict=True):
        for one, other in zip(source.tags, result.tags, strict=True):
            before = source.text[one.start : one.end].strip().lower()
            after = result.text[other.start : other.end].strip().lower()
            empty += bool(before) and not after
            bare += after in words and before not in words
    return {"empty": empty, "bare function word": bare}


def judge_own(
    pairs: Sequence[Pair], translations: Sequence[tuple[str, Links]], transfer: Transfer
) -> dict[str, float]:
    num_segments = num_judged = num_tags = num_right = 0
    results = [
        transfer(pair.source, target, links)
        for pair, (target, links) in zip(pairs, translations, strict=True)
    ]
    for pair, result, (target, _) in zip(pairs, results, translations, strict=True):
        wanted, ours = words_inside(pair.reference), words_inside(result)
        comparable = [name for name, words in wanted.items() if _stands_once(words, target)]
        right = [ours.get(name) == wanted[name] for name in comparable]
        num_tags += len(right)
        num_right += sum(right)
        if wanted and len(comparable) == len(wanted):
            num_judged += 1
            num_segments += all(right)
    poor = poor_tags([pair.source for pair in pairs], results)
    return {**_shares(num_segments, num_judged, num_right, num_tags), **poor}


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


def links_by_system(texts: Sequence[tuple[str, str]], aligner: MutualAligner) -> dict[str, list[Links]]:
    """The links of sources and translations for each system; none where a pair is too long for a model."""
    return {
        "position": [()] * len(texts),
        "one direction": [found or () for found in unit_links(aligner.forward, texts)],
        "both directions": [found or () for found in aligner.align(texts)],
    }


def translate(pairs: Sequence[Pair], translator: Translator, beam: int) -> list[str]:
    found = translator.translate([pair.source.text for pair in pairs], TranslateOptions(beam=beam))
    return [translation.text for translation in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tests", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--reverse-model", type=Path, required=True)
    parser.add_argument("--markdown", type=Path, help="JSON lines, English and German, as one more set")
    parser.add_argument("--show", type=Path, help="file for our own translations, to be read")
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
    aligner = MutualAligner(
        forward=WordAligner.load(asked.model, device=asked.device),
        backward=WordAligner.load(asked.reverse_model, device=asked.device),
    )
    translator = Translator.load(asked.model, device=asked.device) if asked.own else None
    shown: list[str] = []
    results: dict[str, object] = {}
    for name, pairs in _sets(asked).items():
        random.Random(asked.seed).shuffle(pairs)
        results[name] = _measure_forced(pairs[: asked.limit], aligner)
        if translator is not None:
            some = [pair for pair in pairs if pair.is_inner][: asked.own]
            targets = translate(some, translator, asked.beam)
            results[f"{name}, own"] = _measure_own(name, some, targets, aligner, shown)
    if asked.show:
        asked.show.write_text("".join(shown), encoding="utf-8")
    signature = (
        f"tags|{asked.split}|{asked.source}-{asked.target}|aligner:{aligner.signature}|beam:{asked.beam}|"
        f"own:{asked.own}|limit:{asked.limit}|seed:{asked.seed}|lexalign:{__version__}"
    )
    return {"signature": signature, "results": results}


def _sets(asked: argparse.Namespace) -> dict[str, list[Pair]]:
    languages = [asked.source, asked.target]
    sets = {name: read_pairs(asked.tests, f"{asked.split}-{name}", languages) for name in asked.sets}
    if asked.markdown:
        sets["markdown"] = read_markdown_pairs(asked.markdown, languages)
    return sets


def _measure_forced(pairs: Sequence[Pair], aligner: MutualAligner) -> dict[str, dict[str, float]]:
    links = links_by_system([(pair.source.text, pair.reference.text) for pair in pairs], aligner)
    inner = [place for place, pair in enumerate(pairs) if pair.is_inner]
    rows: dict[str, dict[str, float]] = {}
    for system, transfer in SYSTEMS.items():
        rows[system] = judge_forced(pairs, links[system], transfer)
        rows[f"inner, {system}"] = judge_forced(
            [pairs[place] for place in inner], [links[system][place] for place in inner], transfer
        )
    return rows


def _measure_own(
    name: str, pairs: Sequence[Pair], targets: Sequence[str], aligner: MutualAligner, shown: list[str]
) -> dict[str, dict[str, float]]:
    texts = [(pair.source.text, target) for pair, target in zip(pairs, targets, strict=True)]
    links = links_by_system(texts, aligner)
    for place, (pair, target) in enumerate(zip(pairs, targets, strict=True)):
        shown.append(f"\n{name} {place + 1}\n  source     {pair.source.render()}\n")
        shown.append(f"  reference  {pair.reference.render()}\n")
        for system, transfer in SYSTEMS.items():
            result = transfer(pair.source, target, links[system][place]).render()
            shown.append(f"  {system:<16} {result}\n")
    return {
        system: judge_own(pairs, list(zip(targets, links[system], strict=True)), transfer)
        for system, transfer in SYSTEMS.items()
    }


if __name__ == "__main__":
    main()
