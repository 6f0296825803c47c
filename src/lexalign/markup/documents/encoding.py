"""Decoding and encoding of files: the encoding and a byte order mark are kept."""

import codecs
import re
from dataclasses import dataclass

from lexalign.contracts.errors import LexalignError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARATION = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']""")
_META = re.compile(rb"""<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)


@dataclass(frozen=True)
class Encoding:
    name: str
    mark: bytes = b""
    has_references: bool = False  # a character that the encoding lacks can be written as &#...;

    def encode(self, text: str) -> bytes:
        if self.has_references:
            return self.mark + text.encode(self.name, "xmlcharrefreplace")
        try:
            return self.mark + text.encode(self.name)
        except UnicodeEncodeError as error:
            raise LexalignError(
                f"the translation has {text[error.start]!r}, which {self.name} cannot write; "
                "convert the input to UTF-8"
            ) from None


def decode(
    content: bytes, *, declared: str | None = None, has_references: bool = False
) -> tuple[str, Encoding]:
    """Decode by the byte order mark, by the declared encoding, or as UTF-8."""
    mark, name = next(
        ((mark, name) for mark, name in _BYTE_ORDER_MARKS if content.startswith(mark)), (b"", declared)
    )
    encoding = Encoding(name or "utf-8", mark, has_references)
    try:
        text = content[len(mark) :].decode(encoding.name)
    except LookupError:
        raise LexalignError(f"unknown encoding {encoding.name!r}; convert the file to UTF-8") from None
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise LexalignError(f"line {line} is not valid {encoding.name}; convert the file to UTF-8") from None
    if "\0" in text:
        raise LexalignError(
            f"line {text[: text.index(chr(0))].count(chr(10)) + 1}: a NUL byte; is this text?"
        )
    return text, encoding


def decode_xml(content: bytes) -> tuple[str, Encoding]:
    match = _DECLARATION.search(content[:300])
    return decode(content, declared=match[1].decode("ascii") if match else None, has_references=True)


def decode_html(content: bytes) -> tuple[str, Encoding]:
    # As in browsers: HTML declares its encoding within its first 1,024 bytes, XHTML in the XML declaration.
    match = _META.search(content[:1024]) or _DECLARATION.match(content[:300])
    return decode(content, declared=match[1].decode("ascii") if match else None, has_references=True)
