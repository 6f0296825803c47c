"""Sentences for a benchmark that is given no file: enough to see that it works, too few to measure by."""

from collections.abc import Sequence
from pathlib import Path

from lexalign.contracts.constraint import Constraint
from lexalign.glossary.constraint_files import ConstrainedText

GERMAN = (
    "Das Haus am Ende der Straße ist sehr groß und hat einen alten Garten.",
    "Gestern hat es den ganzen Tag geregnet, und die Kinder blieben zu Hause.",
    "Zwei Kinder spielen mit einem Hund im Park neben der Schule.",
    "Die Regierung will das Gesetz noch in diesem Jahr ändern.",
    "Ein Mann in einem blauen Hemd steht auf einer Leiter und putzt ein Fenster.",
    "Der Ausschuss hat den Haushalt gestern mit großer Mehrheit gebilligt.",
    "Wo ist der nächste Bahnhof, und wann fährt der letzte Zug in die Stadt?",
    "Meine Schwester arbeitet seit drei Jahren in einem kleinen Krankenhaus.",
    "Wir haben den Bericht gelesen und keine Fehler darin gefunden.",
    "Bitte schließen Sie die Tür, bevor Sie das Büro am Abend verlassen.",
    "Die Brücke über den Fluss wurde im letzten Sommer neu gebaut.",
    "Er hat mir ein Buch geschenkt, das ich schon lange lesen wollte.",
)
ENGLISH = (
    "The house at the end of the street is very large and has an old garden.",
    "It rained all day yesterday, and the children stayed at home.",
    "Two children are playing with a dog in the park beside the school.",
    "The government wants to change the law before the end of this year.",
    "A man in a blue shirt is standing on a ladder and cleaning a window.",
    "The committee approved the budget yesterday by a large majority.",
    "Where is the next station, and when does the last train to the city leave?",
    "My sister has been working in a small hospital for three years.",
    "We have read the report and have not found any mistakes in it.",
    "Please close the door before you leave the office in the evening.",
    "The bridge over the river was built anew last summer.",
    "He gave me a book that I had wanted to read for a long time.",
)
_TERMS = {
    "Haus": "building",
    "Park": "garden",
    "Gesetz": "statute",
    "Fenster": "pane",
    "Ausschuss": "panel",
    "Bahnhof": "terminal",
    "Krankenhaus": "clinic",
    "Bericht": "account",
    "Büro": "bureau",
    "Brücke": "viaduct",
}  # each stands once, in one of the German sentences


def read_sentences(path: Path | None) -> list[str]:
    """The lines of a file that are not empty, or the German sentences."""
    if path is None:
        return list(GERMAN)
    return [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def paragraphs(sentences: Sequence[str]) -> list[str]:
    """Each sentence with the two after it."""
    return [" ".join((*sentences, *sentences)[first : first + 3]) for first in range(len(sentences))]


def constrained_sentences() -> list[ConstrainedText]:
    """German sentences with a word of each that is to be translated otherwise than a model would."""
    found: list[ConstrainedText] = []
    for term, target in _TERMS.items():
        text = next(sentence for sentence in GERMAN if term in sentence)
        start = text.index(term)
        found.append((text, (Constraint(targets=(target,), source=(start, start + len(term))),)))
    return found
