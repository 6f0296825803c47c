"""The forms of a term, in languages with rules: which they are, and how many at most."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from lexalign.glossary.inflection import english, german, romance
from lexalign.glossary.inflection.dictionary import Dictionary
from lexalign.glossary.inflection.german_verbs import is_verb
from lexalign.glossary.matching.headwords import headword
from lexalign.glossary.matching.lemmas import Lemmas
from lexalign.text.languages import primary


class FormRules(Protocol):
    """The forms of a term in one language, the most frequent first, without the term itself."""

    def __call__(self, term: str, dictionary: Dictionary, *, verb: bool) -> Iterator[str]: ...


_RULES: dict[str, FormRules] = {
    "en": english.forms,
    "de": german.forms,
    "fr": romance.french_forms,
    "pt": romance.portuguese_forms,
}
LANGUAGES = tuple(_RULES)
MAX_FORMS = 12  # of a target, itself among them; each is a branch of the constraints' trie


def inflect(
    targets: Sequence[str],
    language: str,
    lemmas: Lemmas | None = None,
    *,
    verb: bool = False,
    bare_only: bool = False,
) -> tuple[str, ...]:
    """The targets and their forms; in languages without rules the targets only.

    `verb`: the source is a verb, and so are the targets. `bare_only` adds nothing but targets without their
    article or "to". Targets come before all forms.
    """
    bare = [headword(target, language) for target in targets]
    found = [*targets, *(head.text for head in bare)]
    rules = _RULES.get(primary(language))
    if rules is not None and not bare_only:
        dictionary = Dictionary(lemmas)
        for head in bare:
            made = dict.fromkeys(rules(head.text, dictionary, verb=verb or head.verb))
            made.pop(head.text, None)
            found += list(made)[: MAX_FORMS - 1]
    return tuple(dict.fromkeys(found))


def is_source_verb(source: str, language: str | None, lemmas: Lemmas | None) -> bool:
    """Whether a term of the source language is surely a verb: "to save", "speichern"."""
    if language is None:
        return False
    head = headword(source, language)
    return head.verb or (primary(language) == "de" and is_verb(head.text, Dictionary(lemmas)))
