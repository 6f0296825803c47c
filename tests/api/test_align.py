"""Word alignment in Python."""

import pytest

import lexalign

SOURCE, TARGET = "Das Haus ist groß.", "The house is big."


def test_words_of_texts(translator: lexalign.Translator) -> None:
    found = translator.align(SOURCE, TARGET)
    assert found.source_words == ("Das", "Haus", "ist", "groß")
    assert found.pharaoh == "0-0 1-1 2-2 3-3"
    assert [(one.source, one.target) for one in found.words] == list(
        zip(found.source_words, found.target_words, strict=True)
    )
    assert TARGET[slice(*found.words[1].target_span)] == "house"
    assert "Haus–house" in repr(found)
    assert "data-links" in found._repr_html_()


def test_words_that_the_caller_has_cut(translator: lexalign.Translator) -> None:
    found = translator.align(["Das", "Haus", "ist", "groß", "."], ["The", "house", "is", "big", "."])
    assert found.pairs == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))


def test_both_directions(translator: lexalign.Translator) -> None:
    reverse = lexalign.load("en", "de")
    both = translator.align(SOURCE, TARGET, reverse=reverse)
    assert both == lexalign.align(SOURCE, TARGET)
    alone = lexalign.align(SOURCE, TARGET, both_directions=False)
    assert alone == translator.align(SOURCE, TARGET)
    assert both != alone  # their probabilities differ
    with pytest.raises(lexalign.OptionError, match="from en is needed"):
        translator.align(SOURCE, TARGET, reverse=translator)


def test_many_pairs_are_as_one_by_one(translator: lexalign.Translator) -> None:
    pairs = [(SOURCE, TARGET), ("Danke.", "Thank you."), ("", "")]
    found = [one.pairs for one in translator.align_many(pairs)]
    assert found == [translator.align(*pair).pairs for pair in pairs]
