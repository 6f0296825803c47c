"""The errors a person can do something about."""


class LexalignError(Exception):
    """Bad input or a bad environment; the message is one line that says what to do."""
