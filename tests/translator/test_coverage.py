"""Which source words nothing comes from, and when content is likely lost."""

import pytest

from lexalign.translator import Constraint, TranslateOptions, Translation, Translator, UncoveredWord
from lexalign.translator.coverage import find_uncovered, nothing_comes

SOURCE = "Wir prüfen den Antrag sorgfältig."
WORDS = [(0, 3), (4, 10), (11, 14), (15, 21), (22, 32)]


def test_what_no_token_comes_from_is_the_product_over_a_words_tokens() -> None:
    tokens = [(0, 3), (3, 10), (10, 14), (15, 18), (18, 21), (22, 32), (32, 33)]
    nothing = nothing_comes(WORDS, tokens, [1.0, 0.99, 0.94, 0.5, 0.8, 0.07, 0.9])
    assert nothing == pytest.approx([0.0, 0.01, 0.06, 0.5 * 0.2, 0.93])


def test_neighbours_are_lost_together_and_short_words_are_not() -> None:
    alone = find_uncovered(WORDS, [0.0, 0.0, 0.9, 0.0, 0.0])
    assert [(one.source, one.lost) for one in alone] == [((11, 14), False)]
    together = find_uncovered(WORDS, [0.0, 0.0, 0.0, 0.8, 0.9])
    assert [(one.source, one.lost) for one in together] == [((15, 21), True), ((22, 32), True)]
    apart = find_uncovered(WORDS, [0.0, 0.8, 0.0, 0.9, 0.0])
    assert [one.lost for one in apart] == [False, False]


def test_a_warning_quotes_what_is_lost() -> None:
    lost = tuple(UncoveredWord(source=word, probability=0.9, lost=True) for word in WORDS[3:])
    short = UncoveredWord(source=WORDS[0], probability=0.9)
    found = Translation(text="We examine.", source=SOURCE, uncovered=(short, *lost))
    assert found.lost_texts == ("Antrag sorgfältig",)
    assert found.warnings == ("nothing seems to come from “Antrag sorgfältig”",)


def test_offsets_are_those_of_the_whole_text(translator: Translator, sentences: list[str]) -> None:
    text = "\n".join(sentences[:20])
    found = translator.translate(text, TranslateOptions(workers=1))
    assert found.covered is not None
    assert found.uncovered
    for one in found.uncovered:
        assert text[slice(*one.source)].isalpha()
        assert 0.7 <= one.probability <= 1.0
    assert translator.translate(text, TranslateOptions(workers=1, coverage=False)).covered is None


def test_a_term_that_is_met_covers_its_source(translator: Translator) -> None:
    text = "das Haus ist groß und der kleine Hund läuft"
    asked = Constraint(targets=("München",), source=(4, 8))
    found = translator.translate(text, TranslateOptions(workers=1), constraints=[asked])
    assert all(one.source != (4, 8) for one in found.uncovered)
