"""A small memory of made-up sentences, whose terms and their translations are known."""

import random

from lexalign.glossary.entries import Place
from lexalign.terminology.units import Unit

TERMS = {
    "sales order": "Verkaufsauftrag",
    "invoice": "Rechnung",
    "warehouse": "Lager",
    "bank account": "Bankkonto",
    "customer group": "Kundengruppe",
    "vendor": "Lieferant",
}
NAMES = ("Contoso", "Fabrikam")
_FRAMES = (
    ("Open the {} before you close the {}.", "Öffnen Sie {}, bevor Sie {} schließen."),
    ("The {} shows the {} of {}.", "{} zeigt {} von {}."),
    ("Select the {} and print the {}.", "Wählen Sie {} aus und drucken Sie {}."),
    ("You can delete the {} without the {}.", "Sie können {} ohne {} löschen."),
    ("In {} the {} is on hold.", "Bei {} ist {} gesperrt."),
)
_ARTICLES = {"Rechnung": "die", "Kundengruppe": "die", "Lager": "das", "Bankkonto": "das"}


def make_units(count: int, seed: int = 1) -> list[Unit]:
    chance = random.Random(seed)
    return [_make_unit(chance, number) for number in range(1, count + 1)]


def _make_unit(chance: random.Random, number: int) -> Unit:
    source, target = chance.choice(_FRAMES)
    terms = chance.sample(sorted(TERMS), 2)
    name = chance.choice(NAMES)
    fillers: list[tuple[str, str]] = [(term, _noun(TERMS[term])) for term in terms]
    if "of {}" in source:
        fillers.append((name, name))
    if source.startswith("In {}"):
        fillers = [(name, name), fillers[0]]
    sides = [
        frame.format(*words)
        for frame, words in zip((source, target), zip(*fillers, strict=True), strict=True)
    ]
    return Unit(
        f"{sides[0][:-1]} {number}.",
        f"{sides[1][:1].upper()}{sides[1][1:-1]} {number}.",
        Place("memory", number),
    )


def _noun(noun: str) -> str:
    return f"{_ARTICLES.get(noun, 'den')} {noun}"
