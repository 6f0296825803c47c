"""The same text has the same translation, whatever it is translated with: by the bundled model, in int8."""

import random
from dataclasses import replace

import pytest

from lexalign.bundled import find_model
from lexalign.contracts.constraint import Constraint
from lexalign.translator import TranslateOptions, Translation, Translator
from lexalign.translator.options import ConstraintOptions, PolicyName

SENTENCES = (
    "Das Haus ist groß.",
    "Ja.",
    "Der Bundestag hat das Gesetz am Donnerstag mit großer Mehrheit beschlossen.",
    "Wer zu spät kommt, den bestraft das Leben!",
    "Am Morgen fuhr sie mit dem Zug nach Berlin und kam erst spät am Abend wieder zurück.",
    "Die Preise für Strom und Gas sind im vergangenen Jahr um 12,5 Prozent gestiegen.",
    "Können Sie mir sagen, wo der Bahnhof ist?",
    "Haus",
)
NUMBERS = ("ein", "zwei", "drei", "vier", "fünf")
TEXTS = [
    *SENTENCES,
    *(
        f"{first} {' und '.join(f'{number} {noun}' for number in NUMBERS[: 1 + index % 5])}."
        for index, (first, noun) in enumerate(
            (first, noun)
            for first in ("Wir sehen", "Gestern gab es", "Die Kommission nennt", "Auf dem Markt kauft man")
            for noun in ("Äpfel", "neue Verordnungen", "Häuser am Fluss", "Gründe", "lange Straßen")
        )
    ),
    *(f"{one} {other}" for one, other in zip(SENTENCES, SENTENCES[2:], strict=False)),
    " ".join(SENTENCES * 2),
]


@pytest.fixture(scope="module")
def bundled() -> Translator:
    return Translator.load(find_model("de", "en"), device="cpu")


def asked(text: str) -> list[Constraint]:
    """A term for the first long word of some."""
    words = [word for word in text.split() if len(word) > 4]
    if not words or len(text) % 3 == 0:
        return []
    start = text.index(words[0])
    return [Constraint(targets=("green tea",), source=(start, start + len(words[0])))]


def translate(
    translator: Translator, options: TranslateOptions, order: list[int], constrained: bool
) -> list[Translation]:
    """In some order, back in that of the texts."""
    texts = [TEXTS[index] for index in order]
    constraints = [asked(text) if constrained else [] for text in texts]
    found = translator.translate(texts, options, constraints=constraints)
    return [
        translation for _, translation in sorted(zip(order, found, strict=True), key=lambda pair: pair[0])
    ]


def arrangements(options: TranslateOptions) -> dict[str, tuple[TranslateOptions, list[int]]]:
    order = list(range(len(TEXTS)))
    mixed = random.Random(1).sample(order, len(order))
    return {
        "one by one": (replace(options, batch_tokens=1), order),
        "small batches": (replace(options, batch_tokens=100, window=11), mixed),
        "one batch": (replace(options, batch_tokens=100_000), order[::-1]),
        "two workers": (replace(options, batch_tokens=60, workers=2), mixed[::-1]),
    }


@pytest.mark.parametrize("policy", ["none", "guided", "align-vdba", "vdba", "replace"])
def test_a_translation_is_the_same_in_every_arrangement(bundled: Translator, policy: PolicyName) -> None:
    """With its score, its links, their probabilities and the results of its terms, to the last bit."""
    constrained = policy != "none"
    options = TranslateOptions(
        workers=1, n_best=2, beam=4, align="post-aln", constraints=ConstraintOptions(policy=policy)
    )
    whole = translate(bundled, options, list(range(len(TEXTS))), constrained)
    assert any(translation.links for translation in whole)
    for name, (chosen, order) in arrangements(options).items():
        if constrained and name == "small batches":
            continue
        assert translate(bundled, chosen, order, constrained) == whole, name


def test_a_shared_scale_makes_translations_depend_on_the_batch() -> None:
    """Otherwise the test above would show nothing."""
    shared = Translator.load(find_model("de", "en"), device="cpu", precision="int8-shared")
    options = TranslateOptions(workers=1)
    order = list(range(len(TEXTS)))
    alone = translate(shared, replace(options, batch_tokens=1), order, False)
    together = translate(shared, options, order, False)
    assert [one.score for one in alone] != [other.score for other in together]


def test_scores_of_given_targets_are_the_same(bundled: Translator) -> None:
    targets = [text[::-1] for text in TEXTS[:12]]
    together = bundled.score(TEXTS[:12], targets)
    assert [
        bundled.score([text], [target])[0] for text, target in zip(TEXTS, targets, strict=False)
    ] == together
