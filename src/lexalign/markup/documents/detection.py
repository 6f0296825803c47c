"""What a text looks like, so that nobody takes a document of another format for plain text unknowingly."""

import re

from lexalign.markup.documents.names import FormatName

# Signs of a format in the first characters of a file; the first that is found counts.
_SIGNS: tuple[tuple[FormatName, re.Pattern[str]], ...] = (
    ("vtt", re.compile(r"\AWEBVTT\b")),
    ("srt", re.compile(r"^\d+\s*\r?\n\d{2}:\d{2}:\d{2},\d{3} --> ", re.MULTILINE)),
    ("xliff1", re.compile(r"<(?:\w+:)?xliff\b")),
    ("tmx", re.compile(r"<tmx\b")),
    ("android", re.compile(r"<resources\b")),
    ("html", re.compile(r"<!doctype html|<html\b|<body\b|<p>[^\n]*</p>", re.IGNORECASE)),
    ("xml", re.compile(r"\A\s*<\?xml\b")),
    ("po", re.compile(r'^msgid "', re.MULTILINE)),
    ("json", re.compile(r'\A\s*\{\s*"[^"\n]*"\s*:')),
    ("strings", re.compile(r'^\s*"[^"\n]*"\s*=\s*"[^"\n]*";\s*$', re.MULTILINE)),
    ("markdown", re.compile(r"^(?:#{1,6} \S|```|\|[ :-]+\|)|\]\([^()\s]+\)", re.MULTILINE)),
    ("yaml", re.compile(r"\A(?:---\s*\n)?(?:[\w.-]+:(?: [^\n]*)?\n)(?:\s+[\w.-]+:(?: [^\n]*)?\n){2}")),
    ("properties", re.compile(r"^(?:[\w-]+\.)+[\w-]+\s*=[^\n]*\n(?:[\w-]+\.)+[\w-]+\s*=", re.MULTILINE)),
)
_SAMPLE = 20_000  # characters


def looks_like(text: str) -> FormatName | None:
    """The format that a text seems to have, if it is not plain."""
    sample = text[:_SAMPLE]
    return next((name for name, sign in _SIGNS if sign.search(sample)), None)
