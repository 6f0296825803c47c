"""Language detection, on sentences of our own."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexalign.contracts.errors import LexalignError
from lexalign.data.synthetic import generate
from lexalign.text import detection
from lexalign.text.detection import MOST_CHARACTERS, Detection, already_in, detect, is_available
from lexalign.text.detection_model import load_identifier

GERMAN = [
    "Das Haus ist groß.",
    "Guten Morgen!",
    "Wo ist der Bahnhof?",
    "Nein, danke.",
    "Zwei Bier, bitte.",
    "DER BERICHT IST FERTIG",
    "Die Maschine muss vor dem Reinigen ausgeschaltet werden.",
    "schnell",
]
ENGLISH = [
    "The house is big.",
    "Good morning!",
    "Where is the station?",
    "No, thank you.",
    "Two beers, please.",
    "THE REPORT IS READY",
    "Switch the machine off before cleaning it.",
    "quickly",
]
FRENCH = ["Je vous remercie beaucoup pour cette question.", "La maison est grande et le jardin est petit."]
DANISH = ["Huset er stort, og haven er lille.", "Jeg ved ikke, hvad klokken er."]
BOTH = ("de", "en")
LONG = "Die Maschine muss vor dem Reinigen ausgeschaltet werden, weil sie sonst Schaden nimmt."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, "de") for text in GERMAN),
        *((text, "en") for text in ENGLISH),
        *((text, "fr") for text in FRENCH),
        *((text, "da") for text in DANISH),
    ],
)
def test_a_sentence_tells_its_language(text: str, expected: str) -> None:
    assert detect(text, BOTH).language == expected


def test_sentences_of_words_of_both_languages_are_distinguished() -> None:
    pairs = generate(300)
    found = [tuple(detect(side, BOTH).language for side in pair) for pair in pairs]
    assert not [
        pair for pair, (source, target) in zip(pairs, found, strict=True) if (source, target) == ("en", "de")
    ]
    assert sum(pair == BOTH for pair in found) > 0.97 * len(pairs)


@pytest.mark.parametrize(
    "text", ["", " ", "123", "+49 30 1234", "xq", "Tom", "OK", "We all die.", "🙂", "<b>{0}</b>"]
)
def test_what_tells_too_little_is_not_guessed(text: str) -> None:
    found = detect(text, BOTH)
    assert found.language is None
    assert found.probability < detection.SURE


def test_without_candidates_more_must_be_read() -> None:
    assert detect("Guten Morgen!").language is None
    found = detect(LONG)
    assert found.language == "de"
    assert found.probability == pytest.approx(1.0, abs=0.01)


def test_a_candidate_needs_less_than_another_language() -> None:
    text = "la maison"
    assert detect(text, ("fr", "de")).language == "fr"
    assert detect(text, BOTH).language is None


def test_candidates_may_have_any_of_their_names() -> None:
    expected = detect("Wo ist der Bahnhof?", BOTH)
    assert detect("Wo ist der Bahnhof?", ("German", "en-GB")) == expected
    assert detect("Wo ist der Bahnhof?", ("deu_Latn", "eng_Latn")) == expected


def test_an_unknown_candidate_leaves_the_language_undecided() -> None:
    assert detect(LONG, ("de", "tlh")) == Detection(None, 0.0)


@pytest.mark.parametrize(
    ("candidates", "expected"), [(("nb", "en"), "nb"), (("no", "en"), "no"), (("nn", "nb"), "nb")]
)
def test_norwegian_is_called_as_it_is_asked_for(candidates: tuple[str, str], expected: str) -> None:
    assert detect("Jeg vet ikke hvor mye det koster å reise med toget.", candidates).language == expected


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    german = (LONG + " ") * 40
    assert len(german) > MOST_CHARACTERS
    assert detect(german + "The house is big. " * 10_000, BOTH) == detect(german, BOTH)


@given(st.text(max_size=60), st.sampled_from([None, (), BOTH, ("ja", "zh", "ko")]))
def test_any_text_has_an_answer(text: str, candidates: tuple[str, ...] | None) -> None:
    found = detect(text, candidates)
    assert 0.0 <= found.probability <= 1.0 + 1e-6
    assert (found.language is not None) <= (found.probability >= detection.SURE)


def test_a_text_in_the_target_language_needs_no_translation() -> None:
    assert already_in("Switch the machine off before cleaning it.", "de", "en")
    assert already_in(LONG, "en", "de")
    assert already_in(LONG, "English", "de-AT")
    assert already_in("この機械は掃除をする前に電源を切ってください。", "en", "ja")


@pytest.mark.parametrize(
    "text",
    [
        LONG,  # the source's language
        *GERMAN,
        *FRENCH,
        *DANISH,
        "",
        "2026 12 24 18 30",
        "Thank you.",  # too short to be sure
        "New York, Los Angeles, Chicago, Houston",
        "Angela Dorothea Merkel und Barack Hussein Obama",
        "Tom, Mary, John, Peter",
        'Sie sagt: "I feel pretty, oh so pretty".',
        "{0} {1} {2} {3} {4}",
    ],
)
def test_where_there_is_doubt_a_text_is_translated(text: str) -> None:
    assert not already_in(text, "de", "en")


def test_languages_that_cannot_be_distinguished_are_translated() -> None:
    assert not already_in(LONG, "de-AT", "de-DE")
    assert not already_in(LONG, "tlh", "de")


def test_without_the_library_nothing_is_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    detection._identifier.cache_clear()
    monkeypatch.setitem(sys.modules, "py3langid", None)
    monkeypatch.setitem(sys.modules, "py3langid.langid", None)
    assert not is_available()
    assert not already_in(LONG, "en", "de")
    with pytest.raises(
        LexalignError, match=r"needs py3langid: pip install py3langid; or give it with --from"
    ):
        detect(LONG, BOTH)


def test_a_copy_in_the_cache_folder_gives_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXALIGN_HOME", str(tmp_path))
    first, second = load_identifier(), load_identifier()
    (copy,) = (tmp_path / "detection").iterdir()
    assert first.rank(LONG) == second.rank(LONG)
    (copy / "tk_nextmove.npy").write_bytes(b"damaged")
    assert load_identifier().rank(LONG) == first.rank(LONG)
    monkeypatch.setenv("LEXALIGN_HOME", str(copy / "nb_pc.npy"))  # no folder, and none can be made
    assert load_identifier().rank(LONG) == first.rank(LONG)
