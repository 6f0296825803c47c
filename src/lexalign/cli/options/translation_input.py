"""What `lexalign translate` translates: a text, a file, a file of constraints, or standard input."""

import os.path
import re
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lexalign.cli.messages import warn
from lexalign.cli.options.model_choice import sample_of_file, sample_of_lines
from lexalign.contracts.errors import LexalignError

if TYPE_CHECKING:
    from lexalign.glossary import Matcher
    from lexalign.glossary.constraint_files import ConstrainedText
    from lexalign.translator import TranslateOptions, Translation, Translator

_FILE_NAME = re.compile(
    r"\S+\.(txt|md|html?|xml|docx|pptx|xlf|xliff|po|json|ya?ml|csv|tsv|srt|vtt|tmx)", re.IGNORECASE
)


class TranslationInput:
    """Standard input where there is neither a text nor a file."""

    def __init__(self, text: str | None, file: Path | None, constraints: Path | None) -> None:
        if sum(given is not None for given in (text, file, constraints)) > 1:
            raise LexalignError("give only one of TEXT, --input and --constraints")
        if text is not None:
            _notice_file_name(text)
        self._text, self._file, self._constraints = text, file, constraints
        self._first_block = b""  # of standard input, once it is read as a sample

    @property
    def name(self) -> str:
        """For a report."""
        return str(self._file or self._constraints or ("the text" if self._text is not None else "<stdin>"))

    def sample(self) -> str:
        """Some of the text, from which its language is detected."""
        from lexalign.cli.options.standard_input import read_first_block

        if self._text is not None:
            return self._text
        if self._file is not None:
            return sample_of_file(self._file)
        if self._constraints is not None:
            return sample_of_lines(text for text, _ in self._constrained_texts)
        self._first_block = read_first_block(sys.stdin.fileno())
        return self._first_block.decode("utf-8", errors="ignore")

    def check(self, translator: "Translator") -> int | None:
        """Raise the error that translating would raise; return the number of lines where it is known."""
        from lexalign.data.reader import read_lines

        if self._text is not None:
            return translator.check(self._text.split("\n"))
        if self._constraints is not None:
            return translator.check(text for text, _ in self._constrained_texts)
        # What is not a file, such as a named pipe, can be read only once.
        if self._file is not None and self._file.is_file():
            return translator.check(read_lines(self._file))
        return None

    def translate(
        self, translator: "Translator", options: "TranslateOptions", matcher: "Matcher | None"
    ) -> Iterator["Translation"]:
        from lexalign.cli.options.standard_input import read_windows
        from lexalign.data.reader import read_lines

        if self._text is not None:
            return translator.translate_stream(self._text.split("\n"), options, glossary=matcher)
        if self._constraints is not None:
            return translator.translate_stream(self._constrained_texts, options, glossary=matcher)
        if self._file is not None:
            return translator.translate_stream(read_lines(self._file), options, glossary=matcher)
        size = translator.batching_defaults(options).window
        windows = read_windows(sys.stdin.fileno(), size, self._first_block)
        return translator.translate_windows(windows, options, glossary=matcher)

    @cached_property
    def _constrained_texts(self) -> list["ConstrainedText"]:
        from lexalign.data.reader import read_lines
        from lexalign.glossary.constraint_files import parse_constraints

        assert self._constraints is not None
        return parse_constraints(read_lines(self._constraints), name=str(self._constraints))


def _notice_file_name(text: str) -> None:
    """A file is not what TEXT is for."""
    if os.path.isfile(text):  # noqa: PTH113  # Path.is_file raises for what cannot be a name
        stem, suffix = os.path.splitext(text)  # noqa: PTH122
        raise LexalignError(
            f"{text} is a file, not a text; to translate the document: lexalign translate file {text} "
            f"{stem}.out{suffix}; to translate its lines: lexalign translate --input {text}"
        )
    if _FILE_NAME.fullmatch(text):
        warn(f"{text} looks like a file name, but there is no such file; it is translated as text")
