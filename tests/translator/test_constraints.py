"""Terms in text: met where they are asked for, told of where not, and nothing changed where none are."""

import re
from pathlib import Path

import pytest

from lexalign.contracts.errors import LexalignError
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.word_starts import word_continuation_mask
from lexalign.translator import Constraint, ConstraintOptions, TranslateOptions, Translation, Translator
from lexalign.translator.constraints import token_constraints, touched

TERMS = ["Hund", "lange Straße", "Haus"]


def options(policy: str, **changes: object) -> TranslateOptions:
    return TranslateOptions(beam=4, workers=1, constraints=ConstraintOptions(policy=policy), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("policy", ["vdba", "align-vdba", "guided"])
def test_every_term_is_in_the_text(translator: Translator, sentences: list[str], policy: str) -> None:
    asked = [[Constraint(targets=(TERMS[index % 3],), source=(0, 3))] for index in range(12)]
    found = translator.translate(sentences[:12], options(policy), constraints=asked)
    for translation, (constraint,) in zip(found, asked, strict=True):
        (term,) = translation.terms
        assert term.met
        assert term.target is not None
        assert translation.text[slice(*term.target)] == constraint.targets[0]
        assert re.search(rf"(?<!\w){constraint.targets[0]}(?!\w)", translation.text)


@pytest.mark.parametrize("policy", ["none", "replace", "vdba", "align-vdba", "guided"])
def test_sentences_without_terms_are_as_always(
    translator: Translator, sentences: list[str], policy: str
) -> None:
    asked: list[list[Constraint]] = [[Constraint(targets=("Hund",), source=(0, 3))], [], [], []]
    plain = translator.translate(sentences[:4], options("vdba"))
    found = translator.translate(sentences[:4], options(policy), constraints=asked)
    assert [_result(one) for one in found[1:]] == [_result(one) for one in plain[1:]]


def test_workers_and_batches_change_nothing(translator: Translator, sentences: list[str]) -> None:
    asked = [[Constraint(targets=(TERMS[index % 3],))] for index in range(60)]
    alone = translator.translate(sentences[:60], options("vdba"), constraints=asked)
    shared = TranslateOptions(
        beam=4, workers=2, batch_tokens=64, constraints=ConstraintOptions(policy="vdba")
    )
    together = translator.translate(sentences[:60], shared, constraints=asked)
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.terms for one in together] == [one.terms for one in alone]


def test_a_policy_of_none_tells_what_is_missing(translator: Translator, sentences: list[str]) -> None:
    constraint = Constraint(targets=("Quecksilber",))
    found = translator.translate(sentences[0], options("none"), constraints=[constraint])
    assert [(term.met, term.target) for term in found.terms] == [(False, None)]
    avoided = Constraint(targets=("Quecksilber",), kind="avoid")
    assert translator.translate(sentences[0], options("none"), constraints=[avoided]).terms[0].met


def test_an_empty_sentence_meets_nothing(translator: Translator) -> None:
    found = translator.translate("", constraints=[Constraint(targets=("Hund",))])
    assert found.text == ""
    assert [(term.met, term.reason) for term in found.terms] == [(False, "no source")]


def test_alternatives_leave_the_choice(translator: Translator, sentences: list[str]) -> None:
    constraint = Constraint(targets=("Hund", "Haus"))
    (term,) = translator.translate(sentences[3], options("vdba"), constraints=[constraint]).terms
    assert term.met


def test_a_source_outside_of_the_text_is_refused(translator: Translator) -> None:
    with pytest.raises(LexalignError, match="text 1: the source 3 to 99 of a constraint lies outside"):
        translator.translate("das Haus", constraints=[Constraint(targets=("x",), source=(3, 99))])


def test_links_are_those_of_the_aligner(translator: Translator, sentences: list[str]) -> None:
    found = translator.translate(sentences[0], TranslateOptions(beam=1, align="post-aln"))
    streamed = list(translator.stream(sentences[0]))
    visible = [token for token in streamed if token.text.strip()]
    assert len(found.links) <= len(streamed)
    assert len(found.links) > 0
    assert {link.source for link in found.links} <= {token.source for token in visible}


def test_a_translation_of_the_model_s_full_length_is_aligned(
    translator: Translator, sentences: list[str]
) -> None:
    found = translator.translate(sentences[:15], TranslateOptions(beam=1, workers=1, align="post-aln"))
    assert max(len(one.tokens) for one in found) == translator.max_source_tokens


def test_a_late_aligner_cannot_guide(translator: Translator) -> None:
    late = TranslateOptions(constraints=ConstraintOptions(method="shift-att"))
    with pytest.raises(LexalignError, match="guided must know the source of a token before"):
        translator.translate("das Haus", late, constraints=[Constraint(targets=("Hund",))])


def test_terms_are_split_as_at_the_start_of_a_word(model_folder: Path) -> None:
    tokenizer = Tokenizer.load(model_folder / "tokenizer.model")
    source = tokenizer.encode_with_offsets("das Haus")
    (found,) = token_constraints(tokenizer, source, [Constraint(targets=(" Hund ",), source=(4, 8))])
    assert "".join(tokenizer.pieces(found.alternatives[0])) == "▁Hund"
    assert "".join(tokenizer.pieces(found.beside[0])) == "Hund"
    avoided = Constraint(targets=("Hund", "klein"), kind="avoid")
    (one,) = token_constraints(tokenizer, source, [avoided])
    assert found.beside[0] in one.alternatives
    assert len(one.beside) == 1  # "klein" without a space before it is a part of a longer word
    assert found.source == touched(source.spans, (4, 8))
    marks = word_continuation_mask(tokenizer)
    for index in range(tokenizer.vocabulary_size):
        if tokenizer.piece(index).startswith("▁"):
            assert not marks[index]


def _result(translation: Translation) -> tuple[str, float]:
    return translation.text, translation.log_probability


def test_parts_of_longer_words_are_split_as_within_them(model_folder: Path) -> None:
    tokenizer = Tokenizer(model_folder / "tokenizer.model")
    constraint = Constraint(targets=("Haus",), parts=("-haus", "Haus-"))
    (asked,) = token_constraints(tokenizer, tokenizer.encode_with_offsets("das Haus"), [constraint])
    whole, head, first = asked.alternatives
    assert not asked.whole
    assert (tokenizer.decode(whole), whole) == ("Haus", first)
    assert "".join(tokenizer.pieces(head)) == "haus"
    (heads_only,) = token_constraints(
        tokenizer,
        tokenizer.encode_with_offsets("das Haus"),
        [Constraint(targets=("Haus",), parts=("-haus",))],
    )
    assert heads_only.whole


@pytest.mark.parametrize("policy", ["none", "vdba", "guided"])
def test_the_word_is_told_that_a_term_is_a_part_of(translator: Translator, policy: str) -> None:
    """What plain translation says is asked for as a part of its longest word."""
    text = "das Haus ist groß und der kleine Hund läuft"
    plain = translator.translate(text, options("none"))
    word = max(plain.text.split(), key=len)
    constraint = Constraint(targets=("unbekannt",), source=(0, 3), parts=(f"{word[:-1]}-",))
    found = translator.translate(text, options(policy), constraints=[constraint])
    (term,) = found.terms
    if policy == "none":
        assert term.met
    if term.target is not None and found.text[slice(*term.target)] != "unbekannt":
        assert term.part_of is None or word[:-1] in term.part_of
        assert term.part_of is not None or policy != "none"
