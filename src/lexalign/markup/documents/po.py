"""PO: messages without a translation are translated; tags inside of them are kept.

A fuzzy translation is replaced. Obsolete messages stay unchanged. Of plural forms, the first is the
translation of the singular and the others of the plural; in a language with a single form it is that of the
plural.

polib writes the file: it wraps long lines anew and moves obsolete messages to the end; nothing else changes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lexalign.contracts.errors import LexalignError, MissingExtraError
from lexalign.markup.documents.document import DocumentOptions, Segment
from lexalign.markup.documents.encoding import Encoding, decode
from lexalign.markup.inline.accelerators import Accelerator, take_accelerator
from lexalign.markup.inline.messages import read_message_tags
from lexalign.markup.tagged_text import TaggedText

if TYPE_CHECKING:
    from polib import POEntry, POFile

_LINE = re.compile(
    r"""(?:\#.*|(?:(?:msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s*)?"(?:[^"\\]|\\.)*")?\s*"""
)
_CHARSET = re.compile(rb"charset=([\w.:-]+)")


def read(content: bytes, options: DocumentOptions) -> "PoDocument":
    match = _CHARSET.search(content)
    declared = match[1].decode("ascii") if match else None
    text, encoding = decode(content, declared=None if declared == "CHARSET" else declared)
    file = _parse(text)
    if options.target_language:
        file.metadata["Language"] = options.target_language
    return PoDocument(file, encoding, options, "\r\n" if "\r\n" in text else "\n")


@dataclass(frozen=True)
class _Slot:
    entry: "POEntry"
    form: int | None  # the index of a plural form
    segment: Segment
    accelerator: Accelerator | None


@dataclass(frozen=True)
class PoDocument:
    file: "POFile"
    encoding: Encoding
    options: DocumentOptions
    line_end: str

    @cached_property
    def slots(self) -> list[_Slot]:
        return [slot for entry in self.file for slot in self._slots_of(entry)]

    @property
    def segments(self) -> Sequence[Segment]:
        return [slot.segment for slot in self.slots]

    def write(self, translations: Sequence[TaggedText]) -> bytes:
        for slot, translation in zip(self.slots, translations, strict=True):
            marked = slot.accelerator.put(translation) if slot.accelerator else translation
            text = marked.render()
            if slot.form is None:
                slot.entry.msgstr = text
            else:
                slot.entry.msgstr_plural[slot.form] = text
            slot.entry.flags = [flag for flag in slot.entry.flags if flag != "fuzzy"]
            slot.entry.previous_msgid = slot.entry.previous_msgid_plural = slot.entry.previous_msgctxt = None
        written = str(self.file)
        if not self.file.header:
            written = written.removeprefix("#\n")  # polib writes an empty comment
        if not written.endswith("\n"):
            written += "\n"
        return self.encoding.encode(written.replace("\n", self.line_end))

    def _slots_of(self, entry: "POEntry") -> Iterator[_Slot]:
        if entry.obsolete or not entry.msgid.strip():
            return
        replace = self.options.retranslate or "fuzzy" in entry.flags
        where = f"line {entry.linenum}: {entry.msgid[:40]!r}"
        if not entry.msgid_plural:
            if replace or not entry.msgstr:
                yield _slot(entry, None, entry.msgid, where)
            return
        num_forms = self._num_forms()
        for form in range(num_forms):
            if replace or not entry.msgstr_plural.get(form):
                text = entry.msgid if form == 0 and num_forms > 1 else entry.msgid_plural
                yield _slot(entry, form, text, where)

    def _num_forms(self) -> int:
        match = re.search(r"nplurals\s*=\s*(\d+)", self.file.metadata.get("Plural-Forms", ""))
        return min(int(match[1]), 6) if match else 2


def _slot(entry: "POEntry", form: int | None, text: str, where: str) -> _Slot:
    label, accelerator = take_accelerator(read_message_tags(text))
    return _Slot(entry, form, Segment(label, where), accelerator)


def _parse(text: str) -> "POFile":
    try:
        import polib
    except ImportError:
        raise MissingExtraError("PO files need polib: pip install 'lexalign[files]'") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if not _LINE.fullmatch(line.strip()):  # polib accepts some of them, and loses characters
            raise LexalignError(f"not a PO file: line {number} is neither a comment nor a string in quotes")
    try:
        # Given text without a line break, polib would look for a file of that name.
        file = polib.pofile(text + "\n", wrapwidth=78)
    except (OSError, ValueError, IndexError, AttributeError) as error:
        reason = re.sub(r"in po file\s*\S*", "", str(error)).strip() or "it cannot be read"
        raise LexalignError(f"not a PO file: {reason}") from None
    if not len(file) and text.strip() and not file.metadata:
        raise LexalignError("not a PO file: it has no message")
    return file
