"""A text is read once: what is computed of its sentences is carried, not computed again."""

from collections import Counter

import pytest

from lexalign.alignment.forced import force_target
from lexalign.contracts.alignment import ForcedTarget
from lexalign.glossary import Glossary, parse_term
from lexalign.text.tokenizer import Tokenizer
from lexalign.translator import AlignedSentences, TranslateOptions, Translator, forced_targets

LONG = "Das Haus ist groß und der kleine Hund läuft über die lange Straße nach München."
TEXT = f"Das Haus ist groß. {LONG} Der Hund {{name}} läuft über die Straße, und der kleine Hund ist groß."
GLOSSARY = Glossary((parse_term("Hund=Haus"),))


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text is tokenised."""
    plain, found = Tokenizer.encode, Counter[str]()

    def encode(tokenizer: Tokenizer, text: str) -> list[int]:
        found[text] += 1
        return plain(tokenizer, text)

    monkeypatch.setattr(Tokenizer, "encode", encode)
    return found


@pytest.fixture
def forced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many hypotheses are forced at a time."""
    found = list[int]()

    def force(*arguments: object) -> ForcedTarget:
        result: ForcedTarget = force_target(*arguments)  # type: ignore[arg-type]
        found.append(len(result.token_ids))
        return result

    monkeypatch.setattr(forced_targets, "force_target", force)
    return found


@pytest.mark.parametrize(
    "options", [TranslateOptions(workers=1), TranslateOptions(workers=1, align="post-aln")]
)
@pytest.mark.parametrize("glossary", [None, GLOSSARY])
def test_a_sentence_is_tokenised_once(
    translator: Translator, encoded: Counter[str], options: TranslateOptions, glossary: Glossary | None
) -> None:
    translator.translate(TEXT, options, glossary=glossary)
    sentences = [text for text in encoded if " " in text]
    assert len(sentences) == 3
    assert [encoded[text] for text in sentences] == [1, 1, 1]


def test_marks_are_copied_whole_and_not_tokenised(translator: Translator, encoded: Counter[str]) -> None:
    marks = "([" * 5_000
    (found,) = translator.translate([marks], TranslateOptions(workers=1))
    assert found.text == marks
    assert not encoded
    task = translator.prepare("([" * 500 + "Haus", TranslateOptions(workers=1))
    assert len(task.source.sentences) > 1


@pytest.mark.parametrize("text", ["Haus" * 20_000, "Das Haus. " * 10_000])
def test_who_watches_can_end_the_reading_of_a_text(translator: Translator, text: str) -> None:
    seen: list[int] = []

    def watch(num_tokens: int) -> None:
        seen.append(num_tokens)
        if num_tokens > 500:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        translator.prepare(text, watch=watch)
    assert seen == sorted(seen)
    assert seen[-1] < 500 + translator.max_source_tokens + 2


def test_a_streamed_sentence_is_tokenised_once(translator: Translator, encoded: Counter[str]) -> None:
    list(translator.stream(TEXT))
    assert encoded[LONG] == 1


def test_a_short_sentence_of_a_document_is_tokenised_once(
    translator: Translator, encoded: Counter[str]
) -> None:
    aligned = AlignedSentences(translator=translator, options=TranslateOptions(workers=1, align="post-aln"))
    assert aligned.fits("Das Haus")
    list(aligned.translate(["Das Haus"]))
    assert encoded["Das Haus"] == 1


def test_a_hypothesis_is_forced_once_and_only_where_that_is_asked(
    translator: Translator, forced: list[int]
) -> None:
    translator.translate([LONG, LONG], TranslateOptions(workers=1, n_best=3, coverage=False))
    assert forced == []
    translator.translate([LONG, LONG], TranslateOptions(workers=1, n_best=3, align="post-aln"))
    assert sum(forced) == 2 * 3
    forced.clear()
    # The guided search's alignments say whether it is in doubt, and then replacement's are compared.
    translator.translate([LONG, LONG], TranslateOptions(workers=1, n_best=3), glossary=GLOSSARY)
    assert sum(forced) in (2 * 3, 2 * 2 * 3)


def test_marks_of_lists_stay_where_they_are(translator: Translator) -> None:
    marks = ("- ", "  * ", "• ", "[ ] ", "– ", "+\u00a0")
    text = "\n".join(f"{mark}Das Haus ist groß." for mark in marks) + "\nDas Haus - groß.\n-5 Grad"
    task = translator.prepare(text, TranslateOptions(workers=1))
    read = [one.text for one in task.source.sentences]
    assert read == ["Das Haus ist groß."] * len(marks) + ["Das Haus - groß.", "-5 Grad"]
    lines = translator.translate(text, TranslateOptions(workers=1)).text.split("\n")
    assert all(line.startswith(mark) for line, mark in zip(lines, marks, strict=False))
    as_it_is = translator.prepare("- Das Haus.", TranslateOptions(workers=1, protect=False))
    assert [one.text for one in as_it_is.source.sentences] == ["- Das Haus."]
