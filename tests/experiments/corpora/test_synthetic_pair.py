"""The synthetic pair has the alignment that it says it has."""

from pathlib import Path
from random import Random

from experiments.corpora.synthetic_pair import Languages, SyntheticSizes, write_synthetic
from lexalign.alignment.formats import read_alignments

SIZES = SyntheticSizes(train=40, valid=5, gold=8, terms=4)


def test_linked_words_are_of_one_idea() -> None:
    languages = Languages(12, seed=3)
    stems = {idea.source: set(idea.targets) for idea in languages.ideas} | {"": {""}}
    for seed in range(50):
        source, target, links = languages.sentence(Random(seed))
        assert all(target[link.target][:-1] in stems[source[link.source][:-1]] for link in links)
        assert [link.target for link in links] == list(range(len(target)))
        assert sorted(link.source for link in links) == list(range(len(source)))


def test_marks_are_passed_on() -> None:
    """An ending tells the word's own mark, and what the other side's word of the idea before it shows."""
    source, target, links = Languages(12, seed=3).sentence(Random(1))
    own = [["aeio".index(word[-1]) // 2 for word in side[:-1]] for side in (source, target)]
    passed = [["aeio".index(word[-1]) % 2 for word in side[:-1]] for side in (source, target)]
    for link in links[:-1]:
        if link.source + 1 < len(own[0]):
            assert passed[0][link.source + 1] == own[1][link.target]
        if link.target + 1 < len(own[1]):
            assert passed[1][link.target + 1] == own[0][link.source]


def test_files_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_synthetic(tmp_path / name, ("de", "en"), SIZES)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*"))
    assert len(files) == 8
    assert all(
        (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes() for file in files
    )


def test_gold_counts_the_words_between_spaces(tmp_path: Path) -> None:
    write_synthetic(tmp_path, ("de", "en"), SIZES)
    lines = [(tmp_path / f"gold.{language}").read_text().splitlines() for language in ("de", "en")]
    lengths = [(len(source.split()), len(target.split())) for source, target in zip(*lines, strict=True)]
    found = read_alignments(tmp_path / "gold.talp", lengths=lengths)
    assert (found.base, len(found.sentences)) == (0, SIZES.gold)
