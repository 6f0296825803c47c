"""PO: messages with a translation that is not fuzzy. Of plurals, the first form and the last are read."""

from collections.abc import Iterator
from pathlib import Path

from lexalign.contracts.errors import LexalignError
from lexalign.data.reader import open_bytes
from lexalign.glossary.entries import Place
from lexalign.markup.documents.document import DocumentOptions
from lexalign.markup.documents.po import read as read_po
from lexalign.terminology.reading.languages import Languages
from lexalign.terminology.units import Read, Unit


def read(path: Path, _languages: Languages) -> Iterator[Read]:
    with open_bytes(path) as file:
        content = file.read()
    try:
        document = read_po(content, DocumentOptions())
    except LexalignError as error:
        raise LexalignError(f"{path}: {error}") from None
    for entry in document.file:
        if entry.obsolete or "fuzzy" in entry.flags or not entry.msgid:
            continue
        place = Place(str(path), entry.linenum)
        identifier = entry.msgctxt or ""
        if not entry.msgid_plural:
            yield Unit(entry.msgid, entry.msgstr, place, identifier)
        elif entry.msgstr_plural:
            forms = [text for _, text in sorted(entry.msgstr_plural.items())]
            if len(forms) > 1:
                yield Unit(entry.msgid, forms[0], place, identifier)
            yield Unit(entry.msgid_plural, forms[-1], place, identifier)
