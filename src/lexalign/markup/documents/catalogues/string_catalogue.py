"""Apple's `.xcstrings`: every string gets a localization in the target language, with the state needs_review.

The source of a string is its localization in the catalogue's `sourceLanguage`, with its variations (plurals,
devices), or else its key. `shouldTranslate: false` and stale strings are left alone, and so are strings that
have a translation.
"""

from collections.abc import Iterator

from lexalign.contracts.errors import LexalignError
from lexalign.markup.documents.catalogues.json_tree import JsonValue, Lines, parse_json, write_string
from lexalign.markup.documents.catalogues.messages import message_edits
from lexalign.markup.documents.document import DocumentOptions, Edit, SplicedDocument, same_language
from lexalign.markup.documents.encoding import decode

_STATE = "needs_review"
_UNTRANSLATED = frozenset({"new", "stale"})


def read(content: bytes, options: DocumentOptions) -> SplicedDocument:
    if options.target_language is None:
        raise LexalignError("a string catalogue holds many languages; choose the one to add, as in --to de")
    text, encoding = decode(content)
    root = parse_json(text)
    language, entries = root.child("sourceLanguage"), root.child("strings")
    if language is None or entries is None or entries.kind != "object":
        raise LexalignError("not a string catalogue: sourceLanguage or strings is missing")
    source = options.source_language or language.string(text)
    reader = _Reader(text, source, options.target_language, options.retranslate)
    edits = [edit for key, entry in entries.children for edit in reader.edits(key, entry)]
    return SplicedDocument(content=text, edits=edits, escape=write_string, encode=encoding.encode)


class _Reader:
    def __init__(self, text: str, source: str, target: str, retranslate: bool) -> None:
        self._text, self._source, self._target, self._retranslate = text, source, target, retranslate
        self._lines = Lines(text)

    def edits(self, key: str, entry: JsonValue) -> Iterator[Edit]:
        translate, state = entry.child("shouldTranslate"), entry.child("extractionState")
        if translate is not None and self._text[translate.start : translate.end] == "false":
            return
        if state is not None and state.string(self._text) == "stale":
            return
        found = entry.child("localizations")
        old = self._localization(found, self._target)
        if old is not None and not self._retranslate and self._is_done(old):
            return
        where = f"line {self._lines.number(entry.start)}: {key!r}"
        source = self._localization(found, self._source)
        pieces = list(self._value(source, where)) if source else list(self._unit(key, where))
        if any(edit.segment for edit in pieces):
            yield from self._placed(entry, found, old, pieces)

    def _placed(
        self, entry: JsonValue, found: JsonValue | None, old: JsonValue | None, pieces: list[Edit]
    ) -> Iterator[Edit]:
        """The pieces as one edit after the other, all at the place of the new localization."""
        name = f'"{write_string(self._target)}" : '
        if old is not None:
            start, end, before, after = old.start, old.end, "", ""
        elif found is not None and found.children:
            start = end = found.children[-1][1].end
            before, after = ",\n        " + name, ""
        elif found is not None:
            start, end = found.start + 1, found.end - 1
            before, after = "\n        " + name, "\n      "
        else:
            start = end = entry.children[-1][1].end if entry.children else entry.start + 1
            comma = "," if entry.children else ""
            before, after = comma + '\n      "localizations" : {\n        ' + name, "\n      }"
            if not entry.children:
                end, after = entry.end - 1, after + "\n    "
        yield Edit(start=start, end=end, before=before)
        for piece in pieces:
            yield Edit(
                start=end,
                end=end,
                before=piece.before,
                segment=piece.segment,
                after=piece.after,
                write=piece.write,
            )
        yield Edit(start=end, end=end, before=after)

    def _value(self, value: JsonValue, where: str, indent: str = "        ") -> Iterator[Edit]:
        """A localization written again, with the translations of its strings."""
        if value.kind != "object":
            yield _syntax(self._text[value.start : value.end])
            return
        unit = value.child("value")
        if unit is not None and unit.kind == "string" and value.child("state") is not None:
            yield from self._string_unit(unit.string(self._text), where, indent)
            return
        deeper = indent + "  "
        for index, (key, child) in enumerate(value.children):
            yield _syntax(f'{"," if index else "{"}\n{deeper}"{write_string(key)}" : ')
            yield from self._value(child, where, deeper)
        yield _syntax(f"\n{indent}}}" if value.children else "{}")

    def _unit(self, message: str, where: str) -> Iterator[Edit]:
        yield _syntax('{\n          "stringUnit" : ')
        yield from self._string_unit(message, where, "          ")
        yield _syntax("\n        }")

    def _string_unit(self, message: str, where: str, indent: str) -> Iterator[Edit]:
        yield _syntax(f'{{\n{indent}  "state" : "{_STATE}",\n{indent}  "value" : "')
        edits = list(message_edits((0, 0), message, where, write_string, "plain"))
        yield from edits or [_syntax(write_string(message))]
        yield _syntax(f'"\n{indent}}}')

    def _localization(self, localizations: JsonValue | None, language: str) -> JsonValue | None:
        if localizations is None:
            return None
        return next((value for key, value in localizations.children if same_language(key, language)), None)

    def _is_done(self, localization: JsonValue) -> bool:
        unit = localization.child("stringUnit")
        state = unit.child("state") if unit else None
        return state is None or state.string(self._text) not in _UNTRANSLATED


def _syntax(text: str) -> Edit:
    return Edit(start=0, end=0, before=text)
