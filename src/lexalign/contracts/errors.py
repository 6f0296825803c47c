"""Errors that a user can correct.

A message speaks to those who type commands, because most errors reach them. Where it names a flag that a
caller in Python does not have, `in_python` says the same to that caller, and `lexalign.api` shows it.
"""


class LexalignError(Exception):
    """Invalid input or environment; the message is one line that says what to do."""

    def __init__(self, message: str, *, in_python: str | None = None) -> None:
        super().__init__(message)
        self.in_python = in_python or message


class ModelNotFoundError(LexalignError):
    """There is no model of this name, in this folder, or for these languages."""


class LanguageError(LexalignError):
    """The language of a text is not certain, or the model does not have it."""


class GlossaryError(LexalignError):
    """A glossary, or one of its entries, cannot be used."""


class OptionError(LexalignError, ValueError):
    """An option has a value that it cannot have."""


class MissingExtraError(LexalignError, ImportError):
    """An optional library is not installed; the message says how to install it."""
