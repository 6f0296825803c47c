"""Links of both directions: the mean of two aligners, which sets tags where one of them does not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pytest

from lexalign.bundled import find_model
from lexalign.contracts.alignment import WordAlignment
from lexalign.markup import translate_texts
from lexalign.translator import AlignedSentences, MutualAligner, TranslateOptions, Translator, WordAligner
from lexalign.translator.word_aligner import AlignedPair, WordText


@dataclass
class TableWordAligner:
    """Aligns by a table of the probabilities of pairs of words; a word without an entry has none."""

    table: dict[tuple[str, str], float]  # by source and target
    signature: str = "table"

    def fits(self, source: str, target: str) -> bool:
        return len(source) < 100 and len(target) < 100

    def align(self, pairs: Sequence[tuple[WordText, WordText]]) -> Iterator[AlignedPair]:
        for source, target in pairs:
            rows = [[self.table.get((one, other), 0.0) for one in source.words] for other in target.words]
            words = WordAlignment(
                source=source.words, target=target.words, links=(), probabilities=np.array(rows)
            )
            yield cast("AlignedPair", type("Aligned", (), {"words": words}))


def mutual(ahead: dict[tuple[str, str], float], back: dict[tuple[str, str], float]) -> MutualAligner:
    forward, backward = TableWordAligner(ahead), TableWordAligner(back)
    return MutualAligner(forward=cast("WordAligner", forward), backward=cast("WordAligner", backward))


def test_links_are_the_mean_of_both_over_words_and_marks() -> None:
    aligner = mutual({("Aus", "Off"): 0.9, (".", "."): 1.0}, {("Off", "Aus"): 0.5, ("Off", "."): 0.1})
    (links,) = aligner.align([("Aus.", "Off.")])
    assert links is not None
    assert [(link.source, link.target) for link in links] == [((0, 3), (0, 3)), ((3, 4), (3, 4))]
    assert [link.probability for link in links] == pytest.approx([0.7, 0.5])


def test_a_pair_that_is_too_long_has_none_and_the_others_keep_theirs() -> None:
    aligner = mutual({("a", "b"): 1.0}, {("b", "a"): 1.0})
    first, long, last = aligner.align([("a", "b"), ("a " * 60, "b"), ("a", "b")])
    assert long is None
    assert first == last
    assert first


@pytest.fixture(scope="module")
def german() -> Translator:
    return Translator.load(find_model("de", "en"), device="cpu")


@pytest.fixture(scope="module")
def sentences(german: Translator) -> AlignedSentences:
    backward = WordAligner.load(find_model("en", "de"), device="cpu")
    aligner = MutualAligner(forward=german.word_aligner(), backward=backward)
    return AlignedSentences(translator=german, options=TranslateOptions(workers=1), mutual=aligner)


def test_tags_stay_around_whole_phrases(sentences: AlignedSentences) -> None:
    """With the links of one direction, a tag around a compound encloses one of its words only."""
    texts = [
        "Klicken Sie auf der Registerkarte <b>Datenquelle</b> auf <b>Löschen</b>.",
        "Wir müssen <b>den Bericht</b> heute <i>nicht</i> annehmen.",
    ]
    first, second = translate_texts(texts, sentences, tag_handling="xml")
    assert "<b>Data source</b>" in first
    assert "<b>Delete</b>" in first
    assert "<b>the report</b>" in second
    assert "<i>not</i>" in second


def test_what_was_kept_is_linked_to_itself(sentences: AlignedSentences) -> None:
    (aligned,) = sentences.translate(["Die Datei {name} fehlt."])
    assert aligned.mutual
    place = aligned.target.index("{name}")
    links = [link for link in aligned.links if link.target[0] < place + 6 and place < link.target[1]]
    assert [(link.source, link.target, link.probability) for link in links] == [
        ((10, 16), (place, place + 6), 1.0)
    ]
