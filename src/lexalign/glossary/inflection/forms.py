"""The regular forms of a term, in languages with rules."""

from collections.abc import Sequence
from types import ModuleType
from typing import Literal

from lexalign.glossary.inflection import english, german
from lexalign.glossary.matching.headwords import headword
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.text.languages import primary

_RULES: dict[str, ModuleType] = {"en": english, "de": german}
LANGUAGES = tuple(_RULES)
Extent = Literal["bare", "needed", "all"]
MAX_FORMS = 24  # of a term; each is a branch of the constraints' trie


def inflect(
    targets: Sequence[str], language: str, lemmas: Lemmas | None = None, *, extent: Extent = "all"
) -> tuple[str, ...]:
    """The targets and their regular forms; in languages without rules the targets only.

    `extent`: `bare` only removes a leading article or "to"; `needed` adds the forms without which a term fits
    few sentences, those of English verbs and of German adjectives before their nouns; `all` adds plurals too.
    `lemmas` removes forms that do not exist, of words that it knows.
    """
    rules = _RULES.get(primary(language))
    if rules is None:
        return tuple(targets)
    bare = [headword(target, language) for target in targets]
    found = [head.text for head in bare]
    if extent != "bare":
        make = rules.forms if extent == "all" else rules.needed_forms
        terms = [f"to {head.text}" if head.verb else head.text for head in bare]
        found += [
            form
            for term in terms
            for form in make(term)
            if lemmas is None or _exists(term, form, rules.inflected_index(term), lemmas)
        ]
    return tuple(dict.fromkeys([*targets, *found]))[: max(MAX_FORMS, len(targets))]


def _exists(target: str, form: str, index: int, lemmas: Lemmas) -> bool:
    word = target.removeprefix("to ").split(" ")[index]
    changed = form.split(" ")[index]
    if not lemmas.knows(word):
        return True
    # A participle ("writing", "written") may have an entry of its own in a dictionary.
    return lemmas.knows(changed) and (target.startswith("to ") or lemmas.of(changed)[0] == lemmas.of(word)[0])
