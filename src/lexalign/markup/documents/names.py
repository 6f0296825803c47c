"""The names of the document formats."""

from typing import Literal, get_args

FormatName = Literal[
    "text",
    "markdown",
    "html",
    "xml",
    "xliff1",
    "xliff2",
    "tmx",
    "po",
    "json",
    "yaml",
    "properties",
    "android",
    "strings",
    "xcstrings",
    "fluent",
    "srt",
    "vtt",
    "docx",
    "pptx",
    "csv",
    "tsv",
]
FORMATS: tuple[FormatName, ...] = get_args(FormatName)
