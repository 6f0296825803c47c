"""A translator as documents see it."""

from lexalign.glossary import Glossary, parse_term
from lexalign.markup import translate_texts
from lexalign.translator import AlignedSentences, TranslateOptions, Translation, Translator

OPTIONS = TranslateOptions(beam=2, workers=1, align="post-aln")


def test_sentences_come_in_order_with_their_links(translator: Translator, sentences: list[str]) -> None:
    wanted = translator.translate(sentences[:20], OPTIONS)
    seen: list[Translation] = []
    aligned = AlignedSentences(translator=translator, options=OPTIONS, notice=seen.append)
    found = list(aligned.translate(sentences[:20]))
    assert [entry.source for entry in found] == sentences[:20]
    assert [(entry.target, entry.links) for entry in found] == [(one.text, one.links) for one in wanted]
    assert [one.source for one in seen] == sentences[:20]
    for entry in found:
        for link in entry.links:
            assert 0 <= link.source[0] < link.source[1] <= len(entry.source)
            assert 0 <= link.target[0] < link.target[1] <= len(entry.target)


def test_terms_of_a_glossary_are_used(translator: Translator) -> None:
    glossary = Glossary((parse_term("Haus=Straße"),))
    aligned = AlignedSentences(translator=translator, options=OPTIONS, glossary=glossary)
    first, second = aligned.translate(["das Haus ist groß", "der Hund läuft"])
    assert "Straße" in first.target.split()
    place = first.target.index("Straße")
    (told,) = [link for link in first.links if link.target[0] < place + 6 and link.target[1] > place]
    assert (told.source, told.probability) == ((4, 8), 1.0)
    assert first.target[slice(*told.target)].strip() == "Straße"
    assert second.target == translator.translate("der Hund läuft", OPTIONS).text


def test_what_is_too_long_does_not_fit_and_is_cut(translator: Translator) -> None:
    aligned = AlignedSentences(translator=translator, options=OPTIONS, max_tokens=10)
    text = "das Haus ist groß und der kleine Hund läuft über die lange Straße"
    assert aligned.fits("das Haus")
    assert not aligned.fits(text)
    assert not aligned.fits("das Haus " * translator.max_source_tokens)
    (whole,) = translate_texts([f"<b>{text}</b>"], aligned, tag_handling="xml")
    assert whole.startswith("<b>")
    assert whole.endswith("</b>")
