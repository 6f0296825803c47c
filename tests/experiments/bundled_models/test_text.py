"""The text of students without a teacher: what is left out, changed and put in."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.bundled_models.augmentation import (
    AugmentationOptions,
    augment,
    printed,
    titled,
    without_mark,
)
from experiments.bundled_models.cleaning import clean, is_translation, modern_spelling
from experiments.bundled_models.corpora import Corpora, find_corpora
from experiments.bundled_models.mixed_text import mixed_text, plan
from experiments.bundled_models.mixture_recipe import MixtureRecipe
from experiments.bundled_models.packing import pack
from experiments.bundled_models.settings import HERE, tiny_size
from experiments.bundled_models.stand_ins import stand_in
from lexalign.contracts.errors import LexalignError
from lexalign.data.preparation import prepare
from lexalign.data.store import TokenStore
from lexalign.text.tokenizer import Tokenizer
from lexalign.text.tokenizer_training import TokenizerOptions
from lexalign.training.stores import training_filters

PAIRS = [
    ("Install Python 3.11 in C:\\Tools\\py now.", "Installieren Sie Python 3.11 jetzt in C:\\Tools\\py."),
    ("Ask help@example.org or https://example.org/a?b=1.", "https://example.org/a?b=1, help@example.org."),
    ("The file config.yaml has 12 keys.", "Die Datei config.yaml hat 12 Schlüssel."),
    ("The SQL Server instance was stopped by Mary.", "Die SQL-Server-Instanz wurde von Mary angehalten."),
    ("Set max_length of MyClass.run() to 5 MB.", "Setzen Sie max_length von MyClass.run() auf 5 MB."),
]  # fmt: skip
STAND_IN = re.compile(r"X\d+")


def numbers(text: str) -> list[str]:
    return STAND_IN.findall(text)


@pytest.mark.parametrize("pair", PAIRS)
def test_stand_ins_are_numbered_by_the_source_and_stand_once_on_each_side(pair: tuple[str, str]) -> None:
    changed = [stand_in(pair, Random(seed)) for seed in range(40)]
    assert all(found != pair for found in changed)
    for source, target in changed:
        assert numbers(source) == [f"X{number}" for number in range(1, len(numbers(source)) + 1)]
        assert sorted(numbers(target)) == numbers(source)
        assert len(numbers(source)) <= 4
        for text in (source, target):
            assert not re.search(r"\wX\d|X\d+[A-Za-z_]", text)
    assert len({len(numbers(source)) for source, _ in changed}) > 1 or "SQL" in pair[0]


def test_what_is_replaced_is_text_of_both_sides() -> None:
    """Putting the texts back gives the pair again."""
    source, target = PAIRS[0]
    found = stand_in(PAIRS[0], Random(3))
    pattern = re.compile("(.*)".join(re.escape(part) for part in STAND_IN.split(found[0])))
    match = pattern.fullmatch(source)
    assert match is not None
    texts = dict(zip(numbers(found[0]), match.groups(), strict=True))
    assert STAND_IN.sub(lambda one: texts[one[0]], found[1]) == target


@pytest.mark.parametrize(
    "pair",
    [
        ("Nothing is the same.", "Hier ist alles anders."),
        ("X1 is taken by Mary already.", "X1 ist schon von Mary belegt."),
        ("Mary and Mary.", "Mary und Mary sind zwei."),  # which would be which?
        ("Mary", "Mary"),  # nothing is left to translate
        ("In time.", "In der Zeit."),
        ("the Webserver", "die Webserverfarm"),
    ],
)
def test_what_cannot_be_replaced_stays(pair: tuple[str, str]) -> None:
    assert all(stand_in(pair, Random(seed)) == pair for seed in range(10))


words = st.lists(st.sampled_from(["Mary", "X1", "a_b", "12", "the", "C#", "x.y", '"Q', 'r"', "(v1)", "…"]))


@given(words, words, st.integers(0, 5))
def test_stand_ins_are_the_same_on_both_sides_of_any_text(
    source: list[str], target: list[str], seed: int
) -> None:
    pair = " ".join(source), " ".join(target)
    found = stand_in(pair, Random(seed))
    if found != pair:
        assert Counter(numbers(found[0])) == Counter(numbers(found[1]))


def test_pairs_that_teach_something_wrong_are_left_out() -> None:
    languages = "de", "en"
    good = [
        ("Wählen Sie Speichern aus.", "Select Save."),
        ("Microsoft Azure", "Microsoft Azure"),
        ("Das ist ein Satz, der ganz gewiss auf Deutsch geschrieben ist.", "This is a sentence in English."),
    ]  # fmt: skip
    bad = [
        (". Herr Präsident, meine sehr verehrten Damen und Herren!", "."),
        ("This sentence has not been translated.", "This sentence has not been translated."),
        ("This long sentence was written in the wrong language.", "This one is in the right language."),
        ("", "Empty."),
        ("12,5", "12.5"),
        ("Warum?", "Why did the Commission not answer the question that was asked?"),
    ]  # fmt: skip
    assert [is_translation(pair, languages) for pair in good] == [True] * len(good)
    assert [is_translation(pair, languages) for pair in bad] == [False] * len(bad)
    assert list(clean([("  Guten   Tag. ", "Hello .")], languages)) == [("Guten Tag.", "Hello .")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ich weiß, daß der Ausschuß es gewiß muß.", "Ich weiß, dass der Ausschuss es gewiss muss."),
        ("Er läßt es, wußte aber, was Rußland heißt.", "Er lässt es, wusste aber, was Russland heißt."),
        ("Die große Straße, gemäß dem Maß, außen.", "Die große Straße, gemäß dem Maß, außen."),
        ("Beschlußfassung, Einfluß, unmißverständlich", "Beschlussfassung, Einfluss, unmissverständlich"),
        ("Füße, Grüße, genießt, schließt, stößt", "Füße, Grüße, genießt, schließt, stößt"),
    ],
)  # fmt: skip
def test_spelling_is_that_of_today(old: str, new: str) -> None:
    assert modern_spelling(old) == new


def test_changes_have_their_shares() -> None:
    pairs = [(f"Word {number} is here.", f"Das Wort {number} ist hier.") for number in range(4_000)]
    options = AugmentationOptions(joined=0.1, lowered=0.05, capitals=0.05, unmarked=0.1)
    found = list(augment(pairs, options, 0.2, source="en", random=Random(1)))
    share = len(found)
    assert sum(source.count("here") + source.count("HERE") for source, _ in found) == 4_000
    assert 0.07 < sum(source.lower().count("here") == 2 for source, _ in found) / share < 0.13
    assert 0.15 < sum("X1" in source for source, _ in found) / share < 0.25
    assert 0.02 < sum(target.isupper() for _, target in found) / share < 0.06
    assert 0.02 < sum(source.islower() for source, _ in found) / share < 0.06
    assert 0.06 < sum(not source.endswith(".") for source, _ in found) / share < 0.12
    assert all(source.isupper() == target.isupper() for source, target in found)
    unchanged = augment(pairs, AugmentationOptions(), 0.0, source="en", random=Random(1))
    assert list(unchanged) == pairs


def test_small_changes() -> None:
    assert titled(("Save your changes in the list", "x")) == (
        "Save Your Changes In The List".replace("In", "in"),
        "x",
    )
    assert without_mark(("Really?", "Wirklich?")) == ("Really", "Wirklich")
    assert without_mark(("Wait...", "Warte...")) == ("Wait...", "Warte...")
    assert without_mark(("Yes.", "Ja!")) == ("Yes.", "Ja!")


@pytest.fixture
def corpora(tmp_path: Path) -> Corpora:
    def write(name: str, pairs: Iterator[tuple[str, str]]) -> None:
        columns = zip(*pairs, strict=True)
        for language, lines in zip(("de", "en"), columns, strict=True):
            (tmp_path / f"{name}.{language}").write_text("".join(f"{line}\n" for line in lines))

    write("big", ((f"Satz Nummer {n} von heute.", f"Sentence number {n} of today.") for n in range(600)))
    write("small", ((f"Kleiner Ausschuß {n}", f"Little group {n}") for n in range(200)))
    return find_corpora(tmp_path, ("de", "en"))


RECIPE = MixtureRecipe(times={"small": {"de-en": 2.5, "en-de": 1}}, stand_ins={"small": 0.5})


def test_corpora_are_mixed_by_the_recipe(corpora: Corpora, tmp_path: Path) -> None:
    texts = mixed_text(corpora, RECIPE, ("de", "en"), tmp_path / "to", seed=1, workers=1)
    assert [text.source.stem for text in texts] == [
        f"small-{time}-00000000" for time in range(3)
    ] + ["big-0-00000000"]  # fmt: skip
    sizes = [len(list(text.read())) for text in texts]
    assert sizes[:2] == [200, 200]
    assert 60 < sizes[2] < 140
    assert sizes[3] == 600
    pairs = [pair for text in texts for pair in text.read()]
    assert 0.4 < sum("X1" in source and "X1" in target for source, target in pairs[:-600]) / 500 < 0.6
    assert any("Ausschuß" in source for source, _ in pairs)
    back = mixed_text(corpora, RECIPE, ("en", "de"), tmp_path / "to", seed=1, workers=1)
    assert len(back) == 2
    assert not any("Ausschuß" in target for text in back for _, target in text.read())


def test_the_same_seed_gives_the_same_text_in_one_process_and_in_two(
    corpora: Corpora, tmp_path: Path
) -> None:
    one, same, other = (
        mixed_text(corpora, RECIPE, ("de", "en"), tmp_path / name, seed=seed, workers=workers)
        for name, seed, workers in (("a", 1, 1), ("b", 1, 2), ("c", 2, 1))
    )
    first, second, third = ([list(text.read()) for text in texts] for texts in (one, same, other))
    assert first == second != third
    assert first[0] != first[1], "each time is changed in its own way"


def test_a_recipe_names_what_is_wrong_with_it(tmp_path: Path) -> None:
    path = tmp_path / "mixture.toml"
    for text, message in {
        "[times]\ntrain = 'much'": "train is 'much'",
        "[times]\ntrain = { de-en = -1 }": "de-en is -1",
        "[shares]\ntrain = 1": "unknown table shares",
        "[augmentation]\nshouted = 0.1": "unknown option",
        "[augmentation]\njoined = 2": "joined is 2",
        "times": "not TOML",
    }.items():
        path.write_text(text)
        with pytest.raises(LexalignError, match=re.escape(message)):
            MixtureRecipe.read(path)
    with pytest.raises(LexalignError, match="cannot read"):
        MixtureRecipe.read(tmp_path / "none")


def test_the_recipe_of_the_bundle_is_read() -> None:
    recipe = MixtureRecipe.read(HERE / "mixture.toml")
    assert recipe.times_of("docs-mt", "de-en") > recipe.times_of("docs-mt", "en-de")
    assert recipe.times_of("unheard-of", "de-en") == 1


def test_packed_text_is_what_training_would_have_made(corpora: Corpora, tmp_path: Path) -> None:
    texts = mixed_text(corpora, RECIPE, ("de", "en"), tmp_path / "to", seed=1, workers=1)
    sentences = [side for text in texts for pair in text.read() for side in pair]
    tokenizer = Tokenizer.train(sentences, TokenizerOptions(vocabulary_size=340), tmp_path / "t.model")
    recipe = tiny_size().student
    recipe = replace(recipe, filters=replace(recipe.filters, max_tokens=12))
    pack(texts, tokenizer, recipe, tmp_path / "run", workers=1)
    packed = TokenStore(tmp_path / "run" / "data" / "train")
    filters = training_filters(recipe.filters, recipe.model_config(tokenizer.vocabulary_size))
    made, report = prepare(texts, tokenizer, filters, tmp_path / "made")
    assert packed.meta == made.meta
    assert 0 < report.num_kept < report.num_read
    for name in ("source.tokens", "source.lengths", "target.tokens", "target.lengths"):
        assert (packed.path / name).read_bytes() == (made.path / name).read_bytes()
    found, _ = prepare(texts, tokenizer, filters, packed.path)
    assert found.meta == packed.meta
    assert list((tmp_path / "run" / "data").iterdir()) == [packed.path]


def test_a_plan_takes_part_of_a_corpus(corpora: Corpora) -> None:
    parts = list(plan(corpora, MixtureRecipe(times={"small": 0, "big": 0.25}), ("de", "en"), seed=1))
    assert [(part.corpus.name, part.share) for part in parts] == [("big", 0.25)]


@pytest.mark.parametrize(
    ("pair", "source", "expected"),
    [
        (
            ('He said: "I don\'t."', 'Er sagte: "Ich nicht."'),
            "en",
            ("He said: “I don’t.”", "Er sagte: „Ich nicht.“"),
        ),
        (('Was heißt "it\'s"?', 'What is "it\'s"?'), "de", ("Was heißt „it’s“?", "What is “it’s”?")),
        # Nothing in the source says that the translation is to be printed.
        (("Ich nicht.", "I don't."), "de", ("Ich nicht.", "I don't.")),
        # A mark that is alone can be neither.
        (('5" and "six"', '5" und "sechs"'), "en", ('5" and "six"', '5" und "sechs"')),
    ],
)
def test_marks_are_those_of_print(pair: tuple[str, str], source: str, expected: tuple[str, str]) -> None:
    assert printed(pair, source) == expected
