"""The kinds of findings, in reports on new translations and in checks of old ones.

Both
number           a number is missing, changed or added                   error
placeholder      a placeholder, address or piece of code is missing      error
tag              the inline tags of both sides differ                    error
omission         a part of the source has no counterpart                 warning

Reports
length           the translation was cut off at the limit
language         the text is in the target language already, or in none
memory           it is a memory's translation of a like text
refused          a segment that could not be translated

Checks
as-asked         the term is translated as the glossary asks             nothing to report
compound         its translation is a part of a longer word              nothing to report
other-form       another form of what is asked                           note
other-word       another word, named in `found`                          error
missing-term     nothing is aligned to the term                          error
forbidden-term   a word that the glossary forbids for it                 error
not-kept         a name that is to stay as it is does not                error
untranslated     there is no translation, or it is in the source's language   error
inconsistent     a term or segment is translated otherwise elsewhere     warning
unreadable       a line that is no unit                                  error
"""

from typing import Literal, get_args

SharedKind = Literal["number", "placeholder", "tag", "omission"]
ReportKind = Literal[SharedKind, "length", "language", "memory", "refused"]
CheckKind = Literal[
    "as-asked",
    "compound",
    "other-form",
    "other-word",
    "missing-term",
    "forbidden-term",
    "not-kept",
    SharedKind,
    "untranslated",
    "inconsistent",
    "unreadable",
]
CHECK_KINDS: tuple[CheckKind, ...] = get_args(CheckKind)
Severity = Literal["error", "warning", "note", "none"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # most severe first
_SEVERITY: dict[CheckKind, Severity] = {
    "as-asked": "none",
    "compound": "none",
    "other-form": "note",
    "omission": "warning",
    "inconsistent": "warning",
}


def severity_of(kind: CheckKind) -> Severity:
    return _SEVERITY.get(kind, "error")
