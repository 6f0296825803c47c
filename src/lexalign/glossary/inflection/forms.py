"""The regular forms of a term in a language, where its rules are known."""

from collections.abc import Sequence
from types import ModuleType

from lexalign.glossary.inflection import english, german
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.text.languages import primary

_RULES: dict[str, ModuleType] = {"en": english, "de": german}
LANGUAGES = tuple(_RULES)
MOST_FORMS = 24  # of a term; each is a branch that a search has to follow


def inflect(targets: Sequence[str], language: str, lemmas: Lemmas | None = None) -> tuple[str, ...]:
    """The targets, then what they may regularly become; in languages without rules nothing more.

    `lemmas` strikes forms that are none, of words that it knows.
    """
    rules = _RULES.get(primary(language))
    if rules is None:
        return tuple(targets)
    found = [
        form
        for target in targets
        for form in rules.forms(target)
        if lemmas is None or _exists(target, form, rules.inflected_word(target), lemmas)
    ]
    return tuple(dict.fromkeys([*targets, *found]))[: max(MOST_FORMS, len(targets))]


def _exists(target: str, form: str, place: int, lemmas: Lemmas) -> bool:
    word = target.removeprefix("to ").split(" ")[place]
    changed = form.split(" ")[place]
    if not lemmas.knows(word):
        return True
    return lemmas.knows(changed) and lemmas.of(changed)[0] == lemmas.of(word)[0]
