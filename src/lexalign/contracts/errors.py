"""Errors that a user can correct."""


class LexalignError(Exception):
    """Invalid input or environment; the message is one line that says what to do."""
